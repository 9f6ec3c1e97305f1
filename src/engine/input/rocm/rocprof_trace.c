/*
 * Chrome traces of rocprof (--hip-trace, --hsa-trace: results.json): processes are kinds of events,
 * numbers are texts, and arrows lead from the middle of a call to the work that it launched.
 */
#include "base/hash.h"
#include "input/json_stream.h"
#include "input/nvtx/nvtx.h"
#include "input/rocm/rocm.h"
#include "input/readers.h"
#include "input/text_lines.h"

#include <stdlib.h>

enum rocprof_trace_lane { ROCPROF_LANE_ROWS(LISTED) };

struct rocprof_trace_trace {
	struct profile *profile;
	struct builder *builder;
	struct nvtx *nvtx;
	struct hash *lanes;  /* pid → lane | device << 8 */
	struct hash *calls;  /* middle of a call → index of its call_info */
	struct hash *work;   /* start of work → activity */
	struct hash *arrows; /* id → index of call_info */
};

/* An event of the file; times in ns, AT and LAST in the microseconds of arrows. */
struct rocprof_trace_record {
	struct json_slice args;
	uint32_t name;
	int64_t pid, tid; /* of the file: a lane */
	int64_t process, thread, device, queue, stream;
	int64_t start, end, at, last;
};

/* ---- values ---- */

static struct rocprof_trace_record read_record(struct rocprof_trace_trace *trace,
					       const struct json_slice *event)
{
	struct rocprof_trace_record record = { .name = json_find_text(event, "name",
								      trace->profile->strings),
					       .pid = json_find_id(event, "pid"),
					       .tid = json_find_id(event, "tid"),
					       .at = json_find_id(event, "ts") };
	int64_t dur = json_find_id(event, "dur");
	if (!json_find(event, "args", &record.args))
		record.args.type = JSON_WORD;
	if (record.at == NO_VALUE || __builtin_add_overflow(record.at, dur, &record.last))
		record.last = NO_VALUE;
	record.start = json_find_id(&record.args, "BeginNs");
	record.end = json_find_id(&record.args, "EndNs");
	record.process = json_find_id(&record.args, "pid");
	record.thread = json_find_id(&record.args, "tid");
	record.device = json_find_id(&record.args, "dev-id");
	record.queue = json_find_id(&record.args, "queue-id");
	record.stream = json_find_id(&record.args, "stream-id");
	return record;
}

static uint64_t rocprof_trace_place(int64_t pid, int64_t tid, int64_t at)
{
	return hash_pair(hash_pair((uint64_t)pid, (uint64_t)tid), (uint64_t)at);
}

/* ---- lanes ---- */

static void name_lane(struct rocprof_trace_trace *trace, const struct json_slice *event)
{
	static const struct {
		const char *prefix;
		enum rocprof_trace_lane lane;
	} lanes[] = { ROCPROF_LANE_NAME_ROWS };
	struct json_slice args;
	int64_t pid = json_find_id(event, "pid");
	if (!json_find_type(event, "args", JSON_OBJECT, &args))
		return;
	const char *name = profile_string(trace->profile,
					  json_find_text(&args, "name", trace->profile->strings));
	for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
		size_t length = strlen(lanes[i].prefix);
		if (strncmp(name, lanes[i].prefix, length) != 0)
			continue;
		unsigned long device = strtoul(name + length, NULL, 10);
		hash_add(trace->lanes, (uint64_t)pid,
			 (uint32_t)lanes[i].lane | (uint32_t)(device & 0xffff) << 8);
		return;
	}
}

/* ---- events ---- */

static void rocprof_trace_add_call(struct rocprof_trace_trace *trace,
				   const struct rocprof_trace_record *record,
				   enum rocprof_trace_lane lane, int64_t dur)
{
	struct profile *profile = trace->profile;
	struct rocm_range range = {
		.track = builder_track(trace->builder,
				       builder_process(trace->builder, record->process, 0),
				       record->thread, 0, -1),
		.name = record->name,
		.start = record->start,
		.dur = dur,
		.correlation = NO_VALUE,
	};
	if (lane == LANE_MARKERS) {
		rocm_add_range(trace->builder, profile, trace->nvtx, &range);
		return;
	}
	struct call_info info = { NO_VALUE, NO_VALUE };
	uint32_t call = builder_call_info(trace->builder, &info);
	builder_span(trace->builder, SPAN_RUNTIME, range.track, range.name, range.start, dur, call);
	if (record->last != NO_VALUE)
		hash_add(trace->calls,
			 rocprof_trace_place(record->pid, record->tid,
					     record->at + (record->last - record->at) / 2),
			 call);
}

static void rocprof_trace_add_work(struct rocprof_trace_trace *trace,
				   const struct rocprof_trace_record *record, uint32_t lane,
				   int64_t dur)
{
	bool copy = (lane & 0xff) == LANE_COPIES;
	int64_t device = record->device != NO_VALUE ? record->device : (int64_t)(lane >> 8);
	struct activity activity = activity_of(copy                             ? ACTIVITY_MEMCPY
					       : (lane & 0xff) == LANE_BARRIERS ? ACTIVITY_SYNC
										: ACTIVITY_KERNEL);
	activity.track =
		builder_track(trace->builder, builder_process(trace->builder, record->process, 0),
			      record->stream != NO_VALUE ? record->stream : record->queue, 0,
			      rocm_device(device));
	activity.name =
		copy ? rocm_copy_name(trace->profile, profile_string(trace->profile, record->name),
				      ROCM_UNKNOWN, ROCM_UNKNOWN)
		     : record->name;
	activity.start = record->start;
	activity.dur = dur;
	uint32_t row = builder_activity(trace->builder, &activity);
	hash_add(trace->work, rocprof_trace_place(record->pid, record->tid, record->at), row);
}

static void rocprof_trace_add_event(struct rocprof_trace_trace *trace,
				    const struct json_slice *event)
{
	struct rocprof_trace_record record = read_record(trace, event);
	uint32_t lane = hash_first(trace->lanes, (uint64_t)record.pid);
	int64_t dur;
	if (!rocm_times(trace->profile, record.start, record.end, &dur))
		return;
	switch (lane == NO_ROW ? LANE_UNKNOWN : lane & 0xff) {
	case LANE_CALLS: rocprof_trace_add_call(trace, &record, LANE_CALLS, dur); break;
	case LANE_MARKERS: rocprof_trace_add_call(trace, &record, LANE_MARKERS, dur); break;
	case LANE_COPIES:
	case LANE_BARRIERS:
	case LANE_KERNELS: rocprof_trace_add_work(trace, &record, lane, dur); break;
	default: profile_skip(trace->profile, "event of an unknown process");
	}
}

/* ---- arrows ---- */

/* "s" is in the middle of a call, "t" at the start of its work; the call is first. */
static void add_arrow(struct rocprof_trace_trace *trace, const struct json_slice *event, bool from)
{
	int64_t id = json_find_id(event, "id"), at = json_find_id(event, "ts");
	uint64_t key =
		rocprof_trace_place(json_find_id(event, "pid"), json_find_id(event, "tid"), at);
	struct profile *profile = trace->profile;
	uint32_t row = hash_last(from ? trace->calls : trace->work, key);
	if (id < 0 || id == INT64_MAX || row == NO_ROW)
		return;
	int64_t correlation = id + 1; /* 0 is none */
	if (from) {
		profile->call_infos[row].correlation = correlation;
		hash_add(trace->arrows, (uint64_t)id, row);
	} else if (hash_last(trace->arrows, (uint64_t)id) != NO_ROW) {
		profile->activity_correlation[row] = correlation;
	}
}

static void rocprof_trace_parse_event(void *context, struct stream *stream, const char *key)
{
	struct rocprof_trace_trace *trace = context;
	struct json_slice event, phase;
	if (!stream_record(stream, &event))
		return;
	if (event.type != JSON_OBJECT || !json_find(&event, "ph", &phase))
		return; /* the first one is empty */
	if (json_equal(&phase, "M"))
		name_lane(trace, &event);
	else if (json_equal(&phase, "X"))
		rocprof_trace_add_event(trace, &event);
	else if (json_equal(&phase, "s") || json_equal(&phase, "t"))
		add_arrow(trace, &event, json_equal(&phase, "s"));
}

/* Other members describe the machine. */
static void rocprof_trace_parse_member(void *context, struct stream *stream, const char *key)
{
	if (strcmp(key, "traceEvents") == 0)
		stream_walk(stream, rocprof_trace_parse_event, context);
	else
		stream_skip(stream);
}

static bool rocprof_trace_read_trace(struct input *input)
{
	struct stream stream = stream_of(input, "reading events");
	struct rocprof_trace_trace trace = { .profile = input->profile,
					     .builder = input->builder,
					     .nvtx = nvtx_new(input->profile, input->builder),
					     .lanes = hash_new(16),
					     .calls = hash_new(1024),
					     .work = hash_new(1024),
					     .arrows = hash_new(1024) };
	stream_walk(&stream, rocprof_trace_parse_member, &trace);
	nvtx_finish(trace.nvtx);
	nvtx_free(trace.nvtx);
	hash_free_all(trace.lanes, trace.calls, trace.work, trace.arrows);
	return stream_finish(&stream, input->profile);
}

/* The first event is empty, and processes named so follow. */
static bool rocprof_trace_recognize(const char *head, size_t length)
{
	const char *key = json_after(head, "{");
	return key && strncmp(key, "\"traceEvents\"", 13) == 0 &&
	       strstr(head, "\"process_name\"") &&
	       text_has_one(head, length,
			    "\"CPU HIP API\"|\"CPU HSA API\"|\"Markers and Ranges\"|\"COPY\"");
}

const struct reader rocprof_trace_reader = { .format = "rocprof trace (JSON)",
					     .recognize = rocprof_trace_recognize,
					     .read = rocprof_trace_read_trace,
					     .empty = "is a trace of rocprof without events" };
