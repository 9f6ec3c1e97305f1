#include "input/timeline_rows.h"
#include "input/readers.h"

#include "base/hash.h"
#include "input/cuda/cuda_names.h"
#include "input/json_stream.h"

struct ort {
	struct profile *profile;
	struct builder *builder;
	struct hash *nodes; /* name as written → number of the node, the latest last */
	uint32_t node_count;
};

/* Operators have ids below -1, which are the reader's: kernels follow their node in the file. */
static int64_t node_id(uint32_t number)
{
	return -2 - (int64_t)number;
}

/* An event; slices without text are missing. */
struct onnxruntime_event {
	struct json_slice category, name, args;
	int64_t pid, tid, start, dur;
	bool complete; /* has times, and is of phase X */
};

/* ---- events ---- */

static void onnxruntime_read_event(struct onnxruntime_event *event, const struct json_slice *object)
{
	struct json_slice start, dur, phase;
	*event = (struct onnxruntime_event){ .pid = json_find_id(object, "pid"),
					     .tid = json_find_id(object, "tid") };
	if (!json_find_type(object, "cat", JSON_STRING, &event->category))
		event->category = (struct json_slice){ 0 };
	if (!json_find_type(object, "args", JSON_OBJECT, &event->args))
		event->args = (struct json_slice){ .type = JSON_WORD };
	if (json_find(object, "dur", &dur))
		json_time_ns(&dur, &event->dur);
	event->complete = json_find(object, "ts", &start) && json_time_ns(&start, &event->start) &&
			  json_find(object, "ph", &phase) && json_equal(&phase, "X") &&
			  json_find_type(object, "name", JSON_STRING, &event->name);
	event->dur = event->dur < 0 ? 0 : event->dur;
}

static uint32_t onnxruntime_thread_of(struct ort *ort, const struct onnxruntime_event *event)
{
	return builder_track(ort->builder, builder_process(ort->builder, event->pid, 0), event->tid,
			     0, -1);
}

/* ---- nodes ---- */

static bool onnxruntime_ends_with(const struct json_slice *name, const char *end)
{
	size_t length = strlen(end);
	return name->length >= length &&
	       memcmp(name->text + name->length - length, end, length) == 0;
}

/* [{"float":[1,8]},{"int64":[4]}] as shapes [[1,8],[4]] and types ["float","int64"]. */
static void parse_inputs(struct ort *ort, const struct onnxruntime_event *event,
			 struct op_info *info)
{
	struct json_slice list;
	AUTO_BUFFER struct buffer shapes = { 0 }, types = { 0 };
	if (!json_find_type(&event->args, "input_type_shape", JSON_ARRAY, &list))
		return;
	for (struct json_members at = json_members(&list); json_each(&at);) {
		struct json_members input = json_members(&at.value);
		if (at.value.type != JSON_OBJECT || !json_each(&input))
			continue;
		buffer_puts(&shapes, shapes.length ? "," : "[");
		json_compact(&shapes, &input.value);
		buffer_printf(&types, "%s\"", types.length ? "," : "[");
		json_unescape(&types, &input.key);
		buffer_putc(&types, '"');
	}
	if (shapes.length) {
		buffer_putc(&shapes, ']');
		buffer_putc(&types, ']');
		info->shapes = intern_add(ort->profile->strings, shapes.data, shapes.length);
		info->types = intern_add(ort->profile->strings, types.data, types.length);
	}
}

/* A node is a layer, in which its operator runs; its fences are waits of older versions. */
static void add_node(struct ort *ort, const struct onnxruntime_event *event)
{
	static const char kernel[] = "_kernel_time";
	struct json_slice name = event->name;
	if (onnxruntime_ends_with(&name, "_fence_before") ||
	    onnxruntime_ends_with(&name, "_fence_after"))
		return;
	hash_add(ort->nodes, json_intern(&name, ort->profile->strings), ort->node_count);
	if (onnxruntime_ends_with(&name, kernel))
		name.length -= sizeof kernel - 1;
	/* without arguments, the event has a word in their place */
	uint32_t op = json_find_text(&event->args, "op_name", ort->profile->strings);
	uint32_t node = op && !name.length ? op : json_intern(&name, ort->profile->strings);
	uint32_t provider = json_find_text(&event->args, "provider", ort->profile->strings),
		 track = onnxruntime_thread_of(ort, event);
	struct op_info info = { .forward_thread = NO_VALUE };
	parse_inputs(ort, event, &info);
	builder_span(ort->builder, SPAN_MODULE, track, node, event->start, event->dur, NO_ROW);
	uint32_t span = builder_span(
		ort->builder, SPAN_OPERATOR, track, op ? op : node, event->start, event->dur,
		builder_op_ids(ort->builder, node_id(ort->node_count++), NO_VALUE, &info));
	builder_span_text(ort->builder, span, "provider", provider);
}

/* ---- the rest ---- */

static int64_t argument_int(const struct onnxruntime_event *event, const char *name)
{
	struct json_slice value;
	int64_t number = NO_VALUE;
	if (json_find(&event->args, name, &value))
		json_int(&value, &number);
	return number;
}

static enum activity_kind onnxruntime_kind_of(const struct json_slice *name)
{
	return name->length >= 6 && strncasecmp(name->text, "memcpy", 6) == 0   ? ACTIVITY_MEMCPY
	       : name->length >= 6 && strncasecmp(name->text, "memset", 6) == 0 ? ACTIVITY_MEMSET
										: ACTIVITY_KERNEL;
}

static void onnxruntime_add_kernel(struct ort *ort, const struct onnxruntime_event *event)
{
	static const char *const grid[] = { "grid_x", "grid_y", "grid_z" };
	static const char *const block[] = { "block_x", "block_y", "block_z" };
	int64_t stream = argument_int(event, "stream");
	uint32_t node = json_find_text(&event->args, "parent_name", ort->profile->strings);
	uint32_t number = node ? hash_last(ort->nodes, node) : UINT32_MAX;
	struct launch_config config = launch_config_unknown();
	for (size_t i = 0; i < 3; i++) {
		config.grid[i] = cuda_small(argument_int(event, grid[i]));
		config.block[i] = cuda_small(argument_int(event, block[i]));
	}
	struct activity activity = activity_of(onnxruntime_kind_of(&event->name));
	activity.track = builder_track(ort->builder, builder_process(ort->builder, event->pid, 0),
				       stream == NO_VALUE ? event->tid : stream, 0, 0);
	activity.name = json_intern(&event->name, ort->profile->strings);
	activity.config = config.grid[0] < 0 ? NO_ROW : builder_config(ort->builder, &config);
	activity.start = event->start;
	activity.dur = event->dur;
	activity.external = number == UINT32_MAX ? NO_VALUE : node_id(number);
	uint32_t row = builder_activity(ort->builder, &activity);
	builder_activity_text(ort->builder, row, "parent_name", node);
}

/* A run of the model is a step; what else a session does is not part of the layers. */
static void onnxruntime_add_span(struct ort *ort, const struct onnxruntime_event *event)
{
	bool run = json_equal(&event->name, "model_run");
	bool call = json_equal(&event->category, "Api");
	uint32_t category = json_intern(&event->category, ort->profile->strings);
	uint32_t span = builder_span(ort->builder,
				     run    ? SPAN_ANNOTATION
				     : call ? SPAN_RUNTIME
					    : SPAN_OTHER,
				     onnxruntime_thread_of(ort, event),
				     json_intern(&event->name, ort->profile->strings), event->start,
				     event->dur, run || call ? NO_ROW : category);
	builder_span_attribute(ort->builder, span, profile_intern(ort->profile, NVTX_DOMAIN),
			       category);
}

static void onnxruntime_parse_event(void *context, struct stream *stream, const char *key)
{
	struct ort *ort = context;
	struct json_slice object;
	struct onnxruntime_event event;
	if (!stream_record(stream, &object))
		return;
	if (object.type != JSON_OBJECT) {
		profile_skip(ort->profile, "event that is no object");
		return;
	}
	onnxruntime_read_event(&event, &object);
	if (!event.complete)
		profile_skip(ort->profile, "event without a name or valid time");
	else if (json_equal(&event.category, "Node"))
		add_node(ort, &event);
	else if (json_equal(&event.category, "Kernel"))
		onnxruntime_add_kernel(ort, &event);
	else
		onnxruntime_add_span(ort, &event);
}

static bool read_profile(struct input *input)
{
	struct stream stream = stream_of(input, "reading events");
	struct ort ort = { .profile = input->profile,
			   .builder = input->builder,
			   .nodes = hash_new(0) };
	stream_walk(&stream, onnxruntime_parse_event, &ort);
	input->profile->events = stream.records;
	hash_free(ort.nodes);
	return stream_finish(&stream, input->profile);
}

/* The first event is of a category that no other writer uses. */
static bool onnxruntime_recognize(const char *head, size_t length)
{
	const char *at = json_after(head, "[{");
	if (!at)
		return false;
	struct json_slice object = { .text = at - 1,
				     .length = length - (size_t)(at - 1 - head),
				     .type = JSON_OBJECT };
	for (struct json_members each = json_members(&object); json_each(&each);)
		if (json_equal(&each.key, "cat") &&
		    (json_equal(&each.value, "Session") || json_equal(&each.value, "Node")))
			return true;
	return false;
}

const struct reader onnxruntime_reader = { .format = "ONNX Runtime profile (JSON)",
					   .recognize = onnxruntime_recognize,
					   .read = read_profile,
					   .empty = "is an ONNX Runtime profile without events" };
