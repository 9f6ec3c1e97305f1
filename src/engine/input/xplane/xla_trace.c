/*
 * Chrome traces that XLA's profilers make of an XSpace (trace.json.gz, perfetto_trace.json.gz): its
 * planes are processes, its lines threads, its statistics arguments, mostly as texts.
 *
 * Names of processes and threads come before their events.
 */
#include "base/error.h"
#include "base/keyed.h"
#include "input/json_stream.h"
#include "input/readers.h"
#include "input/xplane/xplane_private.h"

/* A thread of the file; as a process: its first with TID NO_VALUE. */
struct xla_trace_lane {
	int64_t pid, tid;
	uint32_t name;
	struct xplane_line line;
	enum xplane_kind kind;
	int32_t device;
	bool used; /* LINE, KIND and DEVICE are set */
};

struct xla_trace_trace {
	struct xplane xplane;
	struct xla_trace_lane *lanes;
	struct keyed keys; /* process and thread of each lane */
	uint64_t complete; /* events with a duration */
};

/* ---- lanes ---- */

static uint32_t find_lane(struct xla_trace_trace *trace, int64_t pid, int64_t tid)
{
	const int64_t key[] = { pid, tid };
	struct xla_trace_lane *lane = keyed_item(&trace->keys, trace->lanes, &key);
	lane->pid = pid;
	lane->tid = tid;
	return (uint32_t)(lane - trace->lanes);
}

static void name_lane(struct xla_trace_trace *trace, const struct json_slice *event)
{
	struct json_slice what, args, name;
	if (!json_find(event, "name", &what) || !json_find(event, "args", &args) ||
	    !json_find_type(&args, "name", JSON_STRING, &name))
		return;
	bool is_process = json_equal(&what, "process_name");
	if (!is_process && !json_equal(&what, "thread_name"))
		return;
	uint32_t at = find_lane(trace, json_find_id(event, "pid"),
				is_process ? NO_VALUE : json_find_id(event, "tid"));
	trace->lanes[at].name = json_intern(&name, trace->xplane.profile->strings);
}

/* The plane of an event becomes the current one. */
static struct xla_trace_lane *lane_of(struct xla_trace_trace *trace, int64_t pid, int64_t tid)
{
	struct xplane *xplane = &trace->xplane;
	uint32_t process = find_lane(trace, pid, NO_VALUE), at = find_lane(trace, pid, tid);
	struct xla_trace_lane *lane = &trace->lanes[at];
	if (lane->used) {
		xplane->kind = lane->kind;
		xplane->device = lane->device;
		return lane;
	}
	xplane_begin_plane(xplane, profile_string(xplane->profile, trace->lanes[process].name));
	lane->line.id = (uint64_t)(tid == NO_VALUE ? 0 : tid);
	lane->line.name = lane->name;
	lane->kind = xplane->kind;
	lane->device = xplane->device;
	lane->used = true;
	xplane_begin_line(xplane, &lane->line);
	return lane;
}

/* ---- events ---- */

static void xla_trace_read_values(struct xla_trace_trace *trace, const struct json_slice *args,
				  struct xplane_values *values)
{
	for (struct json_members at = json_members(args); json_each(&at);) {
		const struct json_slice key = at.key, value = at.value;
		char name[32];
		if (key.length >= sizeof name)
			continue;
		memcpy(name, key.text, key.length);
		name[key.length] = 0;
		int known = xplane_known_stat(name);
		if (known < 0)
			continue;
		if (!json_id(&value, &values->number[known]))
			values->number[known] = NO_VALUE;
		if (value.type == JSON_STRING)
			values->text[known] = json_intern(&value, trace->xplane.profile->strings);
	}
}

static void xla_trace_add_event(struct xla_trace_trace *trace, const struct json_slice *object)
{
	struct xplane *xplane = &trace->xplane;
	struct xplane_event_kind kind = { 0 };
	struct xplane_event event = { .kind = &kind };
	struct json_slice value;
	if (!json_find(object, "ts", &value) || !json_time_ns(&value, &event.start)) {
		profile_skip(xplane->profile, "event without a valid time");
		return;
	}
	if (!json_find(object, "dur", &value) || !json_time_ns(&value, &event.dur) || event.dur < 0)
		event.dur = 0;
	struct xla_trace_lane *lane =
		lane_of(trace, json_find_id(object, "pid"), json_find_id(object, "tid"));
	trace->complete++;
	if (lane->line.use == XPLANE_SKIPPED)
		return;
	kind.name = json_find_text(object, "name", xplane->profile->strings);
	xplane_no_stats(&event.values);
	if (json_find_type(object, "args", JSON_OBJECT, &value))
		xla_trace_read_values(trace, &value, &event.values);
	xplane->events++;
	xplane_add_event(xplane, &lane->line, &event);
}

static void xla_trace_parse_event(void *context, struct stream *stream, const char *key)
{
	struct xla_trace_trace *trace = context;
	struct json_slice event, phase;
	if (!stream_record(stream, &event))
		return;
	if (event.type != JSON_OBJECT || !json_find(&event, "ph", &phase))
		return; /* the last one is empty */
	if (json_equal(&phase, "M"))
		name_lane(trace, &event);
	else if (json_equal(&phase, "X"))
		xla_trace_add_event(trace, &event);
}

static void xla_trace_parse_member(void *context, struct stream *stream, const char *key)
{
	if (strcmp(key, "traceEvents") == 0)
		stream_walk(stream, xla_trace_parse_event, context);
	else
		stream_skip(stream);
}

/* ---- the whole ---- */

enum { EVENTS_MAX = 1000000 }; /* XProf writes no more than this, of the longest */

static bool xla_trace_read_trace(struct input *input)
{
	struct stream stream = stream_of(input, "reading events");
	struct xla_trace_trace trace = { .xplane = xplane_begin(input->profile, input->builder,
								input->progress) };
	stream_walk(&stream, xla_trace_parse_member, &trace);
	input->profile->events = trace.xplane.events;
	xplane_add_host(&trace.xplane, ".trace.json");
	xplane_put_steps(&trace.xplane);
	xplane_note_unread(&trace.xplane);
	if (trace.complete >= EVENTS_MAX)
		xplane_add_fact(&trace.xplane, "incomplete",
				"a trace.json.gz has 1,000,000 events at most; xplane.pb has all");
	keyed_clear(&trace.keys);
	mem_free(trace.lanes);
	return stream_finish(&stream, input->profile) &&
	       (trace.complete ||
		error_input(input->error, "is a trace of XLA without events; record with "
					  "jax.profiler.trace() around work"));
}

/* A process is named like a plane: "/host:CPU" or "/device:TPU:0", nothing after. */
static bool xla_trace_recognize(const char *head, size_t length)
{
	static const char *const planes[] = { "\"/host:CPU\"", "\"/device:GPU:", "\"/device:TPU:" };
	if (!json_after(head, "{") || !strstr(head, "\"traceEvents\"") ||
	    !strstr(head, "\"process_name\""))
		return false;
	for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
		const char *at = strstr(head, planes[i]);
		if (!at)
			continue;
		at += strlen(planes[i]);
		if (at[-1] == '"' || at[strspn(at, "0123456789")] == '"')
			return true;
	}
	return false;
}

const struct reader xla_trace_reader = {
	.format = "trace of XLA (JSON)",
	.recognize = xla_trace_recognize,
	.read = xla_trace_read_trace,
};
