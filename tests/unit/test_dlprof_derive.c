/* DLProf's ops, iterations and sums, derived from a PyTorch trace. */
#include "tools/dlprof/dlprof_key_node.h"
#include "trace_case.h"

#include "derived/derived.h"
#include "tools/dlprof/dlprof_views.h"

#include <stdio.h>

/* Operators of thread 1 (forward) and 2 (backward), with a sequence number. */
#define FORWARD(name, ts, dur, sequence)                                                           \
	EVENT("cpu_op", name, "1", "1", ts, dur,                                                   \
	      "{\"Sequence number\":" sequence ",\"Fwd thread id\":0,"                             \
	      "\"Input Dims\":[[4,3],[6,3]],\"Input type\":[\"c10::Half\",\"c10::Half\"]}")
#define BACKWARD(name, ts, dur, sequence)                                                          \
	EVENT("cpu_op", name, "1", "2", ts, dur,                                                   \
	      "{\"Sequence number\":" sequence ",\"Fwd thread id\":1}")
#define RANGE(name, ts, dur) EVENT("user_annotation", name, "1", "1", ts, dur, "{}")
#define STEP(number, ts, dur)                                                                      \
	EVENT("user_annotation", "ProfilerStep#" number, "1", "1", ts, dur, "{}")
#define LOADER(ts, dur)                                                                            \
	EVENT("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",    \
	      "1", "1", ts, dur, "{}")

/*
 * Each step: data loading, two linears (one nested in the other), their backward, a call outside
 * any op.
 */
#define ONE_STEP(number, at)                                                                                                            \
	STEP(number, at "00", "100")                                                                                                    \
	"," LOADER(at "01", "9") "," FORWARD("aten::linear", at "10", "20", number) "," FORWARD(                                        \
		"aten::linear", at "12", "10",                                                                                          \
		number) "," LAUNCH(at "14", number                                                                                      \
				   "1") "," KERNEL("void sm80_xmma_gemm_f16<int>(int)", at "15",                                        \
						   "5",                                                                                 \
						   number                                                                               \
						   "1") "," FORWARD("aten::linear", at "40", "10",                                      \
								    "7" number) "," BACKWARD("MmBackward0",                             \
											     at                                         \
											     "60",                                      \
											     "10",                                      \
											     number) "," EVENT("cuda_runtime",          \
													       "cudaDeviceSynchronize", \
													       "1",                     \
													       "1",                     \
													       at                       \
													       "90",                    \
													       "5",                     \
													       "{}")

static const char trace[] = DOCUMENT(ONE_STEP("3", "1") "," ONE_STEP("4", "2"));

static struct table *report(const struct run *run, const struct view *view, const char *group)
{
	struct scope scope;
	struct error error = { 0 };

	scope_init(&scope);
	struct table *table = view_build(view, run, &scope, group, NULL, &error);
	if (!table)
		fail_msg("%s: %s", view->name, error.message);
	return table;
}

/* Devices without properties are counted if they have activities. */
TEST(undescribed_devices_are_counted)
{
	struct run *run = trace_run(DOCUMENT(LAUNCH("1", "1") "," KERNEL(
		"k", "2", "2",
		"1") ","
		     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":3,\"tid\":7,\"ts\":2,"
		     "\"dur\":4,\"args\":{\"device\":3,\"stream\":7}}"));
	struct table *summary = report(run, &dlprof_summary.view, NULL);

	assert_cell(summary, row_with(summary, "metric", "GPU Count"), "value", "2");
	table_free(summary);
	run_free(run);
}

TEST(outermost_operators_are_ops)
{
	struct run *run = trace_run(trace);
	struct table *ops = report(run, &dlprof_detailed.view, NULL);
	size_t row = row_with(ops, "op_id", "LINEAR_1");

	/* Two forward linears and a backward one, the loader, and the call outside any op. */
	assert_int_equal(ops->rows, 5);
	assert_int_equal(table_number(ops, row, "calls"), 2);
	assert_int_equal(table_number(ops, row, "cpu_total_ns"), 40000);
	assert_int_equal(table_number(ops, row, "gpu_total_ns"), 10000);
	assert_int_equal(table_number(ops, row, "overhead_total_ns"), 36000);
	assert_int_equal(table_number(ops, row, "tc_eligible"), 1);
	assert_int_equal(table_number(ops, row, "tc_used"), 1);
	assert_cell(ops, row, "op_name", "/linear");
	assert_cell(ops, row, "direction", "fprop");
	assert_cell(ops, row, "data_type", "float16");
	row = row_with(ops, "op_name", "unassociated_cudaDeviceSynchronize");
	assert_cell(ops, row, "op_id", "CUDADEVICESYNCHRONIZE_1");
	assert_int_equal(table_number(ops, row, "overhead_total_ns"), 0);
	table_free(ops);
	run_free(run);
}

/* A call may outlast its op; the part after the op does not reduce its overhead. */
TEST(overhead_is_op_time_outside_calls)
{
	struct run *run = trace_run(DOCUMENT(FORWARD("aten::linear", "100", "10", "1") "," EVENT(
		"cuda_runtime", "cudaMemcpyAsync", "1", "1", "108", "3", "{}")));
	struct table *ops = report(run, &dlprof_detailed.view, NULL);
	struct table *groups = report(run, &dlprof_group_op.view, NULL);

	for (size_t row = 0; row < ops->rows; row++)
		assert_true(table_number(ops, row, "overhead_total_ns") >= 0);
	for (size_t row = 0; row < groups->rows; row++)
		assert_true(table_number(groups, row, "overhead_total_ns") >= 0);
	assert_int_equal(table_number(ops, row_with(ops, "op_id", "LINEAR_1"), "overhead_total_ns"),
			 8000);
	table_free(groups);
	table_free(ops);
	run_free(run);
}

TEST(backward_ops_have_forward_name)
{
	struct run *run = trace_run(trace);
	struct table *ops = report(run, &dlprof_detailed.view, NULL);
	size_t row = row_with(ops, "direction", "bprop");

	assert_cell(ops, row, "op_type", "linear");
	assert_cell(ops, row, "op_name", "/linear");
	assert_cell(ops, row, "op_id", "LINEAR_3");
	assert_int_equal(table_number(ops, row, "calls"), 2);
	table_free(ops);
	run_free(run);
}

TEST(steps_are_iterations)
{
	struct run *run = trace_run(trace);
	struct table *launches = report(run, &dlprof_iteration.view, NULL);
	struct table *summary = report(run, &dlprof_summary.view, NULL);
	size_t row = row_with(summary, "metric", "Wall Clock Time (ns)");

	assert_int_equal(launches->rows, 2);
	assert_int_equal(table_number(launches, 0, "step"), 3);
	assert_int_equal(table_number(launches, 1, "step"), 4);
	assert_cell(launches, 0, "name", "sm80_xmma_gemm_f16");
	assert_cell(launches, 0, "long_name", "void sm80_xmma_gemm_f16<int>(int)");
	assert_int_equal(table_number(summary, row, "value"), 200000);
	row = row_with(summary, "metric", "Dataloader Duration %");
	assert_float_equal(table_cell(summary, row, "value").real, 9, 1e-9);
	table_free(launches);
	table_free(summary);
	run_free(run);
}

TEST(op_can_be_key_node)
{
	struct run *run = trace_run(trace);
	struct table *summary = report(run, &dlprof_summary.view, "key=LINEAR_1");
	size_t row = row_with(summary, "metric", "Total Iterations");

	/* Two ends make three iterations. */
	assert_int_equal(table_number(summary, row, "value"), 3);
	table_free(summary);
	run_free(run);
}

/* Three rounds of two operators, the last one truncated; no step markers. */
static const char unmarked[] =
	DOCUMENT(OPERATOR("aten::a", "100", "10") "," OPERATOR("aten::b", "110", "10") "," OPERATOR(
		"aten::a", "120",
		"10") "," LAUNCH("122",
				 "7") "," KERNEL("k", "160", "5",
						 "7") "," OPERATOR("aten::b", "130",
								   "20") "," OPERATOR("aten::a",
										      "150", "10"));

TEST(key_node_defines_iterations_without_steps)
{
	struct run *run = trace_run(unmarked);
	struct table *ops = report(run, &dlprof_detailed.view, "key=B_1");

	assert_int_equal(ops->rows, 2);
	assert_int_equal(table_number(ops, row_with(ops, "op_id", "A_1"), "calls"), 3);
	assert_int_equal(table_number(ops, row_with(ops, "op_id", "B_1"), "calls"), 2);
	table_free(ops);
	run_free(run);
}

TEST(key_node_iterations_can_be_steps)
{
	struct run *run = trace_run(unmarked);
	struct error error = { 0 };
	struct profile *profile = run->ranks[0].profile;
	struct derived *derived = derived_build(profile, NULL, NULL, &error);

	assert_true(key_node_cut(derived, profile->strings, "B_1", NULL, &error));
	/* from the profile's zero to each end of the key node, and the remainder */
	assert_int_equal(derived->step_count, 3);
	assert_string_equal(profile_string(profile, derived->key_node), "B_1");
	assert_int_equal(derived->steps[0].start, 0);
	assert_int_equal(derived->steps[0].end, 20000);
	assert_int_equal(derived->steps[1].start, 20000);
	assert_int_equal(derived->steps[1].end, 50000);
	assert_int_equal(derived->steps[2].end, 65001);
	/* a kernel belongs to the iteration that launched it, not the one it ran in */
	assert_int_equal(derived->activity_step[0], 1);
	assert_int_equal(derived->steps[1].launched, 1);
	assert_false(key_node_cut(derived, profile->strings, "C_1", NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	derived_free(derived);
	run_free(run);
}

/* DLProf stored no advice: what strata finds, if a detector of DLProf looks for it. */
TEST(advice_has_the_names_of_dlprofs_detectors)
{
	struct run *run =
		trace_run("{\"schemaVersion\":1,\"detect_anomaly\":1,\"traceEvents\":[" OPERATOR(
			"aten::mm", "100",
			"50") "," LAUNCH("110", "1") "," KERNEL("gemm", "120", "500", "1") "]}");
	struct table *advice = report(run, &dlprof_expert_systems.view, NULL);
	size_t row = row_with(advice, "detector", "slow_api_detector");

	assert_cell(advice, row, "problem", "Autograd debug mode on: detect_anomaly was on.");
	row_with(advice, "detector", "no_iterations_detector");
	for (size_t i = 0; i < advice->rows; i++)
		assert_non_null(strstr(table_cell(advice, i, "detector").text, "_detector"));
	table_free(advice);
	run_free(run);
}

/* Without PyTorch's operators ranges are ops, which take the calls that no range inside takes. */
TEST(ranges_are_ops)
{
	struct run *run = trace_run(DOCUMENT(
		RANGE("epoch", "100", "100") "," RANGE("layer", "110", "20") "," LAUNCH("112", "1") "," KERNEL(
			"k", "113", "4",
			"1") "," LAUNCH("150",
					"2") "," KERNEL("k", "151", "5",
							"2") "," RANGE("layer", "160",
								       "20") "," LAUNCH("300",
											"3") "," KERNEL("k",
													"301",
													"6",
													"3") "," LAUNCH("310",
															"4")));
	struct table *ops = report(run, &dlprof_detailed.view, NULL);
	size_t row = row_with(ops, "op_name", "layer");

	assert_int_equal(ops->rows, 3);
	assert_int_equal(table_number(ops, row, "calls"), 2);
	assert_int_equal(table_number(ops, row, "gpu_total_ns"), 4000);
	row = row_with(ops, "op_name", "epoch");
	assert_int_equal(table_number(ops, row, "gpu_total_ns"), 5000);
	assert_int_equal(table_number(ops, row, "cpu_total_ns"), 100000);
	row = row_with(ops, "op_name", "unassociated_cudaLaunchKernel");
	assert_int_equal(table_number(ops, row, "calls"), 2);
	assert_int_equal(table_number(ops, row, "gpu_total_ns"), 6000);
	table_free(ops);
	run_free(run);
}

/* Start/end ranges that overlap lie on a track of their own, and take calls of their thread. */
TEST(ranges_on_other_tracks_take_calls)
{
	struct run *run = trace_run(DOCUMENT(EVENT("user_annotation", "a", "1", "90", "100", "50", "{\"thread\":\"1\"}") "," EVENT(
		"user_annotation", "b",
		"1", "91", "120", "60",
		"{\"thread\":\"1\"}") "," LAUNCH("110",
						 "1") "," KERNEL("k", "111", "4",
								 "1") "," LAUNCH("130",
										 "2") "," KERNEL("k",
												 "131",
												 "5",
												 "2") "," LAUNCH("160",
														 "3") "," KERNEL("k",
																 "161",
																 "6",
																 "3")));
	struct table *ops = report(run, &dlprof_detailed.view, NULL);

	assert_int_equal(ops->rows, 2);
	assert_int_equal(table_number(ops, row_with(ops, "op_name", "a"), "gpu_total_ns"), 4000);
	assert_int_equal(table_number(ops, row_with(ops, "op_name", "b"), "gpu_total_ns"), 11000);
	table_free(ops);
	run_free(run);
}

/* Ranges with a number are steps, and iterations; a range can be the key node. */
TEST(ranges_found_as_steps_are_iterations)
{
	struct run *run = trace_run(DOCUMENT(
		RANGE("Iteration 0", "100", "90") "," OPERATOR("aten::mm", "110", "20") "," RANGE(
			"Iteration 1", "200",
			"90") "," OPERATOR("aten::mm", "210",
					   "20") "," RANGE("Iteration 2", "300",
							   "90") "," OPERATOR("aten::mm", "310",
									      "20")));
	struct table *summary = report(run, &dlprof_summary.view, NULL);
	size_t row = row_with(summary, "metric", "Total Iterations");

	assert_int_equal(table_number(summary, row, "value"), 3);
	table_free(summary);
	summary = report(run, &dlprof_summary.view, "key=Iteration 1");
	row = row_with(summary, "metric", "Total Iterations");
	assert_int_equal(table_number(summary, row, "value"), 2);
	table_free(summary);
	run_free(run);
}

#define CONV(arguments)                                                                            \
	EVENT("cpu_op", "aten::conv2d", "1", "1", "10", "20",                                      \
	      "{\"Input Dims\":[[2,3,32,30],[6,3,3,3],[6],[],[],[],[]],"                           \
	      "\"Input type\":[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"ScalarList\","          \
	      "\"ScalarList\",\"ScalarList\",\"Scalar\"]" arguments "}")

static void check_conv(const char *document, const char *parameters, const char *outputs)
{
	struct run *run = trace_run(document);
	struct table *launches = report(run, &dlprof_iteration.view, NULL);

	assert_int_equal(launches->rows, 1);
	assert_cell(launches, 0, "data_type", "float16");
	assert_cell(launches, 0, "input_shapes",
		    "<N:2, C:3, H:32, W:30>; <K:6, C:3, R:3, S:3>; <6>");
	assert_cell(launches, 0, "parameters", parameters);
	assert_cell(launches, 0, "output_shapes", outputs);
	table_free(launches);
	run_free(run);
}

/* Output shapes follow from the arguments, and are unknown without their values. */
TEST(convolutions_have_parameters_and_output_shapes)
{
	check_conv(DOCUMENT(CONV(",\"Concrete Inputs\":[\"\",\"\",\"\",\"[2, 2]\",\"[1, 0]\","
				 "\"[1, 2]\",\"1\"]") "," LAUNCH("12", "1") "," KERNEL("k", "13",
										       "4", "1")),
		   "<SH:2, SW:2>; <PH:1, PW:0>; <DH:1, DW:2>; <G:1>", "<N:2, K:6, P:16, Q:13>");
	check_conv(DOCUMENT(CONV("") "," LAUNCH("12", "1") "," KERNEL("k", "13", "4", "1")), "",
		   "");
}

/* Python calls around an operator are its stack, as lines of file:line, outermost first. */
TEST(python_calls_are_stacks)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("python_function", "run.py(7): main", "1", "1", "100", "50", "{}") "," EVENT(
			"python_function", "<built-in function linear>", "1", "1", "101", "45",
			"{}") "," EVENT("python_function", "net.py(12): forward", "1", "1", "102",
					"40", "{}") "," OPERATOR("aten::mm", "110", "20")));
	struct table *ops = report(run, &dlprof_detailed.view, NULL);

	assert_cell(ops, 0, "stack", "run.py:7\nnet.py:12");
	table_free(ops);
	run_free(run);
}

/* Shares of the file calls that the operating system made, before CPU time. */
TEST(file_calls_are_io)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("aten::mm", "100", "50") "," EVENT(
		"os_runtime", "fread", "1", "1", "110", "10",
		"{}") "," EVENT("os_runtime", "poll", "1", "1", "130", "10",
				"{}") "," OPERATOR("aten::mm", "150", "50")));
	struct table *summary = report(run, &dlprof_summary.view, NULL);
	size_t row = row_with(summary, "metric", "IO Duration %");

	assert_float_equal(table_cell(summary, row, "value").real, 10, 1e-9);
	row = row_with(summary, "metric", "CPU Duration %");
	assert_float_equal(table_cell(summary, row, "value").real, 90, 1e-9);
	table_free(summary);
	run_free(run);
	run = trace_run(trace);
	summary = report(run, &dlprof_summary.view, NULL);
	row = row_with(summary, "metric", "IO Duration %");
	assert_int_equal(table_cell(summary, row, "value").kind, VALUE_MISSING);
	table_free(summary);
	run_free(run);
}
