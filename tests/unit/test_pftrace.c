/* Perfetto traces: tracks, interned names, ranges, instants, counters, damage. */
#include "proto_case.h"
#include "trace_case.h"

/* A packet of sequence 5; INNER, a message, is its field NUMBER (0: none). */
static void put_packet(struct buffer *trace, int64_t time, uint32_t number, struct buffer *inner)
{
	struct buffer packet = { 0 };
	if (time >= 0)
		proto_put_int(&packet, 8, (uint64_t)time);
	proto_put_int(&packet, 10, 5);
	if (number)
		proto_put(&packet, number, inner);
	proto_put(trace, 1, &packet);
	buffer_free(&packet);
}

static void put_event(struct buffer *trace, int64_t time, int type, uint64_t track,
		      const char *name, uint64_t name_id)
{
	struct buffer event = { 0 };
	proto_put_int(&event, 9, (uint64_t)type);
	if (track)
		proto_put_int(&event, 11, track);
	if (name)
		proto_put_text(&event, 23, name);
	else if (name_id)
		proto_put_int(&event, 10, name_id);
	if (type == 4)
		proto_put_real(&event, 44, 2.5);
	put_packet(trace, time, 11, &event);
	buffer_free(&event);
}

static void put_tracks(struct buffer *trace)
{
	struct buffer track = { 0 }, part = { 0 };
	proto_put_int(&track, 1, 100);
	proto_put_int(&part, 1, 7);
	proto_put_text(&part, 6, "app");
	proto_put(&track, 3, &part);
	put_packet(trace, -1, 60, &track);
	proto_put_int(&track, 1, 101);
	proto_put_int(&part, 1, 7);
	proto_put_int(&part, 2, 8);
	proto_put_text(&part, 5, "main");
	proto_put(&track, 4, &part);
	put_packet(trace, -1, 60, &track);
	proto_put_int(&track, 1, 102);
	proto_put_text(&track, 2, "memory");
	proto_put_int(&track, 5, 100);
	proto_put(&track, 8, &part);
	put_packet(trace, -1, 60, &track);
	/* names 1; the default track is the thread */
	proto_put_int(&part, 1, 1);
	proto_put_text(&part, 2, "step");
	proto_put(&track, 2, &part);
	put_packet(trace, -1, 12, &track);
	proto_put_int(&part, 11, 101);
	proto_put(&track, 11, &part);
	put_packet(trace, -1, 59, &track);
	buffer_free(&track);
	buffer_free(&part);
}

static struct buffer trace_bytes(void)
{
	struct buffer trace = { 0 };
	put_tracks(&trace);
	put_event(&trace, 1000, 1, 0, NULL, 1);
	put_event(&trace, 1100, 1, 101, "forward", 0);
	put_event(&trace, 1150, 3, 101, "mark", 0);
	put_event(&trace, 1160, 4, 102, NULL, 0);
	put_event(&trace, 1200, 2, 0, NULL, 0);
	put_event(&trace, 1500, 2, 101, NULL, 0);
	put_event(&trace, 1550, 2, 101, NULL, 0); /* nothing is open */
	put_event(&trace, 1600, 1, 101, "open", 0);
	put_event(&trace, 1700, 3, 101, "last", 0);
	put_packet(&trace, 1, 0, NULL);
	return trace;
}

TEST(ranges_and_counters)
{
	struct buffer bytes = trace_bytes();
	struct error error = { 0 };
	struct profile *profile = trace_open_bytes(bytes.data, bytes.length, &error);
	assert_non_null(profile);
	uint32_t step = span_named(profile, "step"), forward = span_named(profile, "forward");
	uint32_t track = profile->span_track[step];
	assert_int_equal(profile->span_dur[step], 500);
	assert_int_equal(profile->span_dur[forward], 100);
	assert_int_equal(profile->span_parent[forward], step);
	assert_int_equal(profile->span_dur[span_named(profile, "open")], 100);
	assert_int_equal(profile->span_kind[span_named(profile, "mark")], SPAN_INSTANT);
	assert_int_equal(profile->tracks[track].tid, 8);
	assert_string_equal(profile_string(profile, profile->tracks[track].name), "main");
	assert_int_equal(profile->processes[profile->tracks[track].process].pid, 7);
	assert_int_equal(profile->counter_count, 1);
	assert_true(profile->counters[0].value == 2.5);
	assert_string_equal(profile_string(profile, profile->counters[0].name), "memory");
	assert_int_equal(damage_count(profile, "end of a range that did not begin"), 1);
	assert_string_equal(profile_metadata(profile, "packets of other data sources, not loaded"),
			    "1");
	profile_free(profile);
	buffer_free(&bytes);
}

static void put_clock(struct buffer *snapshot, uint64_t id, int64_t time, bool incremental,
		      int64_t unit)
{
	struct buffer clock = { 0 };
	proto_put_int(&clock, 1, id);
	proto_put_int(&clock, 2, (uint64_t)time);
	proto_put_int(&clock, 3, incremental);
	if (unit)
		proto_put_int(&clock, 4, (uint64_t)unit);
	proto_put(snapshot, 1, &clock);
	buffer_free(&clock);
}

/* A range of CATEGORY at one time and 100 ns long, with ARGUMENT = VALUE and a flow (0: none). */
static void put_range(struct buffer *trace, int64_t time, uint64_t track, const char *category,
		      const char *name, const char *argument, uint64_t value, uint64_t flow)
{
	struct buffer event = { 0 }, annotation = { 0 }, number = { 0 };
	proto_put_int(&event, 9, 1);
	proto_put_int(&event, 11, track);
	proto_put_text(&event, 22, category);
	proto_put_text(&event, 23, name);
	proto_put_text(&annotation, 10, argument);
	proto_put_int(&annotation, 3, value);
	proto_put(&event, 4, &annotation);
	proto_put_text(&annotation, 10, "agent");
	proto_put_text(&annotation, 6, "GPU-2");
	proto_put(&event, 4, &annotation);
	proto_put_text(&annotation, 10, "grid");
	for (uint64_t size = 8; size; size /= 3) {
		proto_put_int(&number, 4, size);
		proto_put(&annotation, 12, &number);
	}
	proto_put(&event, 4, &annotation);
	if (flow)
		proto_put_int(&event, 47, flow);
	put_packet(trace, time, 11, &event);
	put_event(trace, time + 100, 2, track, NULL, 0);
	buffer_free(&event);
	buffer_free(&annotation);
	buffer_free(&number);
}

/* Categories and arguments as PyTorch and rocprofv3 write them. */
TEST(work_of_devices)
{
	static const struct {
		const char *call, *kernel, *argument;
		uint64_t flow;
	} writers[] = { { "cuda_runtime", "kernel", "correlation", 0 },
			{ "hip_api", "kernel_dispatch", "corr_id", 0 },
			{ "hip_api", "kernel_dispatch", "kernel_id", 77 } };
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		struct buffer trace = { 0 };
		struct error error = { 0 };
		put_tracks(&trace);
		put_range(&trace, 1000, 101, writers[i].call, "launch \"x\"", writers[i].argument,
			  5, writers[i].flow);
		put_range(&trace, 1050, 103, writers[i].kernel, "gemm", writers[i].argument, 5,
			  writers[i].flow);
		put_range(&trace, 2000, 103, "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE",
			  "copy_bytes", 64, 0);
		put_event(&trace, 3000, 1, 101, "kernel", 0);
		struct profile *profile = trace_open_bytes(trace.data, trace.length, &error);
		assert_non_null(profile);
		uint32_t kernel = activity_named(profile, "gemm");
		uint32_t copy = activity_named(profile, "Memcpy HtoD");
		assert_int_equal(profile->activities, 2);
		assert_int_equal(profile->activity_dur[kernel], 100);
		assert_int_equal(profile->activity_launch[kernel],
				 span_named(profile, "launch \"x\""));
		assert_int_equal(profile_activity_device(profile, kernel), 2);
		assert_int_equal(profile->activity_bytes[copy], 64);
		if (i == 0)
			assert_int_equal(profile_config(profile, kernel)->grid[0], 8);
		assert_int_equal(profile->flow_count, 0);
		profile_free(profile);
		buffer_free(&trace);
	}
}

/* Timestamps are microseconds since the last packet, as the SDK writes them. */
TEST(a_clock_of_differences)
{
	struct buffer trace = { 0 }, part = { 0 };
	struct error error = { 0 };
	put_tracks(&trace);
	put_clock(&part, 6, 5000000, false, 0);
	put_clock(&part, 64, 5000, true, 1000);
	put_packet(&trace, -1, 6, &part);
	proto_put_int(&part, 58, 64);
	put_packet(&trace, -1, 59, &part);
	put_event(&trace, 10, 1, 101, "outer", 0);
	put_event(&trace, 3, 1, 101, "inner", 0);
	put_event(&trace, 4, 2, 101, NULL, 0);
	put_event(&trace, 20, 2, 101, NULL, 0);
	struct profile *profile = trace_open_bytes(trace.data, trace.length, &error);
	assert_non_null(profile);
	uint32_t outer = span_named(profile, "outer"), inner = span_named(profile, "inner");
	assert_int_equal(profile->span_dur[outer], 27000);
	assert_int_equal(profile->span_start[inner] - profile->span_start[outer], 3000);
	assert_int_equal(profile->span_dur[inner], 4000);
	profile_free(profile);
	buffer_free(&trace);
	buffer_free(&part);
}

/* Values are differences, in units of a thousand. */
TEST(a_counter_of_differences)
{
	struct buffer trace = { 0 }, track = { 0 }, part = { 0 };
	struct error error = { 0 };
	proto_put_int(&track, 1, 9);
	proto_put_text(&track, 2, "bytes");
	proto_put_int(&part, 4, 1000);
	proto_put_int(&part, 5, 1);
	proto_put(&track, 8, &part);
	put_packet(&trace, -1, 60, &track);
	for (int i = 0; i < 3; i++)
		put_event(&trace, 100 + i, 4, 9, NULL, 0);
	struct profile *profile = trace_open_bytes(trace.data, trace.length, &error);
	assert_non_null(profile);
	assert_int_equal(profile->counter_count, 3);
	for (int i = 0; i < 3; i++)
		assert_true(profile->counters[i].value == 2500 * (i + 1));
	profile_free(profile);
	buffer_free(&trace);
	buffer_free(&track);
	buffer_free(&part);
}

TEST(flows_connect_events)
{
	struct buffer trace = { 0 }, event = { 0 };
	struct error error = { 0 };
	put_tracks(&trace);
	for (int i = 0; i < 3; i++) {
		proto_put_int(&event, 9, 3);
		proto_put_int(&event, 11, 101);
		proto_put_text(&event, 23, "send");
		proto_put_int(&event, i < 2 ? 47 : 48, 77);
		put_packet(&trace, 100 + i, 11, &event);
	}
	struct profile *profile = trace_open_bytes(trace.data, trace.length, &error);
	assert_non_null(profile);
	assert_int_equal(profile->flow_count, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(profile->flows[i].id, 77);
		assert_int_equal(profile->flows[i].start, i == 0);
	}
	profile_free(profile);

	/* the first leads to the others, the last comes from the first */
	struct run *run = trace_run_bytes(trace.data, trace.length);
	struct scope scope;
	scope_init(&scope);
	profile = run->ranks[0].profile;
	uint32_t first = span_named(profile, "send");
	struct view_link to = { .from = { REF_CALL, first, 0, 0 }, .forward = true };
	struct view_link from = { .from = { REF_CALL, first + 2, 0, 0 } };
	assert_true(view_follow(run, &scope, &to, NULL));
	assert_int_equal(to.count, 2);
	assert_int_equal(to.target.a, first + 1);
	assert_string_equal(to.what, "flow from send");
	assert_true(view_follow(run, &scope, &from, NULL));
	assert_int_equal(from.count, 1);
	assert_int_equal(from.target.a, first);
	from.from.a = first;
	assert_false(view_follow(run, &scope, &from, NULL));
	run_free(run);
	buffer_free(&trace);
	buffer_free(&event);
}

TEST(cut_and_damaged_traces)
{
	struct buffer bytes = trace_bytes();
	assert_survives_damage(&bytes, 4);
	buffer_free(&bytes);
}
