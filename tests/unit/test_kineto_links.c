/* Nesting of calls, and links from device activities to the calls that launched them. */
#include "trace_case.h"

#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>

TEST(nesting)
{
	struct profile *profile = trace_open(DOCUMENT(
		OPERATOR("grandchild", "3", "1") "," OPERATOR("outer", "1", "9") "," OPERATOR(
			"second", "6", "2") "," OPERATOR("child", "2",
							 "3") "," OPERATOR("later", "20", "1")));
	uint32_t outer = span_named(profile, "outer"), child = span_named(profile, "child");

	assert_int_equal(outer, 0);
	assert_int_equal(profile->span_size[outer], 4);
	assert_int_equal(profile->span_parent[child], outer);
	assert_int_equal(profile->span_parent[span_named(profile, "grandchild")], child);
	assert_int_equal(profile->span_parent[span_named(profile, "second")], outer);
	assert_int_equal(profile->span_parent[span_named(profile, "later")], NO_ROW);
	profile_free(profile);
}

#define OWN_CALL(ts, id)                                                                           \
	EVENT("cuda_runtime", "hipExtModuleLaunchKernel", "1", "1", ts, "1",                       \
	      "{\"External id\":" id "}")
#define OWN_KERNEL(ts, id) EVENT("kernel", "gemm", "2", "0", ts, "2", "{\"External id\":" id "}")

/* Traces of older ROCm: one id for call and work, which may be that of an operator, too. */
TEST(work_is_linked_by_external_id)
{
	struct profile *profile = trace_open(DOCUMENT(
		OWN_CALL("1", "5") "," OWN_CALL("3", "6") "," OWN_KERNEL("4", "5") "," OWN_KERNEL(
			"8", "6") "," OWN_KERNEL("12", "7") "," EVENT("cpu_op", "mm", "1", "1",
								      "20", "2",
								      "{\"External id\":6}")));
	uint32_t launch[] = { 0, 1, NO_ROW };
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(profile->activity_launch[i], launch[i]);
	assert_int_equal(profile->activity_external[1], NO_VALUE);
	assert_int_equal(profile->activity_external[2], 7);
	profile_free(profile);
}

/* Two calls of an operator have its id: it does not say which launched the work. */
TEST(an_id_of_two_calls_links_nothing)
{
	struct profile *profile = trace_open(
		DOCUMENT(OWN_CALL("1", "5") "," OWN_CALL("3", "5") "," OWN_KERNEL("4", "5")));
	assert_int_equal(profile->activity_launch[0], NO_ROW);
	profile_free(profile);
	profile = trace_open(DOCUMENT(LAUNCH("1", "9") "," OWN_CALL("3", "5") "," OWN_KERNEL(
		"4", "5"))); /* this writer knows correlation ids */
	assert_int_equal(profile->activity_launch[0], NO_ROW);
	profile_free(profile);
}

TEST(equal_times_nest_by_length)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR("short", "5", "1") "," OPERATOR(
		"long", "5", "4") "," OPERATOR("empty", "5", "0")));

	assert_string_equal(span_text(profile, 0), "long");
	assert_int_equal(profile->span_size[0], 3);
	profile_free(profile);
}

/*
 * After rounding to microseconds an operator is as long as its call, which some writers emit first.
 */
TEST(call_nests_in_operator_of_equal_time)
{
	struct profile *profile = trace_open(DOCUMENT(LAUNCH("10", "1") "," OPERATOR(
		"a", "10", "2") "," LAUNCH("10", "2") "," OPERATOR("b", "10", "2")));
	uint32_t a = span_named(profile, "a"), b = span_named(profile, "b");

	assert_int_equal(profile->span_parent[a], NO_ROW);
	assert_int_equal(profile->span_parent[b], a);
	assert_int_equal(profile->span_parent[b + 1], b);
	assert_int_equal(profile_call_info(profile, b + 1)->correlation, 1);
	assert_int_equal(profile_call_info(profile, b + 2)->correlation, 2);
	profile_free(profile);
}

TEST(overrun_keeps_its_length)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR("parent", "1", "9") "," OPERATOR(
		"child", "6", "5") "," OPERATOR("next", "10.5", "4")));
	uint32_t parent = span_named(profile, "parent"), child = span_named(profile, "child");

	assert_int_equal(profile->span_parent[child], parent);
	assert_int_equal(profile->span_dur[child], 5000);
	assert_int_equal(profile->span_parent[span_named(profile, "next")], NO_ROW);
	assert_int_equal(profile->spans, 3);
	assert_int_equal(damage_count(profile, NULL), 1);
	profile_free(profile);
}

TEST(mostly_outside_does_not_nest)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR("opens", "1", "9") "," OPERATOR(
		"goes on", "8", "20") "," OPERATOR("inside", "9", "4")));
	uint32_t goes_on = span_named(profile, "goes on");

	assert_int_equal(profile->span_parent[goes_on], NO_ROW);
	assert_int_equal(profile->span_dur[goes_on], 20000);
	assert_int_equal(profile->span_parent[span_named(profile, "inside")], goes_on);
	assert_int_equal(profile->span_dur[span_named(profile, "opens")], 9000);
	assert_int_equal(damage_count(profile, NULL), 1);
	profile_free(profile);
}

TEST(threads_do_not_nest_in_each_other)
{
	struct profile *profile = trace_open(DOCUMENT(
		OPERATOR("here", "1", "9") "," EVENT("cpu_op", "there", "1", "2", "2", "3", "{}")));

	assert_int_equal(profile->span_parent[span_named(profile, "there")], NO_ROW);
	profile_free(profile);
}

/* ---- launches ---- */

TEST(launch_by_correlation)
{
	struct profile *profile = trace_open(
		DOCUMENT(KERNEL("k2", "30", "5", "12") "," OPERATOR("a", "1", "9") "," LAUNCH(
			"3", "11") "," LAUNCH("6", "12") "," KERNEL("k1", "20", "5", "11")));
	uint32_t first = profile->activity_launch[activity_named(profile, "k1")];
	uint32_t second = profile->activity_launch[activity_named(profile, "k2")];

	assert_int_equal(profile_call_info(profile, first)->correlation, 11);
	assert_int_equal(profile_call_info(profile, second)->correlation, 12);
	assert_int_equal(profile->span_parent[first], span_named(profile, "a"));
	profile_free(profile);
}

static int64_t operators_sum(const struct table *operators, const char *column)
{
	int64_t sum = 0;
	for (size_t row = 0; row < operators->rows; row++)
		sum += table_number(operators, row, column);
	return sum;
}

/* A kernel launched in a module without an operator belongs to the module, whatever encloses it. */
TEST(module_owns_its_launches)
{
	static const char *const around[] = {
		EVENT("user_annotation", "ProfilerStep#1", "1", "1", "0", "100", "{}") ",",
		EVENT("user_annotation", "Optimizer.step#A.step", "1", "1", "0", "100", "{}") ",",
		OPERATOR("CheckpointFunction", "0", "100") ",",
		"",
	};
	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		char text[2048];
		snprintf(
			text, sizeof text,
			DOCUMENT("%s" EVENT("python_function", "nn.Module: Net_0", "1", "1", "5", "80", "{\"Python module id\":0}") "," LAUNCH(
				"10",
				"1") "," KERNEL("direct", "20", "7",
						"1") "," OPERATOR("aten::mm", "30",
								  "9") "," LAUNCH("31",
										  "2") "," KERNEL("gemm",
												  "40",
												  "11",
												  "2")),
			around[i]);
		struct run *run = trace_run(text);
		struct table *modules = trace_view(run, "modules", NULL, NULL);
		struct table *operators = trace_view(run, "operators", NULL, NULL);

		assert_int_equal(modules->rows, 1);
		assert_int_equal(table_number(modules, 0, "gpu_total_ns"), 18000);
		bool inside = operators->rows == 2; /* an operator encloses the module */
		assert_int_equal(inside, i == 2);
		assert_int_equal(operators_sum(operators, "gpu_self_ns"), inside ? 18000 : 11000);
		assert_int_equal(operators_sum(operators, "gpu_total_ns"),
				 inside ? 18000 + 11000 : 11000);
		table_free(operators);
		table_free(modules);
		run_free(run);
	}
}

TEST(launch_by_driver_call)
{
	struct profile *profile = trace_open(DOCUMENT(
		EVENT("cuda_driver", "cuLaunchKernel", "1", "1", "3", "2",
		      "{\"correlation\":8}") "," KERNEL("triton_poi_fused_0", "20", "5", "8")));
	uint32_t launch = profile->activity_launch[activity_named(profile, "triton_poi_fused_0")];

	assert_string_equal(span_text(profile, launch), "cuLaunchKernel");
	assert_int_equal(profile->span_kind[launch], SPAN_RUNTIME);
	profile_free(profile);
}

TEST(correlation_edge_cases)
{
	struct profile *profile = trace_open(DOCUMENT(
		LAUNCH("1", "0") "," LAUNCH("4", "-1") "," LAUNCH("7", "4294967297") "," LAUNCH(
			"10", "1") "," KERNEL("zero", "20", "5",
					      "0") "," KERNEL("minus", "30", "5",
							      "-1") "," KERNEL("wide", "40", "5",
									       "4294967297")));
	uint32_t wide = activity_named(profile, "wide");

	assert_int_equal(profile->activities, 3);
	assert_int_equal(profile->activity_correlation[wide], INT64_C(4294967297));
	assert_int_equal(profile_call_info(profile, profile->activity_launch[wide])->correlation,
			 INT64_C(4294967297));
	/* correlation -1 means none */
	assert_int_equal(profile->activity_launch[activity_named(profile, "minus")], NO_ROW);
	profile_free(profile);
}

TEST(graph_launch_owns_many_kernels)
{
	enum { KERNELS = 1566 };
	char *text = malloc(KERNELS * 200 + 1024);
	size_t length = (size_t)sprintf(text, "{\"traceEvents\":[%s",
					EVENT("cuda_runtime", "cudaGraphLaunch", "1", "1", "1", "5",
					      "{\"correlation\":77}"));

	for (int i = 0; i < KERNELS; i++)
		length += (size_t)sprintf(text + length, "," KERNEL("k%d", "%d", "1", "77"), i,
					  10 + i * 2);
	sprintf(text + length, "]}");
	struct profile *profile = trace_open(text);
	uint32_t launch = span_named(profile, "cudaGraphLaunch");
	assert_int_equal(profile->activities, KERNELS);
	for (uint32_t i = 0; i < KERNELS; i++)
		assert_int_equal(profile->activity_launch[i], launch);
	profile_free(profile);
	free(text);
}

#define EAGER_CALL(n, ts)                                                                          \
	OPERATOR("aten::op" n, ts "0", "9")                                                        \
	"," LAUNCH(ts "2", "1" n) "," KERNEL("kernel" n, ts "5", "3", "1" n)
#define REPLAYED(n, ts) KERNEL("kernel" n, ts, "3", "90")

/*
 * Kernels of a replayed graph that also ran eagerly get the layers of the eager run, and are
 * marked.
 */
TEST(replay_gets_layers_of_eager_run)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("python_function", "nn.Module: Net_0", "1", "1", "5", "20", "{\"Python module id\":0}") "," EVENT("python_function", "nn.Module: Head_0", "1", "1", "25", "25", "{\"Python module id\":1}") "," EAGER_CALL(
			"1",
			"1") "," EAGER_CALL("2",
					    "2") "," EAGER_CALL("3",
								"3") "," EAGER_CALL("4",
										    "4") "," EVENT("cuda_runtime",
												   "cudaGraphLaunch",
												   "1",
												   "1",
												   "100",
												   "5",
												   "{\"correlation\":90}") "," REPLAYED("1",
																	"110") "," REPLAYED("2",
																			    "120") "," REPLAYED("3",
																						"130") "," REPLAYED("4",
																								    "140")));
	struct table *table = trace_view(run, "launches", NULL, NULL);
	struct buffer detail = { 0 };
	struct scope scope;

	assert_int_equal(table->rows, 8);
	for (size_t row = 0; row < table->rows; row++)
		assert_string_equal(table_cell(table, row, "layer").text,
				    row % 4 < 2 ? "Net_0" : "Head_0");
	scope_init(&scope);
	view_detail(run, &scope, table_ref(table, 7), &detail);
	assert_non_null(strstr(detail.data, "inferred from eager run"));
	buffer_clear(&detail);
	view_detail(run, &scope, table_ref(table, 0), &detail);
	assert_null(strstr(detail.data, "inferred"));
	buffer_free(&detail);
	table_free(table);
	run_free(run);
}

/* The user's own source line; for a backward operator, that of its forward one. */
TEST(calls_have_source_line)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("python_function", "train.py(7): step", "1", "1", "0", "90", "{}") "," EVENT(
			"python_function", "torch/nn/linear.py(1): forward", "1", "1", "5", "50",
			"{}") "," EVENT("cpu_op", "aten::addmm", "1", "1", "10", "20",
					"{\"Sequence number\":5,\"Fwd thread id\":0}") "," EVENT("cpu_op",
												 "AddmmBackward0",
												 "1",
												 "2",
												 "100",
												 "20",
												 "{\"Sequence number\":5,\"Fwd thread id\":1}")));
	struct table *table = trace_view(run, "calls", NULL, NULL);
	struct scope scope;

	assert_int_equal(table->rows, 2);
	scope_init(&scope);
	for (size_t row = 0; row < 2; row++) {
		struct buffer detail = { 0 };
		bool forward = !strcmp(table_cell(table, row, "name").text, "aten::addmm");
		view_detail(run, &scope, table_ref(table, row), &detail);
		assert_non_null(
			strstr(detail.data, forward ? "\nLine\ttrain.py(7): step\n"
						    : "\nForward Line\ttrain.py(7): step\n"));
		buffer_free(&detail);
	}
	table_free(table);
	run_free(run);
}

TEST(unpaired_flow_events)
{
	struct profile *profile = trace_open(DOCUMENT(OPERATOR(
		"a", "1",
		"9") ","
		     "{\"ph\":\"f\",\"id\":5,\"pid\":0,\"tid\":7,\"ts\":20,\"cat\":\"ac2g\","
		     "\"name\":\"ac2g\",\"bp\":\"e\"},"
		     "{\"ph\":\"f\",\"id\":9,\"pid\":1,\"tid\":1,\"ts\":2,\"cat\":\"fwdbwd\","
		     "\"name\":\"fwdbwd\",\"bp\":\"e\"},"
		     "{\"ph\":\"s\",\"id\":10,\"pid\":1,\"tid\":1,\"ts\":2,\"cat\":\"fwdbwd\","
		     "\"name\":\"fwdbwd\"}," KERNEL("k", "20", "5", "5")));

	assert_int_equal(profile->spans, 1);
	assert_int_equal(profile->activities, 1);
	assert_int_equal(damage_count(profile, NULL), 0); /* normal, not damage */
	profile_free(profile);
}

TEST(gpu_only)
{
	struct profile *profile = trace_open(
		DOCUMENT(KERNEL("k1", "20", "5", "1") "," KERNEL("k2", "30", "5", "2") "," EVENT(
			"gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "0", "7", "40", "5",
			"{\"device\":0,\"stream\":7,\"correlation\":3,\"bytes\":4096}")));
	uint32_t copy = activity_named(profile, "Memcpy HtoD (Pinned -> Device)");

	assert_int_equal(profile->spans, 0);
	assert_int_equal(profile->activities, 3);
	assert_int_equal(profile->activity_kind[copy], ACTIVITY_MEMCPY);
	assert_int_equal(profile->activity_bytes[copy], 4096);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(profile->activity_launch[i], NO_ROW);
	profile_free(profile);
}

TEST(cpu_only)
{
	struct profile *profile =
		trace_open(DOCUMENT(OPERATOR("a", "1", "9") "," OPERATOR("b", "2", "3")));

	assert_int_equal(profile->spans, 2);
	assert_int_equal(profile->activities, 0);
	profile_free(profile);
}

/* Two processes of a merged file use equal correlation ids. */
TEST(merged_ranks_are_separate)
{
#define RANK(n) "\"[rank" n "] " n "7\""
#define RANK_LAUNCH(n)                                                                             \
	EVENT("cuda_runtime", "launch" n, RANK(n), "1", "1", "2", "{\"correlation\":5}")
#define RANK_KERNEL(n)                                                                             \
	EVENT("kernel", "kernel" n, "\"[rank" n "] 0\"", "7", "10", "2",                           \
	      "{\"device\":0,\"stream\":7,\"correlation\":5}")
	struct profile *profile = trace_open(DOCUMENT(
		RANK_LAUNCH("0") "," RANK_LAUNCH("1") "," RANK_KERNEL("0") "," RANK_KERNEL("1")));

	for (int i = 0; i < 2; i++) {
		const char *kernel = i ? "kernel1" : "kernel0", *call = i ? "launch1" : "launch0";
		assert_int_equal(profile->activity_launch[activity_named(profile, kernel)],
				 span_named(profile, call));
	}
	profile_free(profile);
}

TEST(overlap_on_one_stream)
{
	struct profile *profile = trace_open(DOCUMENT(KERNEL("k1", "20", "10", "1") "," KERNEL(
		"k2", "25", "10", "2") "," KERNEL("same", "25", "10", "3")));

	assert_int_equal(profile->activities, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(profile->activity_dur[i], 10000);
	profile_free(profile);
}

TEST(synchronization_is_not_a_kernel)
{
	struct profile *profile = trace_open(DOCUMENT(EVENT(
		"cuda_sync", "Stream Sync", "0", "7", "1", "5",
		"{\"cuda_sync_kind\":\"Stream Sync\",\"stream\":7,\"correlation\":4}") "," EVENT("gpu_user_annotation",
												 "ProfilerStep#1",
												 "0",
												 "7",
												 "1",
												 "5",
												 "{}")));

	assert_int_equal(profile->activities, 1);
	assert_int_equal(profile->activity_kind[0], ACTIVITY_SYNC);
	assert_int_equal(profile->span_kind[span_named(profile, "ProfilerStep#1")],
			 SPAN_GPU_ANNOTATION);
	profile_free(profile);
}
