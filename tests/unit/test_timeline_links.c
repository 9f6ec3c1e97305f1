/* Which events the timeline links, and which threads wait. */
#include "trace_case.h"

#include "base/buffer.h"
#include "picture/timeline/timeline.h"

/* ---- links ---- */

#define ON_STREAM(name, stream, ts, dur, correlation)                                              \
	EVENT("kernel", name, "0", stream, ts, dur,                                                \
	      "{\"device\":0,\"stream\":" stream ",\"correlation\":" correlation "}")
#define CALL(name, ts, correlation)                                                                \
	EVENT("cuda_runtime", name, "1", "1", ts, "1", "{\"correlation\":" correlation "}")

/* Does the row lead to an event from START to END, in ns? */
static bool leads_to(const struct timeline *timeline, enum ref_kind kind, uint32_t row,
		     int64_t start, int64_t end)
{
	struct timeline_event ends[TIMELINE_LINKS];
	size_t count = timeline_links(timeline, (struct ref){ kind, row, 0, 0 }, ends);
	for (; count > 0; count--) {
		const struct lane *lane = &timeline->lanes->lane[ends[count - 1].lane];
		uint32_t event = ends[count - 1].event;
		if (lane_start(lane, event) == start && lane_end(lane, event) == end)
			break;
	}
	return count > 0;
}

/* A launch and its kernel, a kernel and the one on another stream that an event made it wait for.
 */
TEST(events_lead_to_what_they_are_linked_to)
{
	struct run *run = trace_run(DOCUMENT(
		LAUNCH("0", "1") "," CALL("cudaEventRecord", "6", "11") "," CALL("cudaStreamWaitEvent", "8", "12") "," EVENT(
			"cuda_sync",
			"Stream Wait Event",
			"0", "8", "8", "1",
			"{\"device\":0,\"stream\":8,\"correlation\":12,"
			"\"wait_on_stream\":7,"
			"\"wait_on_cuda_event_record_corr_id\":11}") "," LAUNCH("10",
										"3") "," ON_STREAM("gemm",
												   "7",
												   "10",
												   "100",
												   "1") "," ON_STREAM("add",
														      "8",
														      "140",
														      "50",
														      "3")));
	struct timeline *timeline = timeline_whole(run);
	const struct profile *profile = timeline->rank->profile;
	uint32_t gemm = activity_named(profile, "gemm"), add = activity_named(profile, "add");
	uint32_t launch = span_named(profile, "cudaLaunchKernel");

	assert_true(leads_to(timeline, REF_CALL, launch, 10000, 110000));
	assert_false(leads_to(timeline, REF_CALL, launch, 140000, 190000));
	assert_true(leads_to(timeline, REF_LAUNCH, gemm, 0, 2000));
	assert_true(leads_to(timeline, REF_LAUNCH, add, 10000, 12000));
	assert_true(leads_to(timeline, REF_LAUNCH, add, 10000, 110000));
	assert_false(leads_to(timeline, REF_LAUNCH, gemm, 140000, 190000));
	timeline_free(timeline);
	run_free(run);
}

/* ---- threads that wait ---- */

#define PYTHON(name, tid, ts, dur) EVENT("python_function", name, "1", tid, ts, dur, "{}")

/* Of threads without operators the one that sits in few calls waits, the one with many works. */
TEST(thread_of_few_long_calls_waits)
{
	struct buffer text = { 0 };
	buffer_puts(&text, "{\"traceEvents\":[");
	for (int i = 0; i < 400; i++)
		buffer_printf(&text,
			      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":1,"
			      "\"tid\":1,\"ts\":%d,\"dur\":5},",
			      10 * i);
	for (int i = 0; i < 200; i++)
		buffer_printf(
			&text,
			"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"load\",\"pid\":1,"
			"\"tid\":2,\"ts\":%d,\"dur\":400},",
			500 * i);
	buffer_puts(&text,
		    PYTHON("run", "3", "0", "100000") "," PYTHON("wait", "3", "5", "90000") "]}");
	struct run *run = trace_run(buffer_text(&text));
	struct timeline *timeline = timeline_whole(run);
	int waiting = 0;

	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		const struct lane *lane = &timeline->lanes->lane[i];
		if (lane->track == NO_ROW)
			continue;
		assert_int_equal(lane->waits, run->ranks[0].profile->tracks[lane->track].tid == 3);
		waiting += lane->waits;
	}
	assert_int_equal(waiting, 2);
	timeline_free(timeline);
	run_free(run);
	buffer_free(&text);
}
