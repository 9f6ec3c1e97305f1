#include "input/kineto_rows.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "input/category.h"
#include "input/lane_names.h"

#include <math.h>
#include <string.h>

struct rows {
	bool apart;			/* a part of a profile, rows_keep_apart */
	bool refused;			/* something in a part that cannot be */
	struct profile *profile;
	struct builder *builder;
	struct intern *raw;		/* texts that have to be changed before they are kept… */
	uint32_t *cooked;		/* …and what became of each; NO_ROW: not yet */
	size_t cooked_cap;
	struct buffer scratch;
	struct { uint32_t name; const struct category *category; } category_cache[8];
	struct lane_names names;
	struct hash *begun;		/* asynchronous begin events by id */
	uint32_t *open;			/* spans begun on a track and not ended: a stack of rows… */
	uint32_t *open_below;		/* …each with the one below it */
	size_t open_count, open_cap, open_below_cap;
	uint32_t *top;			/* by track */
	size_t top_cap;
};

struct rows *rows_new(struct profile *profile, struct builder *builder)
{
	struct rows *rows = mem_zalloc(1, sizeof *rows);
	rows->profile = profile;
	rows->builder = builder;
	rows->raw = intern_new();
	rows->begun = hash_new(16);
	return rows;
}

void rows_keep_apart(struct rows *rows)
{
	rows->apart = true;
}

void rows_free(struct rows *rows)
{
	if (!rows)
		return;
	intern_free(rows->raw);
	hash_free(rows->begun);
	mem_free(rows->cooked);
	lane_names_clear(&rows->names);
	mem_free(rows->open);
	mem_free(rows->open_below);
	mem_free(rows->top);
	buffer_free(&rows->scratch);
	mem_free(rows);
}

/* ---- text ---- */

/* Texts that need work (escapes, blanks in arrays) are worked on once each, found by their bytes. */
static uint32_t cook(struct rows *rows, const struct json_slice *slice)
{
	uint32_t before = intern_count(rows->raw);
	uint32_t raw = intern_add(rows->raw, slice->text, slice->length);
	mem_grow(rows->cooked, rows->cooked_cap, (size_t)raw + 1);
	if (raw < before && raw != 0)
		return rows->cooked[raw];
	buffer_clear(&rows->scratch);
	if (slice->type == JSON_STRING)
		json_unescape(&rows->scratch, slice);
	else
		json_compact(&rows->scratch, slice);
	return rows->cooked[raw] = intern_add(rows->profile->strings,
					      buffer_text(&rows->scratch),
					      rows->scratch.length);
}

static uint32_t keep_text(struct rows *rows, const struct json_slice *slice)
{
	bool as_is = slice->type == JSON_STRING ? !slice->escaped
						: slice->type == JSON_NUMBER ||
							  slice->type == JSON_WORD;
	return as_is ? intern_add(rows->profile->strings, slice->text, slice->length)
		     : cook(rows, slice);
}

static uint32_t argument_text(struct rows *rows, const struct event *event,
			      enum event_argument argument)
{
	const struct json_slice *slice = event_argument(event, argument);
	return slice ? keep_text(rows, slice) : 0;
}

static int64_t argument_int(const struct event *event, enum event_argument argument)
{
	const struct json_slice *slice = event_argument(event, argument);
	int64_t value;
	return slice && json_int(slice, &value) ? value : NO_VALUE;
}

static float argument_real(const struct event *event, enum event_argument argument)
{
	const struct json_slice *slice = event_argument(event, argument);
	double value;
	return slice && json_real(slice, &value) && isfinite(value) ? (float)value : NAN;
}

/* The event's name; control bytes in a name that is new are counted. */
static uint32_t event_name(struct rows *rows, const struct event *event, uint64_t offset)
{
	if (!event->has_name)
		return 0;
	uint32_t before = intern_count(rows->profile->strings);
	uint32_t name = keep_text(rows, &event->name);
	if (name < before)
		return name;
	for (size_t i = 0; i < event->name.length; i++) {
		if ((unsigned char)event->name.text[i] < 0x20) {
			/* Whether it is new to the whole is not known here. */
			rows->refused |= rows->apart;
			profile_damage(rows->profile, "control byte in a name", "kept", offset);
			break;
		}
	}
	return name;
}

/* ---- lanes ---- */

/* A pid or tid: a number, or a text that is kept as a label. */
static void read_identity(struct rows *rows, const struct json_slice *slice, int64_t *number,
			  uint32_t *label)
{
	*number = NO_VALUE;
	*label = 0;
	if (!slice->text || json_int(slice, number))
		return;
	*label = keep_text(rows, slice);
}

/* "stream 7" */
static int64_t trailing_number(const char *text)
{
	const char *digits = text + strlen(text);
	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	struct json_slice slice = { digits, strlen(digits), JSON_NUMBER, false };
	int64_t value;
	return json_int(&slice, &value) ? value : NO_VALUE;
}

static uint32_t find_host_track(struct rows *rows, const struct event *event)
{
	int64_t pid, tid;
	uint32_t pid_label, tid_label;
	read_identity(rows, &event->pid, &pid, &pid_label);
	read_identity(rows, &event->tid, &tid, &tid_label);
	uint32_t process = builder_process(rows->builder, pid, pid_label);
	return builder_track(rows->builder, process, tid, tid_label, -1);
}

static uint32_t host_track(struct rows *rows, const struct event *event)
{
	struct event_memo *memo = event->memo;
	if (!memo)
		return find_host_track(rows, event);
	if (memo->host_track == NO_ROW)
		memo->host_track = find_host_track(rows, event);
	return memo->host_track;
}

/* The device lane of an event: its arguments say which, else its pid and tid. */
static uint32_t find_device_track(struct rows *rows, const struct event *event)
{
	int64_t pid, tid, device = argument_int(event, ARGUMENT_DEVICE);
	uint32_t pid_label, tid_label;
	read_identity(rows, &event->pid, &pid, &pid_label);
	read_identity(rows, &event->tid, &tid, &tid_label);
	uint32_t process = builder_process(rows->builder, pid, pid_label);
	if (device == NO_VALUE || device < INT32_MIN || device > INT32_MAX)
		device = rows->profile->processes[process].pid;
	if (device == NO_VALUE || device < -1 || device > INT32_MAX)
		device = 0;
	if (tid == NO_VALUE)
		tid = tid_label ? trailing_number(profile_string(rows->profile, tid_label))
				: argument_int(event, ARGUMENT_STREAM);
	/* A lane of device -1 would be a host thread: a negative ordinal counts as the first. */
	return builder_track(rows->builder, process, tid, tid_label,
			     device < 0 ? 0 : (int32_t)device);
}

static uint32_t device_track(struct rows *rows, const struct event *event)
{
	struct event_memo *memo = event->memo;
	if (!memo)
		return find_device_track(rows, event);
	if (memo->device_track == NO_ROW)
		memo->device_track = find_device_track(rows, event);
	return memo->device_track;
}

/* ---- rows ---- */

/* The interned key of the Ith argument without a column. */
static uint32_t other_key(struct rows *rows, const struct event *event, uint32_t i)
{
	struct event_memo *memo = event->memo;
	if (!memo || i >= sizeof memo->other_key / sizeof *memo->other_key)
		return keep_text(rows, &event->other_key[i]);
	if (i >= memo->other_keys) {
		memo->other_key[i] = keep_text(rows, &event->other_key[i]);
		memo->other_keys = i + 1;
	}
	return memo->other_key[i];
}

static void add_span_attributes(struct rows *rows, const struct event *event, uint32_t span)
{
	for (uint32_t i = 0; i < event->others; i++) {
		uint32_t key = other_key(rows, event, i);
		builder_span_attribute(rows->builder, span, key,
				       keep_text(rows, &event->other_value[i]));
	}
}

static void add_activity_attributes(struct rows *rows, const struct event *event, uint32_t row)
{
	for (uint32_t i = 0; i < event->others; i++) {
		uint32_t key = other_key(rows, event, i);
		builder_activity_attribute(rows->builder, row, key,
					   keep_text(rows, &event->other_value[i]));
	}
}

static uint32_t add_op_info(struct rows *rows, const struct event *event)
{
	static const uint64_t used =
		UINT64_C(1) << ARGUMENT_EXTERNAL_ID | UINT64_C(1) << ARGUMENT_SEQUENCE |
		UINT64_C(1) << ARGUMENT_SHAPES | UINT64_C(1) << ARGUMENT_TYPES |
		UINT64_C(1) << ARGUMENT_STRIDES | UINT64_C(1) << ARGUMENT_CONCRETE |
		UINT64_C(1) << ARGUMENT_STACK | UINT64_C(1) << ARGUMENT_HIERARCHY |
		UINT64_C(1) << ARGUMENT_FORWARD_THREAD;
	if (!(event->have & used))
		return NO_ROW;
	struct op_info info = {
		.external_id = argument_int(event, ARGUMENT_EXTERNAL_ID),
		.sequence = argument_int(event, ARGUMENT_SEQUENCE),
		.forward_thread = argument_int(event, ARGUMENT_FORWARD_THREAD),
		.shapes = argument_text(rows, event, ARGUMENT_SHAPES),
		.types = argument_text(rows, event, ARGUMENT_TYPES),
		.strides = argument_text(rows, event, ARGUMENT_STRIDES),
		.concrete = argument_text(rows, event, ARGUMENT_CONCRETE),
		.stack = argument_text(rows, event, ARGUMENT_STACK),
		.hierarchy = argument_text(rows, event, ARGUMENT_HIERARCHY),
	};
	return builder_op_info(rows->builder, &info);
}

static uint32_t add_call_info(struct rows *rows, const struct event *event)
{
	struct call_info info = {
		.correlation = argument_int(event, ARGUMENT_CORRELATION),
		.external_id = argument_int(event, ARGUMENT_EXTERNAL_ID),
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
 * nn.Module calls are Python functions with a module id or a telling name; PyTorch Lightning marks
 * them itself, as operators in old versions and as annotations in new ones.
 */
static enum span_kind refine_kind(const struct event *event, enum span_kind kind)
{
	bool is_module = false;
	if (kind == SPAN_PYTHON)
		is_module = event->have >> ARGUMENT_MODULE_ID & 1 ||
			    name_starts(event, "nn.Module: ");
	else if (kind == SPAN_OPERATOR || kind == SPAN_ANNOTATION)
		is_module = name_starts(event, "[pl][module]");
	if (is_module)
		return SPAN_MODULE;
	return kind == SPAN_OPERATOR && name_starts(event, "[pl][profile]") ? SPAN_ANNOTATION
									      : kind;
}

static uint32_t add_span(struct rows *rows, const struct event *event, enum span_kind kind,
			 int64_t start, int64_t dur, uint64_t offset)
{
	uint32_t info = NO_ROW;
	kind = refine_kind(event, kind);
	if (kind == SPAN_OPERATOR || kind == SPAN_ANNOTATION)
		info = add_op_info(rows, event);
	else if (kind == SPAN_RUNTIME)
		info = add_call_info(rows, event);
	else if (kind == SPAN_OTHER || kind == SPAN_INSTANT)
		info = event->has_cat ? keep_text(rows, &event->cat) : 0;
	uint32_t track = kind == SPAN_GPU_ANNOTATION ? device_track(rows, event)
						     : host_track(rows, event);
	uint32_t span = builder_span(rows->builder, kind, track, event_name(rows, event, offset),
				     start, dur, info);
	add_span_attributes(rows, event, span);
	return span;
}

/* Like [1,2,3], blanks allowed; false when it is any other way. */
static bool read_plain_triple(const struct json_slice *slice, int32_t triple[3])
{
	const char *at = slice->text + 1, *end = slice->text + slice->length;
	for (int i = 0; i < 3; i++) {
		while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
			at++;
		const char *start = at;
		int32_t number = 0;
		for (; *at >= '0' && *at <= '9' && at - start < 9; at++)
			number = number * 10 + (*at - '0');
		while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
			at++;
		if (at == start || *at != (i < 2 ? ',' : ']'))
			return false;
		triple[i] = number;
		at++;
	}
	return at == end;
}

static void read_triple(const struct event *event, enum event_argument argument,
			int32_t triple[3])
{
	const struct json_slice *slice = event_argument(event, argument);
	triple[0] = triple[1] = triple[2] = -1;
	if (!slice || slice->type != JSON_ARRAY)
		return;
	int32_t plain[3];
	if (read_plain_triple(slice, plain)) {
		memcpy(triple, plain, sizeof plain);
		return;
	}
	struct json_cursor cursor;
	struct json_slice key, value;
	json_enter(&cursor, slice);
	for (int i = 0; i < 3 && json_member(&cursor, &key, &value); i++) {
		int64_t number;
		if (json_int(&value, &number) && number >= 0 && number <= INT32_MAX)
			triple[i] = (int32_t)number;
	}
}

static uint32_t add_config(struct rows *rows, const struct event *event)
{
	struct launch_config config;
	memset(&config, 0, sizeof config);	/* compared as bytes */
	read_triple(event, ARGUMENT_GRID, config.grid);
	read_triple(event, ARGUMENT_BLOCK, config.block);
	int64_t regs = argument_int(event, ARGUMENT_REGISTERS);
	int64_t shared = argument_int(event, ARGUMENT_SHARED_MEMORY);
	config.regs_per_thread = regs >= 0 && regs <= INT32_MAX ? (int32_t)regs : -1;
	config.shared_mem_bytes = shared >= 0 ? shared : -1;
	config.blocks_per_sm = argument_real(event, ARGUMENT_BLOCKS_PER_SM);
	config.warps_per_sm = argument_real(event, ARGUMENT_WARPS_PER_SM);
	config.occupancy_pct = argument_real(event, ARGUMENT_OCCUPANCY);
	return builder_config(rows->builder, &config);
}

static void add_activity(struct rows *rows, const struct event *event, enum activity_kind kind,
			 int64_t start, int64_t dur, uint64_t offset)
{
	struct activity activity = {
		.kind = kind,
		.track = device_track(rows, event),
		.name = event_name(rows, event, offset),
		.config = kind == ACTIVITY_KERNEL ? add_config(rows, event) : NO_ROW,
		.start = start,
		.dur = dur,
		.correlation = argument_int(event, ARGUMENT_CORRELATION),
		.external = argument_int(event, ARGUMENT_EXTERNAL_ID),
		.bytes = argument_int(event, ARGUMENT_COPY_BYTES),
	};
	uint32_t row = builder_activity(rows->builder, &activity);
	add_activity_attributes(rows, event, row);
}

static void add_memory(struct rows *rows, const struct event *event, int64_t time)
{
	int64_t type = argument_int(event, ARGUMENT_DEVICE_TYPE);
	int64_t id = argument_int(event, ARGUMENT_DEVICE_ID);
	struct memory_event record = {
		.time = time,
		.address = argument_int(event, ARGUMENT_ADDRESS),
		.bytes = argument_int(event, ARGUMENT_BYTES),
		.total_allocated = argument_int(event, ARGUMENT_TOTAL_ALLOCATED),
		.total_reserved = argument_int(event, ARGUMENT_TOTAL_RESERVED),
		.device_type = type >= 0 && type < 1024 ? (int32_t)type : 0,
		.device_id = id >= -1 && id < 1 << 20 ? (int32_t)id : -1,
		.track = host_track(rows, event),
	};
	if (record.bytes == NO_VALUE)
		record.bytes = 0;
	builder_memory(rows->builder, &record);
}

/* ---- phases ---- */

static const struct category *look_up_category(struct rows *rows, const struct event *event)
{
	uint32_t name = keep_text(rows, &event->cat);
	unsigned slot = name % (sizeof rows->category_cache / sizeof *rows->category_cache);
	if (rows->category_cache[slot].name != name || !name) {
		rows->category_cache[slot].name = name;
		rows->category_cache[slot].category =
			category_find(event->cat.text, event->cat.length);
	}
	return rows->category_cache[slot].category;
}

static const struct category *find_category(struct rows *rows, const struct event *event)
{
	struct event_memo *memo = event->memo;
	if (!event->has_cat)
		return NULL;
	if (!memo)
		return look_up_category(rows, event);
	if (!memo->has_category) {
		memo->category = look_up_category(rows, event);
		memo->has_category = true;
	}
	return memo->category;
}

/* The oldest writer gave no category but told processes apart by what they do. */
static const struct category *legacy_category(const struct event *event)
{
	if (event->has_cat || event->pid.type != JSON_STRING || !event->pid.text)
		return NULL;
	if (json_equal(&event->pid, "CPU functions") || json_equal(&event->pid, "CPU Functions"))
		return category_find("cpu_op", 6);
	if (json_equal(&event->pid, "CUDA functions") || json_equal(&event->pid, "GPU functions"))
		return category_find("kernel", 6);
	return NULL;
}

static int64_t duration_of(struct rows *rows, const struct event *event, uint64_t offset)
{
	int64_t dur;
	if (!event->has_dur) {
		profile_damage(rows->profile, "duration missing", "read as 0", offset);
		return 0;
	}
	if (!json_time_ns(&event->dur, &dur)) {
		profile_damage(rows->profile, "duration is not a number", "read as 0", offset);
		return 0;
	}
	if (dur < 0) {
		profile_damage(rows->profile, "negative duration", "read as 0", offset);
		return 0;
	}
	return dur;
}

/* Is this what was asked to be left out? */
static bool is_left_out(const struct rows *rows, const struct event *event,
			const struct category *category)
{
	return rows->profile->no_python && category->kind == SPAN_PYTHON &&
	       refine_kind(event, SPAN_PYTHON) == SPAN_PYTHON;
}

static void add_complete(struct rows *rows, const struct event *event, int64_t start,
			 uint64_t offset)
{
	const struct category *category = find_category(rows, event);
	if (!category)
		category = legacy_category(event);
	int64_t dur = duration_of(rows, event, offset);
	if (!event->has_name)
		profile_damage(rows->profile, "name missing", "kept without", offset);
	if (category && category->lane == LANE_ACTIVITY)
		add_activity(rows, event, (enum activity_kind)category->kind, start, dur, offset);
	else if (!category || category->lane != LANE_SPAN)
		add_span(rows, event, SPAN_OTHER, start, dur, offset);
	else if (!is_left_out(rows, event, category))
		add_span(rows, event, (enum span_kind)category->kind, start, dur, offset);
}

static void add_instant(struct rows *rows, const struct event *event, int64_t time,
			uint64_t offset)
{
	if (event->has_name && json_equal(&event->name, "[memory]"))
		add_memory(rows, event, time);
	else
		add_span(rows, event, SPAN_INSTANT, time, 0, offset);
}

/* ---- begin and end ---- */

static enum span_kind category_span_kind(struct rows *rows, const struct event *event)
{
	const struct category *category = find_category(rows, event);
	return category && category->lane == LANE_SPAN ? (enum span_kind)category->kind
						       : SPAN_OTHER;
}

static uint32_t *track_top(struct rows *rows, uint32_t track)
{
	size_t had = rows->top_cap;
	mem_grow(rows->top, rows->top_cap, (size_t)track + 1);
	for (size_t i = had; i < rows->top_cap; i++)
		rows->top[i] = NO_ROW;
	return &rows->top[track];
}

/* B: open a span; its duration stays open until the E of the same lane. */
static void begin_span(struct rows *rows, const struct event *event, int64_t time,
		       uint64_t offset)
{
	uint32_t span = add_span(rows, event, category_span_kind(rows, event), time, -1, offset);
	uint32_t *top = track_top(rows, host_track(rows, event));
	mem_grow(rows->open, rows->open_cap, rows->open_count + 1);
	mem_grow(rows->open_below, rows->open_below_cap, rows->open_count + 1);
	rows->open[rows->open_count] = span;
	rows->open_below[rows->open_count] = *top;
	*top = (uint32_t)rows->open_count++;
}

static void end_span(struct rows *rows, const struct event *event, int64_t time, uint64_t offset)
{
	uint32_t *top = track_top(rows, host_track(rows, event));
	if (*top == NO_ROW) {
		profile_damage(rows->profile, "end without a begin", "skipped", offset);
		return;
	}
	builder_span_end(rows->builder, rows->open[*top], time);
	*top = rows->open_below[*top];
}

/* Asynchronous spans (b … e) are paired by category, id and name. */
static uint64_t async_key(struct rows *rows, const struct event *event)
{
	uint64_t id = event->has_id ? keep_text(rows, &event->id) : 0;
	uint64_t name = event->has_name ? keep_text(rows, &event->name) : 0;
	return hash_pair(hash_pair(id, name), host_track(rows, event));
}

static void begin_async(struct rows *rows, const struct event *event, int64_t time,
			uint64_t offset)
{
	hash_add(rows->begun, async_key(rows, event),
		 add_span(rows, event, category_span_kind(rows, event), time, -1, offset));
}

static void end_async(struct rows *rows, const struct event *event, int64_t time, uint64_t offset)
{
	uint32_t last = hash_last(rows->begun, async_key(rows, event));
	if (last == NO_ROW)
		profile_damage(rows->profile, "end without a begin", "skipped", offset);
	else
		builder_span_end(rows->builder, last, time);
}

/* ---- flows, counters, names ---- */

static void add_flow(struct rows *rows, const struct event *event, int64_t time)
{
	const struct category *category = find_category(rows, event);
	struct flow flow = {
		.time = time,
		.kind = category && category->lane == LANE_FLOW ? (uint8_t)category->kind
								: FLOW_OTHER,
		.start = event->phase == 's',
		.track = NO_ROW,
	};
	/* Launches are linked by correlation id: their arrows, most of all flows, say nothing more. */
	if (flow.kind == FLOW_LAUNCH || !event->has_id)
		return;
	if (!json_int(&event->id, &flow.id)) {
		flow.id = keep_text(rows, &event->id);
		rows->refused |= rows->apart;	/* the text has another number in the whole */
	}
	flow.track = host_track(rows, event);
	builder_flow(rows->builder, &flow);
}

static void add_counter(struct rows *rows, const struct event *event, int64_t time,
			uint64_t offset)
{
	struct counter counter = {
		.time = time,
		.track = host_track(rows, event),
		.name = event_name(rows, event, offset),
	};
	for (size_t i = 0; i < event->others; i++) {
		if (!json_real(&event->other_value[i], &counter.value))
			continue;
		counter.series = keep_text(rows, &event->other_key[i]);
		builder_counter(rows->builder, &counter);
	}
}

static void add_naming(struct rows *rows, const struct event *event)
{
	bool is_process = json_equal(&event->name, "process_name");
	bool is_thread = json_equal(&event->name, "thread_name");
	bool is_order = json_equal(&event->name, "thread_sort_index");
	if (!is_process && !is_thread && !is_order)
		return;
	int64_t pid, tid;
	uint32_t pid_label, tid_label;
	read_identity(rows, &event->pid, &pid, &pid_label);
	read_identity(rows, &event->tid, &tid, &tid_label);
	lane_names_add(&rows->names, &(struct lane_name){
		.process = builder_process(rows->builder, pid, pid_label),
		.tid = is_process ? NO_VALUE : tid,
		.tid_label = is_process ? 0 : tid_label,
		.text = argument_text(rows, event, ARGUMENT_NAME),
		.sort_index = is_order ? argument_int(event, ARGUMENT_SORT_INDEX) : NO_VALUE,
	});
}

/* ---- entry points ---- */

static bool is_timed(char phase)
{
	return phase != 'M' && phase != 0;
}

static void count_damage(struct rows *rows, const struct event *event, uint64_t offset)
{
	if (event->duplicates)
		profile_damage_many(rows->profile, "the same key twice in an event",
				    "the last one kept", offset, event->duplicates);
	if (event->bare_word)
		profile_damage(rows->profile, "bare word where a value belongs",
			       "read as missing", offset);
	if (event->args_not_object)
		profile_damage(rows->profile, "args is not an object", "skipped", offset);
}

static void add_by_phase(struct rows *rows, const struct event *event, int64_t time,
			 uint64_t offset)
{
	switch (event->phase) {
	case 'X': add_complete(rows, event, time, offset); break;
	case 'i': case 'I': case 'R': case 'n': add_instant(rows, event, time, offset); break;
	case 'B': begin_span(rows, event, time, offset); break;
	case 'E': end_span(rows, event, time, offset); break;
	case 'b': case 'S': begin_async(rows, event, time, offset); break;
	case 'e': case 'F': end_async(rows, event, time, offset); break;
	case 's': case 'f': add_flow(rows, event, time); break;
	case 'C': add_counter(rows, event, time, offset); break;
	case 'M': add_naming(rows, event); break;
	case 't': case 'T': case 'P': case 'N': case 'O': case 'D': case 'v': case 'c': break;
	default:
		profile_damage(rows->profile, "unknown phase", "skipped", offset);
	}
}

/* Pairs and names of lanes are for the whole. */
static bool needs_others(char phase)
{
	return phase == 'B' || phase == 'E' || phase == 'b' || phase == 'e' || phase == 'S' ||
	       phase == 'F' || phase == 'M';
}

bool rows_add_event(struct rows *rows, const struct event *event, uint64_t offset)
{
	int64_t time = 0;
	rows->refused |= rows->apart && needs_others(event->phase);
	if (rows->refused)
		return false;
	rows->profile->events++;
	count_damage(rows, event, offset);
	if (!event->phase)
		profile_damage(rows->profile, "object without a phase among the events",
			       "skipped", offset);
	else if (is_timed(event->phase) &&
		 (!event->has_ts || !json_time_ns(&event->ts, &time)))
		profile_damage(rows->profile, "event without a usable time", "skipped", offset);
	else
		add_by_phase(rows, event, time, offset);
	return !rows->refused;
}

void rows_finish(struct rows *rows)
{
	lane_names_apply(&rows->names, rows->profile);
}
