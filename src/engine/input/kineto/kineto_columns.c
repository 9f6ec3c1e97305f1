#include "base/platform.h"
#include "input/kineto/kineto_rows_private.h"

/* The interned key of the Ith argument without a column. */
static uint32_t other_key(struct rows *rows, const struct event *event, uint32_t i)
{
	struct event_memo *memo = event->memo;
	if (!memo || i >= sizeof memo->other_key / sizeof *memo->other_key)
		return rows_keep_text(rows, &event->other_key[i]);
	if (i >= memo->other_keys) {
		memo->other_key[i] = rows_keep_text(rows, &event->other_key[i]);
		memo->other_keys = i + 1;
	}
	return memo->other_key[i];
}

/* Its interned text; often the one of the event before. */
static uint32_t other_text(struct rows *rows, const struct event *event, uint32_t i)
{
	struct event_memo *memo = event->memo;
	const struct json_slice *value = &event->other_value[i];
	if (!memo || i >= sizeof memo->other_text / sizeof *memo->other_text ||
	    !rows_is_plain(value))
		return rows_keep_text(rows, value);
	if (!intern_is(rows->profile->strings, memo->other_text[i], value->text, value->length))
		memo->other_text[i] = rows_keep_text(rows, value);
	return memo->other_text[i];
}

static void add_span_attributes(struct rows *rows, const struct event *event, uint32_t span)
{
	for (uint32_t i = 0; i < event->others; i++) {
		uint32_t key = other_key(rows, event, i);
		builder_span_attribute(rows->builder, span, key, other_text(rows, event, i));
	}
	const struct json_slice *id = event_argument(event, ARGUMENT_RECORD_ID);
	if (id && rows->profile->record_ids && !json_equal(id, "0"))
		builder_span_attribute(rows->builder, span,
				       builder_key(rows->builder, ATTRIBUTE_RECORD_ID),
				       rows_keep_text(rows, id));
}

static void add_activity_attributes(struct rows *rows, const struct event *event, uint32_t row)
{
	for (uint32_t i = 0; i < event->others; i++) {
		uint32_t key = other_key(rows, event, i);
		builder_activity_attribute(rows->builder, row, key, other_text(rows, event, i));
	}
}

static uint32_t add_op_info(struct rows *rows, const struct event *event)
{
#define HAS(argument) (event->have & UINT64_C(1) << ARGUMENT_##argument)
	if (!(HAS(EXTERNAL_ID) | HAS(SEQUENCE) | HAS(SHAPES) | HAS(TYPES) | HAS(STRIDES) |
	      HAS(CONCRETE) | HAS(STACK) | HAS(HIERARCHY) | HAS(FORWARD_THREAD)))
		return NO_ROW;
#undef HAS
	struct op_info info = {
		.forward_thread = argument_id(rows, event, ARGUMENT_FORWARD_THREAD),
		.shapes = argument_text(rows, event, ARGUMENT_SHAPES),
		.types = argument_text(rows, event, ARGUMENT_TYPES),
		.strides = argument_text(rows, event, ARGUMENT_STRIDES),
		.concrete = argument_text(rows, event, ARGUMENT_CONCRETE),
		.stack = argument_text(rows, event, ARGUMENT_STACK),
		.hierarchy = argument_text(rows, event, ARGUMENT_HIERARCHY),
	};
	return builder_op_ids(rows->builder, argument_id(rows, event, ARGUMENT_EXTERNAL_ID),
			      argument_id(rows, event, ARGUMENT_SEQUENCE), &info);
}

static uint32_t add_call_info(struct rows *rows, const struct event *event)
{
	struct call_info info = {
		.correlation = argument_id(rows, event, ARGUMENT_CORRELATION),
		.external_id = argument_id(rows, event, ARGUMENT_EXTERNAL_ID),
	};
	if (info.correlation == NO_VALUE && info.external_id == NO_VALUE)
		return NO_ROW;
	return builder_call_info(rows->builder, &info);
}

static bool name_starts(const struct event *event, const char *prefix)
{
	size_t length = strlen(prefix);
	return event->has_name && event->name.length > length &&
	       memcmp(event->name.text, prefix, length) == 0;
}

/*
 * Is an operator a call of Level Zero or OpenCL, "zeMemAllocDevice"? Intel's tracers give both one
 * category; their calls have no arguments.
 */
static bool is_driver_call(const struct event *event)
{
	const char *name = event->name.text;
	return !event->has_args && event->has_name && event->name.length > 3 &&
	       ((name[0] == 'z' && name[1] == 'e') || (name[0] == 'c' && name[1] == 'l')) &&
	       name[2] >= 'A' && name[2] <= 'Z';
}

/*
 * nn.Module calls are Python functions with a module id or a typical name; PyTorch Lightning marks
 * them as operators in old versions and as annotations in new ones.
 */
enum span_kind rows_refine_kind(const struct event *event, enum span_kind kind)
{
	bool is_module = false;
	if (kind == SPAN_PYTHON)
		is_module =
			event->have >> ARGUMENT_MODULE_ID & 1 || name_starts(event, "nn.Module: ");
	else if (kind == SPAN_OPERATOR || kind == SPAN_ANNOTATION)
		is_module = name_starts(event, "[pl][module]");
	if (is_module)
		return SPAN_MODULE;
	if (kind == SPAN_OPERATOR && is_driver_call(event))
		return SPAN_RUNTIME;
	return kind == SPAN_OPERATOR && name_starts(event, "[pl][profile]") ? SPAN_ANNOTATION
									    : kind;
}

uint32_t rows_add_span(struct rows *rows, const struct event *event, enum span_kind kind,
		       int64_t start, int64_t dur, uint64_t offset)
{
	uint32_t info = NO_ROW;
	kind = rows_refine_kind(event, kind);
	if (kind == SPAN_OPERATOR || kind == SPAN_ANNOTATION)
		info = add_op_info(rows, event);
	else if (kind == SPAN_RUNTIME)
		info = add_call_info(rows, event);
	else if (kind == SPAN_OTHER || kind == SPAN_INSTANT)
		info = event->has_cat ? rows_keep_text(rows, &event->cat) : 0;
	uint32_t track = kind == SPAN_GPU_ANNOTATION ? rows_device_track(rows, event)
						     : rows_host_track(rows, event);
	uint32_t span = builder_span(rows->builder, kind, track,
				     rows_event_name(rows, event, offset), start, dur, info);
	add_span_attributes(rows, event, span);
	const struct process_lane *lane = event->has_cat ? NULL : rows_lane(rows, event);
	if (lane)
		builder_span_text(rows->builder, span, NVTX_DOMAIN,
				  profile_intern(rows->profile, lane->category->domain));
	return span;
}

static void kineto_columns_read_triple(const struct event *event, enum event_argument argument,
				       int32_t triple[3])
{
	const struct json_slice *slice = event_argument(event, argument);
	triple[0] = triple[1] = triple[2] = -1;
	if (!slice || slice->type != JSON_ARRAY)
		return;
	struct json_cursor cursor;
	struct json_slice key, value;
	json_enter(&cursor, slice);
	for (int i = 0; i < 3 && json_member(&cursor, &key, &value); i++) {
		int64_t number;
		if (json_int(&value, &number) && number >= 0 && number <= INT32_MAX)
			triple[i] = (int32_t)number;
	}
}

/*
 * Kineto writes 0 where it cannot compute the value, as of kernels with more than 48 KB of shared
 * memory; a warp on each multiprocessor, of 64 at most, is over 1 %.
 */
static float known_occupancy(float percent, float warps_per_sm)
{
	return percent == 0 && warps_per_sm >= 1 ? NAN : percent;
}

static uint32_t read_config(struct rows *rows, const struct event *event,
			    struct launch_config *config)
{
	memset(config, 0, sizeof *config); /* compared as bytes */
	kineto_columns_read_triple(event, ARGUMENT_GRID, config->grid);
	kineto_columns_read_triple(event, ARGUMENT_BLOCK, config->block);
	int64_t regs = argument_int(event, ARGUMENT_REGISTERS);
	int64_t shared = argument_int(event, ARGUMENT_SHARED_MEMORY);
	config->regs_per_thread = regs >= 0 && regs <= INT32_MAX ? (int32_t)regs : -1;
	config->shared_mem_bytes = shared >= 0 ? shared : -1;
	config->blocks_per_sm = argument_real(event, ARGUMENT_BLOCKS_PER_SM);
	config->warps_per_sm = argument_real(event, ARGUMENT_WARPS_PER_SM);
	config->occupancy_pct =
		known_occupancy(argument_real(event, ARGUMENT_OCCUPANCY), config->warps_per_sm);
	return builder_config(rows->builder, config);
}

/*
 * The arguments that read_config reads, as written: presence, type, length and text of each. 0 when
 * one is too long.
 */
enum { CONFIG_TEXT_MAX = 32 };
static const uint8_t config_arguments[] = { ARGUMENT_GRID,          ARGUMENT_BLOCK,
					    ARGUMENT_REGISTERS,     ARGUMENT_SHARED_MEMORY,
					    ARGUMENT_BLOCKS_PER_SM, ARGUMENT_WARPS_PER_SM,
					    ARGUMENT_OCCUPANCY };
static size_t write_config(const struct event *event,
			   char text[sizeof config_arguments * (CONFIG_TEXT_MAX + 2)])
{
	char *at = text;
	for (size_t i = 0; i < sizeof config_arguments; i++) {
		const struct json_slice *slice =
			event_argument(event, (enum event_argument)config_arguments[i]);
		size_t length = slice ? slice->length : 0;
		if (length > CONFIG_TEXT_MAX)
			return 0;
		*at++ = (char)(slice ? slice->type + 1 : 0);
		*at++ = (char)length;
		if (length)
			memcpy(at, slice->text, length);
		at += length;
	}
	return (size_t)(at - text);
}

/* Each distinct text of the arguments is read once, except damaged ones: each is counted. */
static uint32_t kineto_columns_add_config(struct rows *rows, const struct event *event)
{
	char text[sizeof config_arguments * (CONFIG_TEXT_MAX + 2)];
	struct launch_config config;
	size_t length = write_config(event, text);
	uint32_t before = intern_count(rows->configs);
	uint32_t at = intern_add(rows->configs, text, length);
	mem_grow(rows->config, (size_t)at + 1);
	if (at && at < before && rows->config[at] != NO_ROW)
		return rows->config[at];
	uint32_t id = read_config(rows, event, &config);
	bool as_read = memcmp(&rows->profile->configs[id], &config, sizeof config) == 0;
	rows->config[at] = as_read ? id : NO_ROW;
	return id;
}

/* The argument without a column KEY, or NULL. */
static const struct json_slice *other_argument(const struct event *event, const char *key)
{
	for (size_t i = 0; i < event->others; i++)
		if (json_equal(&event->other_key[i], key))
			return &event->other_value[i];
	return NULL;
}

enum activity_kind rows_task_kind(const struct event *event, const struct category *category)
{
	const char *key = category->task_key;
	const struct json_slice *name = key               ? other_argument(event, key)
					: event->has_name ? &event->name
							  : NULL;
	return name ? task_kind_find(category, name->text, name->length)
		    : (enum activity_kind)category->kind;
}

/* The size of a copy of a category with tasks. */
static int64_t task_bytes(struct rows *rows, const struct event *event)
{
	const struct category *category = rows_category(rows, event);
	const struct json_slice *size = category && category->task_bytes
						? other_argument(event, category->task_bytes)
						: NULL;
	int64_t bytes;
	return size && json_int(size, &bytes) && bytes >= 0 ? bytes : NO_VALUE;
}

/* What the name says of a copy or a launch, where arguments do not. */
static void add_details(struct rows *rows, const struct event *event, struct activity *activity)
{
	const struct category *category = rows_category(rows, event);
	struct launch_config config;
	struct name_details details;
	if (!category || !category->details || !event->has_name)
		return;
	const struct json_slice *id = other_argument(event, "id");
	if (id && activity->correlation == NO_VALUE)
		json_id(id, &activity->correlation);
	if (!rows_read_details(event, &details))
		return;
	if (activity->bytes == NO_VALUE && activity->kind != ACTIVITY_KERNEL)
		activity->bytes = details.bytes;
	if (activity->kind != ACTIVITY_KERNEL || !details.has_grid)
		return;
	read_config(rows, event, &config);
	memcpy(config.grid, details.grid, sizeof config.grid);
	memcpy(config.block, details.block, sizeof config.block);
	activity->config = builder_config(rows->builder, &config);
}

void rows_add_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
		       int64_t start, int64_t dur, uint64_t offset)
{
	struct activity activity = {
		.kind = kind,
		.track = rows_device_track(rows, event),
		.name = rows_event_name(rows, event, offset),
		.config = kind == ACTIVITY_KERNEL ? kineto_columns_add_config(rows, event) : NO_ROW,
		.start = start,
		.dur = dur,
		.correlation = argument_id(rows, event, ARGUMENT_CORRELATION),
		.external = argument_id(rows, event, ARGUMENT_EXTERNAL_ID),
		.bytes = argument_int(event, ARGUMENT_COPY_BYTES),
	};
	if (kind == ACTIVITY_MEMCPY && activity.bytes == NO_VALUE)
		activity.bytes = task_bytes(rows, event);
	add_details(rows, event, &activity);
	uint32_t row = builder_activity(rows->builder, &activity);
	add_activity_attributes(rows, event, row);
}

void rows_add_memory(struct rows *rows, const struct event *event, int64_t time)
{
	int64_t type = argument_int(event, ARGUMENT_DEVICE_TYPE);
	int64_t id = argument_int(event, ARGUMENT_DEVICE_ID);
	struct memory_event record = {
		.time = time,
		.address = argument_id(rows, event, ARGUMENT_ADDRESS),
		.bytes = argument_int(event, ARGUMENT_BYTES),
		.total_allocated = argument_int(event, ARGUMENT_TOTAL_ALLOCATED),
		.total_reserved = argument_int(event, ARGUMENT_TOTAL_RESERVED),
		.device_type = type >= 0 && type < 1024 ? (int16_t)type : 0,
		.device_id = id >= -1 && id < 1 << 20 ? (int32_t)id : -1,
		.track = rows_host_track(rows, event),
	};
	if (record.bytes == NO_VALUE)
		record.bytes = 0;
	builder_memory(rows->builder, &record);
}

/* A call stack sample, as strata exports them. */
void rows_add_sample(struct rows *rows, const struct event *event, int64_t time)
{
	struct stack_sample sample = { .time = time,
				       .track = rows_host_track(rows, event),
				       .frame = NO_ROW };
	buffer_clear(&rows->scratch);
	for (size_t i = 0; i < event->others; i++)
		if (json_equal(&event->other_key[i], SAMPLE_STACK) &&
		    event->other_value[i].type == JSON_STRING)
			json_unescape(&rows->scratch, &event->other_value[i]);
	const char *text = buffer_text(&rows->scratch), *end = text + rows->scratch.length;
	while (end > text) {
		const char *newline = platform_memrchr(text, '\n', (size_t)(end - text));
		const char *name = newline ? newline + 1 : text;
		sample.frame = builder_frame(
			rows->builder,
			intern_add(rows->profile->strings, name, (size_t)(end - name)),
			sample.frame);
		end = newline ? newline : text;
	}
	builder_sample(rows->builder, &sample);
}
