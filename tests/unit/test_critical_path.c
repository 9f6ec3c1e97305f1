/* Critical path: segment by segment on small traces, as a whole on generated ones. */
#include "trace_case.h"

#include "base/mem.h"

#include <stdlib.h>

#define CALL(name, thread, ts, dur, correlation)                                                   \
	EVENT("cuda_runtime", name, "1", thread, ts, dur, "{\"correlation\":" correlation "}")
#define ON_STREAM(name, stream, ts, dur, correlation)                                              \
	EVENT("kernel", name, "0", stream, ts, dur,                                                \
	      "{\"device\":0,\"stream\":" stream ",\"correlation\":" correlation "}")
#define ON_THREAD(name, thread, ts, dur) EVENT("cpu_op", name, "1", thread, ts, dur, "{}")

struct expected {
	int64_t us;
	const char *kind, *name;
};

static void check(const char *trace, const struct expected *expected, size_t count)
{
	struct run *run = trace_run(trace);
	struct table *table = trace_view(run, "critical-path", NULL, NULL);
	int64_t time = 0;
	for (size_t i = 0; i < count; i++) {
		assert_true(i < table->rows);
		assert_int_equal(table_number(table, i, "start_ns"), time);
		assert_string_equal(table_text(table, i, "kind"), expected[i].kind);
		assert_string_equal(table_text(table, i, "name"), expected[i].name);
		assert_int_equal(table_number(table, i, "dur_ns"), expected[i].us * 1000);
		time += expected[i].us * 1000;
	}
	assert_int_equal(table->rows, count);
	table_free(table);
	run_free(run);
}

#define assert_path(trace, ...)                                                                    \
	check(trace, (struct expected[]){ __VA_ARGS__ },                                           \
	      sizeof(struct expected[]){ __VA_ARGS__ } / sizeof(struct expected))

/* Waits of seconds and of most of a day. */
TEST(long_waits_keep_their_time)
{
	assert_path(DOCUMENT(OPERATOR("aten::mm", "0", "50") "," OPERATOR(
			    "aten::add", "9000050", "40") "," OPERATOR("aten::relu", "80000000090",
								       "30")),
		    { 50, "host", "aten::mm" }, { 9000000, "idle", "" },
		    { 40, "host", "aten::add" }, { 79991000000, "idle", "" },
		    { 30, "host", "aten::relu" });
}

/* A point in time hides nothing before it: neither in a range nor between operators. */
TEST(points_hide_nothing)
{
#define POINT(ts) "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"p\",\"pid\":1,\"tid\":1,\"ts\":" ts "}"
	assert_path(
		DOCUMENT(EVENT("user_annotation", "range", "1", "1", "0", "100", "{}") "," OPERATOR(
			"aten::mm", "10", "20") "," POINT("50") "," OPERATOR("aten::add", "60",
									     "30")),
		{ 10, "host", "range" }, { 20, "host", "aten::mm" }, { 30, "host", "range" },
		{ 30, "host", "aten::add" }, { 10, "host", "range" });
	assert_path(DOCUMENT(OPERATOR("aten::mm", "0",
				      "20") "," POINT("50") "," OPERATOR("aten::add", "60", "30")),
		    { 20, "host", "aten::mm" }, { 40, "idle", "" }, { 30, "host", "aten::add" });
}

/* Each kernel waits for a slow host: the host is the path, not the kernels before the last. */
TEST(slow_host_is_on_path)
{
	assert_path(DOCUMENT(OPERATOR("aten::mm", "0", "50") "," LAUNCH("40", "1") "," KERNEL(
			    "gemm", "48", "10",
			    "1") "," OPERATOR("aten::add", "50",
					      "50") "," LAUNCH("90", "2") "," KERNEL("add", "97",
										     "23", "2")),
		    { 50, "host", "aten::mm" }, { 40, "host", "aten::add" },
		    { 7, "launch", "cudaLaunchKernel" }, { 23, "compute", "add" });
}

/* The host is far ahead of the device: the path is the first launch, then the queue. */
TEST(queued_kernels_are_on_path)
{
	assert_path(DOCUMENT(OPERATOR("aten::mm", "0", "10") "," LAUNCH("5", "1") "," KERNEL(
			    "gemm", "9", "100",
			    "1") "," OPERATOR("aten::add", "10",
					      "10") "," LAUNCH("15", "2") "," KERNEL("add", "111",
										     "50", "2")),
		    { 5, "host", "aten::mm" }, { 4, "launch", "cudaLaunchKernel" },
		    { 100, "compute", "gemm" }, { 2, "queue", "add" }, { 50, "compute", "add" });
}

/* A blocking call puts the device work it waits for on the path, and little of its own time. */
TEST(blocking_call_puts_awaited_work_on_path)
{
	assert_path(DOCUMENT(OPERATOR("aten::mm", "0", "10") "," LAUNCH("5", "1") "," KERNEL(
			    "gemm", "9", "100",
			    "1") "," CALL("cudaDeviceSynchronize", "1", "10", "105",
					  "9") "," OPERATOR("aten::item", "120", "30")),
		    { 5, "host", "aten::mm" }, { 4, "launch", "cudaLaunchKernel" },
		    { 100, "compute", "gemm" }, { 6, "sync", "cudaDeviceSynchronize" },
		    { 5, "idle", "" }, { 30, "host", "aten::item" });
}

/* A call that blocks may be inside of another one. */
TEST(inner_call_puts_awaited_work_on_path)
{
	assert_path(
		DOCUMENT(OPERATOR("aten::mm", "0", "10") "," LAUNCH("5", "1") "," KERNEL(
			"gemm", "9", "100",
			"1") "," CALL("run", "1", "10", "110",
				      "8") "," CALL("cudaDeviceSynchronize", "1", "12", "103",
						    "9") "," OPERATOR("aten::item", "120", "30")),
		{ 5, "host", "aten::mm" }, { 4, "launch", "cudaLaunchKernel" },
		{ 100, "compute", "gemm" }, { 6, "sync", "cudaDeviceSynchronize" },
		{ 5, "host", "run" }, { 30, "host", "aten::item" });
}

/* A call returns when its copy is staged, a little before the device has all of it. */
TEST(staged_copy_is_on_path)
{
	assert_path(
		DOCUMENT(CALL("cudaMemcpy", "1", "0", "100", "1") "," EVENT(
			"gpu_memcpy", "Memcpy HtoD", "0", "7", "10", "100",
			"{\"device\":0,\"stream\":7,\"correlation\":1}") "," OPERATOR("aten::item",
										      "105", "45")),
		{ 10, "launch", "cudaMemcpy" }, { 90, "copy", "Memcpy HtoD" }, { 5, "idle", "" },
		{ 45, "host", "aten::item" });
}

/*
 * The thread that calls backward is in a range throughout; the path switches to the other thread.
 */
TEST(path_follows_working_thread)
{
	assert_path(
		DOCUMENT(EVENT("user_annotation", "train", "1", "1", "0", "200", "{}") "," OPERATOR("aten::mm", "0", "50") "," LAUNCH("10", "1") "," KERNEL(
			"gemm", "20", "5",
			"1") "," ON_THREAD("MmBackward0", "2", "60",
					   "80") "," CALL("cudaLaunchKernel", "2", "70", "5",
							  "2") "," ON_STREAM("gemm_back", "7", "80",
									     "5",
									     "2") "," OPERATOR("aten::add_",
											       "150",
											       "50") "," LAUNCH("160",
														"3") "," KERNEL("add",
																"170",
																"5",
																"3")),
		{ 50, "host", "aten::mm" }, { 10, "host", "train" }, { 80, "host", "MmBackward0" },
		{ 10, "host", "train" }, { 50, "host", "aten::add_" });
}

/* Although the kernel before on its own stream ended shortly before, too. */
TEST(wait_across_streams_is_no_queueing)
{
	assert_path(
		DOCUMENT(LAUNCH("0", "1") "," LAUNCH("2", "2") "," LAUNCH("4", "3") "," ON_STREAM(
			"gemm", "7", "10", "100",
			"1") "," ON_STREAM("small", "8", "12", "92",
					   "2") "," ON_STREAM("add", "8", "111", "50", "3")),
		{ 10, "launch", "cudaLaunchKernel" }, { 100, "compute", "gemm" },
		{ 1, "queue", "add" }, { 50, "compute", "add" });
}

#define EVENT_WAIT                                                                                 \
	CALL("cudaEventRecord", "1", "6", "1", "11")                                               \
	"," CALL("cudaStreamWaitEvent", "1", "8", "1",                                             \
		 "12") "," EVENT("cuda_sync", "Stream Wait Event", "0", "8", "8", "1",             \
				 "{\"device\":0,\"stream\":8,\"correlation\":12,"                  \
				 "\"wait_on_stream\":7,"                                           \
				 "\"wait_on_cuda_event_record_corr_id\":11}") ","

/* A recorded event tells what the kernel waited for, however late it starts. */
TEST(recorded_event_is_followed)
{
	assert_path(
		DOCUMENT(LAUNCH("0", "1") "," LAUNCH("2", "2") "," EVENT_WAIT LAUNCH(
			"10", "3") "," ON_STREAM("gemm", "7", "10", "100",
						 "1") "," ON_STREAM("small", "8", "14", "95",
								    "2") "," ON_STREAM("add", "8",
										       "140", "50",
										       "3")),
		{ 10, "launch", "cudaLaunchKernel" }, { 100, "compute", "gemm" },
		{ 30, "queue", "add" }, { 50, "compute", "add" });
}

/* A wait of STREAM for stream 7, called at CALLED and recorded at TS. */
#define WAIT_OF(stream, called, ts, correlation)                                                   \
	CALL("cudaStreamWaitEvent", "1", called, "1", correlation)                                 \
	"," EVENT("cuda_sync", "Stream Wait Event", "0", stream, ts, "1",                          \
		  "{\"device\":0,\"stream\":" stream ",\"correlation\":" correlation               \
		  ",\"wait_on_stream\":7,\"wait_on_cuda_event_record_corr_id\":11}") ","
#define WAITING_ADD(waits)                                                                         \
	DOCUMENT(LAUNCH("0", "1") "," LAUNCH("2", "2") "," EVENT_WAIT waits LAUNCH(                \
		"10", "3") "," ON_STREAM("gemm", "7", "10", "100",                                 \
					 "1") "," ON_STREAM("small", "8", "14", "95",              \
							    "2") "," ON_STREAM("add", "8", "140",  \
									       "50", "3"))

/* Waits that were called after the launch do not matter, in whichever order they are recorded. */
TEST(recorded_event_is_found_among_others)
{
	static const char *const traces[] = {
		WAITING_ADD(WAIT_OF("8", "200", "7", "21")),
		WAITING_ADD(WAIT_OF("8", "200", "9", "21")),
		WAITING_ADD(WAIT_OF("9", "200", "9", "21") WAIT_OF("9", "210", "11", "22")),
	};
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		struct run *run = trace_run(traces[i]);
		struct table *path = trace_view(run, "critical-path", NULL, NULL);
		assert_string_equal(table_text(path, 1, "name"), "gemm");
		assert_string_equal(table_text(path, 2, "kind"), "queue");
		table_free(path);
		run_free(run);
	}
}

/* Waits recorded of other streams, on either side of it, say nothing of this one. */
TEST(recorded_events_are_of_their_stream)
{
#define ON_NINE(stream)                                                                            \
	DOCUMENT(LAUNCH("0", "1") "," LAUNCH("2", "2") "," CALL(                                   \
		"cudaEventRecord", "1", "6", "1", "11") "," WAIT_OF(stream, "8", "9", "12")        \
			 LAUNCH("10", "3") "," ON_STREAM(                                          \
				 "gemm", "7", "10", "100",                                         \
				 "1") "," ON_STREAM("small", "8", "14", "92",                      \
						    "2") "," ON_STREAM("add", "8", "111", "50",    \
								       "3"))
	assert_path(ON_NINE("9"), { 10, "launch", "cudaLaunchKernel" }, { 100, "compute", "gemm" },
		    { 1, "queue", "add" }, { 50, "compute", "add" });
	assert_path(ON_NINE("5"), { 10, "launch", "cudaLaunchKernel" }, { 100, "compute", "gemm" },
		    { 1, "queue", "add" }, { 50, "compute", "add" });
}

/*
 * No event records the dependency between streams: it is inferred from one kernel starting when the
 * other ends.
 */
TEST(path_crosses_streams)
{
	assert_path(
		DOCUMENT(OPERATOR("aten::mm", "0", "10") "," LAUNCH("5", "1") "," KERNEL(
			"gemm", "9", "100",
			"1") "," OPERATOR("c10d::allreduce_", "10",
					  "10") "," LAUNCH("15",
							   "2") "," ON_STREAM("ncclDevKernel_AllReduce_Sum_f32_RING_LL",
									      "20", "112", "50",
									      "2")),
		{ 5, "host", "aten::mm" }, { 4, "launch", "cudaLaunchKernel" },
		{ 100, "compute", "gemm" },
		{ 3, "queue", "ncclDevKernel_AllReduce_Sum_f32_RING_LL" },
		{ 50, "communication", "ncclDevKernel_AllReduce_Sum_f32_RING_LL" });
}

TEST(unlaunched_and_empty_kernels)
{
	assert_path(DOCUMENT(KERNEL("early", "0", "10", "77") "," KERNEL(
			    "empty", "10", "0", "78") "," KERNEL("late", "40", "10", "79")),
		    { 10, "compute", "early" }, { 30, "idle", "" }, { 10, "compute", "late" });
}

/* Segments are contiguous from FROM to TO. */
static void assert_tiles(const struct run *run, const struct scope *scope, int64_t from, int64_t to)
{
	struct table *path = trace_view(run, "critical-path", scope, NULL);
	struct table *kinds = trace_view(run, "critical-path", scope, "kind");
	assert_string_equal(kinds->default_columns, "dur_ns,share_pct,kind,calls");
	int64_t time = from, sum = 0, rows = 0;
	for (size_t i = 0; i < path->rows; i++) {
		assert_int_equal(table_number(path, i, "start_ns"), time);
		assert_true(table_number(path, i, "dur_ns") > 0);
		time += table_number(path, i, "dur_ns");
	}
	assert_int_equal(time, to);
	for (size_t i = 0; i < kinds->rows; i++) {
		sum += table_number(kinds, i, "dur_ns");
		rows += table_number(kinds, i, "calls");
	}
	assert_int_equal(sum, to - from);
	assert_int_equal(rows, path->rows);
	table_free(path);
	table_free(kinds);
}

TEST(path_tiles_run_and_steps)
{
	char *trace = trace_generate("--steps 3 --layers 4 --stacks 2", NULL);
	struct run *run = trace_run(trace);
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	assert_tiles(run, NULL, 0, run->ranks[0].profile->end_ns);
	assert_true(steps->rows > 0);
	for (size_t i = 0; i < steps->rows; i++) {
		struct scope scope;
		int64_t start = table_number(steps, i, "start_ns");
		scope_init(&scope);
		scope.has_steps = true;
		scope.step_first = scope.step_last = table_number(steps, i, "step");
		assert_tiles(run, &scope, start, start + table_number(steps, i, "dur_ns"));
	}
	table_free(steps);
	run_free(run);
	mem_free(trace);
}

/* A child starting before its parent: the reader cannot produce it, but an index may contain it. */
TEST(terminates_on_inconsistent_times)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::mm", "0", "50") "," OPERATOR(
		"aten::add", "10", "10") "," OPERATOR("aten::item", "900", "100")));
	struct profile *profile = run->ranks[0].profile;
	profile->span_start[0] = 800000;
	struct table *table = trace_view(run, "critical-path", NULL, NULL);
	assert_true(table->rows > 0);
	table_free(table);
	run_free(run);
}
