/*
 * Work of a profile: what counts, what is unknown, and that views agree.
 */
#include "analysis/work/work.h"
#include "trace_case.h"

#define SHAPED(name, ts, dur, shapes, types)                                                       \
	EVENT("cpu_op", name, "1", "1", ts, dur,                                                   \
	      "{\"Input Dims\":" shapes ",\"Input type\":" types "}")
#define MEMCPY(ts, dur, correlation, bytes)                                                        \
	EVENT("gpu_memcpy", "Memcpy DtoD (Device -> Device)", "0", "7", ts, dur,                   \
	      "{\"device\":0,\"stream\":7,\"bytes\":" bytes ",\"correlation\":" correlation "}")

static bool is_missing(struct table *table, size_t row, const char *column)
{
	return table_cell(table, row, column).kind == VALUE_MISSING;
}

static int64_t sum(struct table *table, const char *column)
{
	int64_t all = 0;
	for (size_t i = 0; i < table->rows; i++)
		all += table_number(table, i, column);
	return all;
}

#define HALVES "[\"c10::Half\",\"c10::Half\"]"
#define FLOATS "[\"float\",\"float\"]"

/* Autocast calls an operator again: linear, casts, linear, addmm. A cast moves 6 × (4 + 2) bytes.
 */
TEST(nested_calls_of_an_operator_count_once)
{
	struct run *run = trace_run(DOCUMENT(
		SHAPED("aten::linear", "0", "90", "[[2,3],[5,3]]", FLOATS) "," SHAPED("aten::copy_", "1", "9", "[[2,3],[2,3]]", "[\"c10::Half\",\"float\"]") "," LAUNCH(
			"2",
			"1") "," SHAPED("aten::linear", "20", "60", "[[2,3],[5,3]]",
					HALVES) "," SHAPED("aten::mm", "30", "40", "[[2,3],[3,5]]",
							   HALVES) "," LAUNCH("40",
									      "2") "," KERNEL("cast",
											      "100",
											      "5",
											      "1") "," KERNEL("gemm",
													      "110",
													      "10",
													      "2")));
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	const int64_t bytes = 2 * (6 + 15 + 10);
	size_t linear = row_with(operators, "name", "aten::linear");
	assert_int_equal(table_number(operators, linear, "calls"), 2);
	assert_int_equal(table_number(operators, linear, "flops"), 60);
	assert_int_equal(table_number(operators, linear, "bytes"), 36 + bytes);
	assert_int_equal(table_number(operators, row_with(operators, "name", "aten::mm"), "flops"),
			 60);
	assert_int_equal(sum(launches, "flops"), 60);
	assert_int_equal(sum(launches, "bytes"), 36 + bytes);
	assert_rows(run, "operators", NULL, NULL, "name,self_flops,self_bytes,flops",
		    "aten::linear,,,60\naten::copy_,0,36,0\naten::mm,60,62,60\n");
	assert_int_equal(table_number(layers, 0, "flops"), 60);
	assert_int_equal(table_number(layers, 0, "bytes"), 36 + bytes);
	table_free(operators);
	table_free(launches);
	table_free(layers);
	run_free(run);
}

/* A kernel of the outer call beside that of the inner one: the product is done once. */
TEST(wrappers_count_what_the_calls_inside_leave)
{
	struct run *run = trace_run(
		DOCUMENT(SHAPED("aten::linear", "0", "90", "[[2,3],[5,3]]", FLOATS) "," LAUNCH(
			"2",
			"1") "," SHAPED("aten::mm", "30", "40", "[[2,3],[3,5]]",
					FLOATS) "," LAUNCH("40",
							   "2") "," KERNEL("layout", "100", "5",
									   "1") "," KERNEL("gemm",
											   "110",
											   "10",
											   "2")));
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	assert_true(is_missing(launches, 0, "flops"));
	assert_true(is_missing(launches, 0, "bytes"));
	assert_int_equal(table_number(launches, 1, "flops"), 60);
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	assert_int_equal(
		table_number(operators, row_with(operators, "name", "aten::linear"), "flops"), 60);
	table_free(operators);
	table_free(launches);
	run_free(run);
}

/* A compiled region copies in a known kernel and computes in an unknown one. */
TEST(unknown_regions_are_blank)
{
	struct run *run = trace_run(DOCUMENT(
		OPERATOR("CompiledFunction", "0", "90") "," SHAPED("aten::copy_", "1", "9", "[[6],[6]]", FLOATS) "," LAUNCH("2", "1") "," LAUNCH(
			"40",
			"2") "," KERNEL("copy", "100", "5",
					"1") "," KERNEL("triton_red_fused_3", "110", "10",
							"2") "," SHAPED("aten::sort", "91", "5",
									"[[6]]",
									"[\"float\"]") "," LAUNCH("92",
												  "3") "," KERNEL("radix",
														  "130",
														  "5",
														  "3")));
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	size_t region = row_with(operators, "name", "CompiledFunction"),
	       sort = row_with(operators, "name", "aten::sort");
	assert_true(is_missing(operators, region, "flops"));
	assert_int_equal(table_number(operators, region, "bytes"), 48);
	assert_true(is_missing(operators, sort, "flops"));
	assert_true(is_missing(operators, sort, "bytes"));
	table_free(operators);
	run_free(run);
}

/* A size that was recorded counts, read and written; a launch and its rate show the size. */
TEST(recorded_sizes_of_copies_count)
{
	struct run *run = trace_run(
		DOCUMENT(OPERATOR("aten::copy_", "0", "9") "," LAUNCH("2", "1") "," OPERATOR(
			"aten::add", "20",
			"9") "," LAUNCH("22", "2") "," MEMCPY("100", "5", "1",
							      "1000") "," KERNEL("add", "110", "10",
										 "2")));
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	struct table *layers = trace_view(run, "layers", NULL, NULL);
	assert_int_equal(
		table_number(operators, row_with(operators, "name", "aten::copy_"), "bytes"), 2000);
	assert_int_equal(table_number(launches, 0, "bytes"), 1000);
	assert_true(table_cell(launches, 0, "bytes_per_s").real == 1000 / 5e-6);
	assert_int_equal(table_number(layers, 0, "bytes"), 2000);
	assert_true(is_missing(operators, row_with(operators, "name", "aten::add"), "bytes"));
	table_free(operators);
	table_free(launches);
	table_free(layers);
	run_free(run);
}

/* DTensor calls operators on shapes only. */
/* A profile with copies alone: what the device copied, but no FLOPs, as with kernels. */
TEST(copies_without_kernels_have_no_flops)
{
	struct run *run = trace_run(
		DOCUMENT(SHAPED("aten::copy_", "0", "9", "[[2,3],[2,3]]",
				FLOATS) "," LAUNCH("2", "1") "," MEMCPY("4", "5", "1", "24")));
	static const char *const views[] = { "operators", "launches", "layers" };
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		struct table *table = trace_view(run, views[i], NULL, NULL);
		assert_true(table->rows > 0);
		for (size_t row = 0; row < table->rows; row++)
			assert_int_equal(table_cell(table, row, "flops").kind, VALUE_MISSING);
		table_free(table);
	}
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	assert_int_equal(table_number(operators, 0, "bytes"), 48);
	table_free(operators);
	run_free(run);
}

/* A set of unknown size clears the product's workspace: it neither multiplies nor reads. */
TEST(sets_and_copies_compute_nothing)
{
	struct run *run = trace_run(DOCUMENT(
		SHAPED("aten::mm", "0", "9", "[[2,3],[3,5]]", FLOATS) "," LAUNCH("2", "1") "," LAUNCH(
			"4",
			"2") "," KERNEL("gemm", "100", "5",
					"1") "," EVENT("gpu_memset", "Memset (Device)", "0", "7",
						       "110", "50",
						       "{\"device\":0,\"stream\":7,\"correlation\":2}")));
	struct table *launches = trace_view(run, "launches", NULL, NULL);
	size_t set = row_with(launches, "name", "Memset (Device)");
	assert_true(is_missing(launches, set, "flops") && is_missing(launches, set, "bytes"));
	size_t product = row_with(launches, "name", "gemm");
	assert_int_equal(table_number(launches, product, "flops"), 60);
	table_free(launches);
	run_free(run);
}

/* ROCm records a copy's size on its call; a copy without any moves half of what is read and
 * written.
 */
TEST(copies_have_their_size)
{
	struct run *run = trace_run(DOCUMENT(EVENT("cuda_runtime", "hipMemcpyAsync", "1", "1", "0", "2", "{\"correlation\":1,\"size\":\"4096\"}") "," EVENT(
		"gpu_memcpy", "Memcpy HtoD (Host -> Device)", "0", "7", "10", "5",
		"{\"device\":0,\"stream\":7,\"correlation\":1}") "," SHAPED("aten::copy_", "20",
									    "9", "[[8],[8]]",
									    FLOATS) "," LAUNCH("22",
											       "2") "," EVENT("gpu_memcpy",
													      "Memcpy DtoD (Device -> Device)",
													      "0",
													      "7",
													      "30",
													      "8",
													      "{\"device\":0,\"stream\":7,\"correlation\":2}")));
	assert_rows(run, "launches", NULL, NULL, "name,bytes,bytes_from,bytes_per_s",
		    "Memcpy HtoD (Host -> Device),4096,recorded,8.192e+08\n"
		    "Memcpy DtoD (Device -> Device),32,estimated,4e+06\n");
	run_free(run);
}

/* Without kernels calls count by themselves, but not what their copies, of a size that was not
 * recorded, are. */
TEST(copies_without_a_size_or_a_kernel_count_once)
{
	struct run *run = trace_run(DOCUMENT(
		EVENT("cpu_op", "aten::copy_", "1", "1", "0", "100", "{\"Input Dims\":[[1000],[1000]],\"Input type\":[\"float\",\"float\"]}") "," LAUNCH(
			"10", "1") "," EVENT("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "0",
					     "7", "20", "5",
					     "{\"device\":0,\"stream\":7,\"correlation\":1}")));
	assert_rows(run, "launches", NULL, NULL, "bytes,bytes_from", "4000,estimated\n");
	assert_rows(run, "operators", NULL, NULL, "name,bytes,self_bytes",
		    "aten::copy_,8000,8000\n");
	assert_rows(run, "layers", NULL, NULL, "bytes", "8000\n8000\n8000\n");
	run_free(run);
}

TEST(calls_without_kernels_add_nothing)
{
	struct run *run = trace_run(
		DOCUMENT(SHAPED("aten::mm", "0", "9", "[[20,30],[30,50]]", FLOATS) "," SHAPED(
			"aten::mm", "10", "9", "[[2,3],[3,5]]",
			FLOATS) "," LAUNCH("12", "1") "," KERNEL("gemm", "100", "5", "1")));
	struct table *operators = trace_view(run, "operators", NULL, NULL);
	assert_int_equal(table_number(operators, 0, "calls"), 2);
	assert_int_equal(table_number(operators, 0, "flops"), 60);
	table_free(operators);
	run_free(run);
}

/* Half of the kernel time has FLOPs, all of it has bytes; a copy is no kernel. */
TEST(sums_know_their_coverage)
{
	struct work_sum sum = { 0 };
	work_sum_call(&sum, (struct work){ 60, 10 });
	work_sum_call(&sum, (struct work){ 0.0 / 0.0, 5 });
	struct work work = work_sum_value(&sum);
	assert_true(work.flops == 60 && work.bytes == 15);
	const struct work_known *of = &sum.known;
	assert_true(of->with_flops == 1 && of->without_flops == 1 && of->without_bytes == 0);
	struct work_sum zero = { 0 };
	work_sum_call(&zero, (struct work){ 0, 10 });
	assert_true(work_sum_value(&zero).flops == 0);
	work_sum_call(&zero, (struct work){ 0.0 / 0.0, 10 });
	assert_true(work_sum_value(&zero).flops != work_sum_value(&zero).flops);
	struct run *run =
		trace_run(DOCUMENT(SHAPED("aten::mm", "0", "9", "[[2,3],[3,5]]", FLOATS) "," LAUNCH(
			"2",
			"1") "," OPERATOR("custom::op", "20",
					  "9") "," LAUNCH("22",
							  "2") "," KERNEL("gemm", "100", "30",
									  "1") "," KERNEL("custom",
											  "140",
											  "10",
											  "2")));
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	for (size_t i = 0; i < overview->rows; i++) {
		struct value metric = table_cell(overview, i, "metric");
		if (metric.length == 15 && memcmp(metric.text, "flops_known_pct", 15) == 0)
			assert_true(table_cell(overview, i, "value").real == 75);
	}
	table_free(overview);
	run_free(run);
}
