/* One rule: GPU work belongs to the innermost operator around its launch call. */
#include "trace_case.h"

#include <stdio.h>

#define ANNOTATION(name, ts, dur) EVENT("user_annotation", name, "1", "1", ts, dur, "{}")
#define STEP(ts, dur) ANNOTATION("ProfilerStep#1", ts, dur)
#define SYNC(ts, dur) EVENT("cuda_sync", "Stream Wait Event", "0", "7", ts, dur, "{\"stream\":7}")

static struct value fact(const struct table *derived, const char *metric)
{
	for (size_t row = 0; row < derived->rows; row++)
		if (!strcmp(table_cell(derived, row, "metric").text, metric))
			return table_cell(derived, row, "value");
	return value_missing();
}

TEST(annotation_does_not_take_work_from_its_operator)
{
	struct run *run = trace_run(DOCUMENT(
		STEP("0", "100") "," OPERATOR("record_param_comms", "10", "50") "," ANNOTATION(
			"nccl:all_reduce", "12",
			"40") "," LAUNCH("20", "1") "," KERNEL("nccl", "30", "7", "1")));
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	struct table *layers = trace_view(run, "layers", NULL, NULL);

	assert_int_equal(operators->rows, 1);
	assert_string_equal(table_text(operators, 0, "name"), "record_param_comms");
	assert_int_equal(table_number(operators, 0, "gpu_self_ns"), 7000);
	assert_string_equal(table_text(launches, 0, "operator"), "record_param_comms");
	assert_int_equal(
		table_number(layers, row_with(layers, "name", "record_param_comms"), "gpu_self_ns"),
		7000);
	table_free(operators);
	table_free(launches);
	table_free(layers);
	run_free(run);
}

TEST(annotation_is_no_operator)
{
	static const char *const around[] = { STEP("0", "100"),
					      ANNOTATION("Optimizer.step#A.step", "0", "100"),
					      ANNOTATION("nccl:all_reduce", "0", "100"),
					      ANNOTATION("my range", "0", "100") };
	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		char text[2048];
		snprintf(text, sizeof text,
			 DOCUMENT("%s," LAUNCH("20", "1") "," KERNEL(
				 "k", "30", "9",
				 "1") "," OPERATOR("aten::mm", "40",
						   "9") "," LAUNCH("41", "2") "," KERNEL("gemm",
											 "50", "1",
											 "2")),
			 around[i]);
		struct run *run = trace_run(text);
		struct table *launches = trace_view(run, "launches", NULL, NULL);
		struct table *kernels = trace_view(run, "kernels", NULL, NULL);
		struct table *info = trace_view(run, "info", NULL, NULL);

		assert_string_equal(table_text(launches, 0, "operator"), "");
		assert_string_equal(table_text(launches, 1, "operator"), "aten::mm");
		assert_string_equal(table_text(kernels, row_with(kernels, "name", "k"), "operator"),
				    "");
		assert_int_equal(fact(info, "linked to launch").integer, 2);
		assert_int_equal(fact(info, "linked to operator").integer, 1);
		assert_float_equal(fact(info, "linked to launch, GPU time").real, 100, 1e-9);
		assert_float_equal(fact(info, "linked to operator, GPU time").real, 10, 1e-9);
		table_free(launches);
		table_free(kernels);
		table_free(info);
		run_free(run);
	}
}

/* Rounded times overlap: an instant that two children cover is subtracted once. */
TEST(self_time_excludes_the_union_of_what_is_inside)
{
	struct run *run = trace_run(
		DOCUMENT(OPERATOR("outer", "0", "100") "," OPERATOR("a", "0", "60") "," OPERATOR(
			"b", "30",
			"70") "," EVENT("cuda_runtime", "cudaMalloc", "1", "2", "0", "9",
					"{}") "," EVENT("cpu_op", "alone", "1", "2", "0", "10",
							"{}") "," EVENT("cuda_driver",
									"cuMemCreate", "1", "2",
									"1", "5", "{}")));
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	struct table *layers = trace_view(run, "layers", NULL, NULL);

	for (int i = 0; i < 2; i++) {
		struct table *table = i ? layers : operators;
		assert_int_equal(
			table_number(table, row_with(table, "name", "outer"), "cpu_self_ns"), 0);
		assert_int_equal(
			table_number(table, row_with(table, "name", "alone"), "cpu_self_ns"), 1000);
		assert_int_equal(
			table_number(table, row_with(table, "name", "outer"), "cpu_total_ns"),
			100000);
	}
	table_free(operators);
	table_free(layers);
	run_free(run);
}

TEST(kernel_names_its_operator_and_counts_the_others)
{
	struct run *run = trace_run(DOCUMENT(OPERATOR("a", "0", "9") "," LAUNCH("1", "1") "," KERNEL(
		"k", "10",
		"1", "1") "," OPERATOR("b", "10",
				       "9") "," LAUNCH("11",
						       "2") "," KERNEL("k", "20", "2",
								       "2") "," OPERATOR("c", "20",
											 "9") "," LAUNCH("21", "3") "," KERNEL("k", "30", "5", "3") "," OPERATOR("b", "30", "9") "," LAUNCH("31", "4") "," KERNEL("k", "40", "4", "4") "," LAUNCH("41", "5") "," KERNEL("k",
																																	"50",
																																	"9", "5") "," OPERATOR("a", "60", "9") "," LAUNCH("61",
																																							  "6") "," KERNEL("two",
																																									  "70", "1", "6") "," OPERATOR("b",
																																												       "70", "9") "," LAUNCH("71", "7") "," KERNEL("two",
																																																		   "80",
																																																		   "1",
																																																		   "7")));
	struct table *kernels = trace_view(run, "kernels", NULL, NULL);
	struct table *apart = trace_view(run, "kernels", NULL, "properties");

	assert_int_equal(kernels->rows, 2);
	assert_string_equal(table_text(kernels, 0, "operator"), "b and 2 others");
	assert_string_equal(table_text(kernels, 1, "operator"), "a and 1 other");
	assert_int_equal(apart->rows, 6);
	table_free(kernels);
	table_free(apart);
	run_free(run);
}

TEST(delay_below_zero_is_unknown)
{
	struct run *run = trace_run(DOCUMENT(LAUNCH("10", "1") "," KERNEL(
		"late", "12", "1", "1") "," LAUNCH("20", "2") "," KERNEL("early", "19", "1", "2")));
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	struct table *info = trace_view(run, "info", NULL, NULL);

	assert_int_equal(table_number(launches, 0, "launch_delay_ns"), 2000);
	assert_int_equal(table_cell(launches, 1, "launch_delay_ns").kind, VALUE_MISSING);
	assert_int_equal(fact(info, "start before their launch call").integer, 1);
	table_free(launches);
	table_free(info);
	run_free(run);
}

TEST(steps_and_streams_count_work)
{
	struct run *run = trace_run(DOCUMENT(STEP("0", "100") "," LAUNCH("10", "1") "," KERNEL(
		"launched", "12", "1",
		"1") "," KERNEL("without a call", "20", "1",
				"99") "," SYNC("30", "1") "," KERNEL("after", "200", "1", "98")));
	struct table *steps = trace_view(run, "steps", NULL, NULL);
	struct table *streams = trace_view(run, "streams", NULL, NULL);
	struct table *launches = trace_view(run, "launches", NULL, NULL);

	assert_int_equal(table_number(steps, 0, "launches"), 2);
	assert_int_equal(launches->rows, 4);
	for (size_t row = 0; row < streams->rows; row++)
		if (!strcmp(table_text(streams, row, "device"), "GPU0"))
			assert_int_equal(table_number(streams, row, "events"), 3);
	table_free(steps);
	table_free(streams);
	table_free(launches);
	run_free(run);
}

/* An operator may launch in the step after the one it began in. */
TEST(operators_of_steps_sum_to_all)
{
	struct run *run = trace_run(
		DOCUMENT(STEP("0", "50") "," ANNOTATION("ProfilerStep#2", "50", "50") "," EVENT(
			"cpu_op", "straddles", "1", "2", "40", "30",
			"{}") "," EVENT("cuda_runtime", "cudaLaunchKernel", "1", "2", "60", "2",
					"{\"correlation\":1}") "," KERNEL("k", "70", "5", "1")));
	for (int64_t step = 1; step <= 2; step++) {
		struct scope scope;
		scope_init(&scope);
		scope.has_steps = true;
		scope.step_first = scope.step_last = step;
		struct table *operators = trace_view(run, "operators", &scope, NULL);
		assert_int_equal(operators->rows, 1);
		assert_int_equal(table_number(operators, 0, "calls"), step == 1);
		assert_int_equal(table_number(operators, 0, "gpu_self_ns"), step == 2 ? 5000 : 0);
		table_free(operators);
	}
	run_free(run);
}
