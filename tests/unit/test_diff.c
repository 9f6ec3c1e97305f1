/* Two small runs compared, with differences counted by hand. */
#include "step_case.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <stdio.h>

/* A call of an operator at TS (us, two digits less) with a kernel of DUR us. */
#define WORK(op, kernel, ts, dur, correlation)                                                     \
	OPERATOR(op, ts "00", "50")                                                                \
	"," LAUNCH(ts "10", correlation) "," KERNEL(kernel, ts "20", dur, correlation)

static struct run *compared(const char *base, const char *new)
{
	struct run *run = trace_run(new);
	run_compare(run, trace_run(base));
	return run;
}

TEST(kernels_of_two_runs)
{
	struct run *run = compared(DOCUMENT(STEP("1", "0", "1000") "," WORK(
					   "aten::mm", "gemm", "0", "10",
					   "1") "," WORK("aten::add", "old", "2", "5", "2")),
				   DOCUMENT(STEP("1", "0", "1000") "," WORK(
					   "aten::mm", "gemm", "0", "30",
					   "1") "," WORK("aten::mul", "added", "2", "7", "2")));

	assert_rows(run, "diff", NULL, "kernels",
		    "name,base_calls,new_calls,base_gpu_ns,new_gpu_ns,delta_gpu_ns,ratio",
		    "gemm,1,1,10000,30000,20000,3\nadded,,1,,7000,7000,\nold,1,,5000,,-5000,\n");
	/* the other two have 48 us of host time more or less */
	assert_rows(run, "diff", NULL, "operators", "name,base_calls,new_calls,delta_gpu_ns,ratio",
		    "aten::add,1,,-5000,\naten::mul,,1,7000,\naten::mm,1,1,20000,3\n");
	run_free(run);
}

/* 400 us, of which 100 in an operator, and 40 us; as older versions of PyTorch record them. */
#define LOADER(class, dur)                                                                         \
	OPERATOR("enumerate(DataLoader)#_" class "ProcessDataLoaderIter.__next__", "0", dur)
#define OPTIMIZER OPERATOR("Optimizer.step#SGD.step", "490", "150")

/* Four kernels become one: the operator around them is in both runs. */
TEST(fused_operators_are_comparable)
{
	struct run *run = compared(
		DOCUMENT(OPERATOR("moe", "0", "600") "," WORK("sort", "a", "1", "90", "1") "," WORK(
			"stage1", "b", "2", "80", "2") "," WORK("stage2", "c", "3", "70", "3")),
		DOCUMENT(OPERATOR("moe", "0", "200") "," WORK("fused", "d", "1", "90", "1")));
	struct table *diff = trace_view(run, "diff", NULL, "operators");
	assert_string_equal(diff->comparable, "weak"); /* without steps */
	table_free(diff);
	run_free(run);
}

/* Labels have no time of their own to compare, and are paired whatever their class. */
TEST(data_loaders_and_optimizers_are_compared_by_their_totals)
{
	struct run *run = compared(
		DOCUMENT(LOADER("Single", "400") "," OPERATOR(
			"aten::stack", "10", "100") "," OPTIMIZER
						    "," WORK("aten::add_", "add", "5", "10", "1")),
		DOCUMENT(LOADER("Multi", "40") "," OPERATOR(
			"aten::stack", "10", "20") "," OPTIMIZER
						   "," WORK("aten::add_", "add", "5", "30",
							    "1") "," OPERATOR("AddmmBackward",
									      "700", "5")));

	assert_rows(
		run, "diff", NULL, "operators",
		"kind,name,base_cpu_ns,new_cpu_ns,base_cpu_total_ns,new_cpu_total_ns,"
		"base_gpu_total_ns,new_gpu_total_ns",
		"data loader,enumerate(DataLoader)#_MultiProcessDataLoaderIter.__next__,,,400000,"
		"40000,0,0\n"
		"operator,aten::stack,100000,20000,100000,20000,0,0\n"
		"operator,aten::add_,48000,48000,50000,50000,10000,30000\n"
		"optimizer,Optimizer.step#SGD.step,,,150000,150000,10000,30000\n"
		"backward,AddmmBackward,,5000,,5000,,0\n");
	assert_rows(run, "diff", NULL, NULL, "name,base_name,delta_cpu_total_ns",
		    "enumerate(DataLoader)#_MultiProcessDataLoaderIter.__next__,"
		    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__,-360000\n"
		    "aten::stack,,-80000\naten::add_,,0\nOptimizer.step#SGD.step,,0\n"
		    "AddmmBackward,,5000\n");
	run_free(run);
}

/* Steps with the same numbers are compared, others are of one run only. */
TEST(steps_are_paired_by_number)
{
	struct run *run = compared(DOCUMENT(STEP("2", "0", "100") "," STEP(
					   "3", "100", "100") "," STEP("5", "200", "80")),
				   DOCUMENT(STEP("3", "0", "150") "," STEP(
					   "4", "200", "100") "," STEP("5", "300", "60")));

	assert_rows(run, "diff", NULL, "steps", "kind,name,base_cpu_ns,new_cpu_ns,delta_cpu_ns",
		    "median,median step,100000,100000,0\n"
		    "step,step 2,100000,,-100000\n"
		    "step,step 3,100000,150000,50000\n"
		    "step,step 4,,100000,100000\n"
		    "step,step 5,80000,60000,-20000\n");
	run_free(run);
}

/* Two calls of half the time, without steps: no call has a counterpart, so nothing is judged. */
TEST(other_numbers_of_calls_are_not_comparable)
{
	struct run *run = compared(
		DOCUMENT(WORK("aten::mm", "gemm", "0", "20", "1")),
		DOCUMENT(OPERATOR("aten::mm", "000", "50") "," LAUNCH("010", "1") "," KERNEL(
			"gemm", "020", "10", "1") "," LAUNCH("013", "2") "," KERNEL("gemm", "040",
										    "10", "2")));

	assert_rows(run, "diff", NULL, "kernels",
		    "name,base_calls,new_calls,base_gpu_ns,new_gpu_ns,verdict",
		    "gemm,1,2,20000,20000,not comparable\n");
	run_free(run);
}

/* Three calls of 100 us take 50 and 20 us, the latter two elsewhere: so says the one that is known.
 */
TEST(calls_that_agree_with_the_sum_are_judged)
{
	struct run *run = compared(DOCUMENT(WORK("aten::mm", "gemm", "0", "100", "1") "," WORK(
					   "aten::bmm", "gemm", "2", "100",
					   "2") "," WORK("aten::bmm", "gemm", "4", "100", "3")),
				   DOCUMENT(WORK("aten::mm", "gemm", "0", "50", "1") "," WORK(
					   "aten::bmm", "gemm", "2", "20",
					   "2") "," WORK("aten::addmm", "gemm", "4", "20", "3")));

	assert_rows(run, "diff", NULL, "kernels", "name,base_gpu_ns,new_gpu_ns,verdict",
		    "gemm,300000,90000,likely faster\n");
	run_free(run);
}

/* FIRST to LAST, each with a kernel of 10 us; the first takes 100 us and EXTRA more. */
static struct run *run_with_start(const char *device, int first, int last, int extra)
{
	struct buffer text = { 0 };
	buffer_printf(
		&text,
		"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"%s\"}],\"traceEvents\":[" OPERATOR(
			"aten::empty", "0", "1"),
		device);
	for (int i = first; i <= last; i++, extra = 0)
		buffer_printf(
			&text,
			",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,"
			"\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{}}"
			",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
			"\"ts\":%d,\"dur\":20,\"args\":{}}"
			",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
			"\"tid\":1,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d}}"
			",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,"
			"\"dur\":10,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}",
			i, 100 * i - extra, 100 + extra, 100 * i + 5, 100 * i + 8, i, 100 * i + 40,
			i);
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	buffer_free(&text);
	return run;
}

static struct run *run_of_steps(const char *device, int first, int last)
{
	return run_with_start(device, first, last, 0);
}

static void check_comparable(struct run *base, struct run *new, const char *expected)
{
	run_compare(new, base);
	struct table *diff = trace_view(new, "diff", NULL, "kernels");
	assert_non_null(diff->note);
	if (strcmp(diff->note, expected) != 0)
		fail_msg("%s", diff->note);
	table_free(diff);
	run_free(new);
}

TEST(whether_runs_are_comparable)
{
	check_comparable(run_of_steps("A", 1, 5), run_of_steps("A", 1, 5), "Comparable: yes.");
	check_comparable(run_of_steps("A", 1, 5), run_of_steps("B", 1, 5),
			 "Comparable: weak; the devices differ.");
	check_comparable(
		run_of_steps("A", 1, 2), run_of_steps("A", 1, 2),
		"Comparable: weak; one run has fewer than 3 complete steps, so calls are compared.");
	check_comparable(
		run_of_steps("A", 5, 9), run_with_start("A", 5, 9, 300),
		"Comparable: yes; the base has 5 complete steps, the new run 4 without its slow first one: times are totals, verdicts and order use the mean step.");
}

TEST(runs_without_layers_compare_operators)
{
	struct run *run = compared(DOCUMENT(OPERATOR("aten::mm", "10", "20")),
				   DOCUMENT(OPERATOR("aten::mm", "10", "15")));
	struct table *table = trace_view(run, "diff", NULL, NULL);
	assert_int_equal(table->rows, 1);
	assert_string_equal(table_cell(table, 0, "name").text, "aten::mm");
	assert_non_null(strstr(table->note, "operators are compared"));
	table_free(table);
	run_free(run);
}

/* A module of this class with an operator in each of two parts. */
#define NETWORK(class, first, second)                                                              \
	DOCUMENT(MODULE(class "_0", "0", "100") "," MODULE(first "_0", "5", "40") "," OPERATOR(    \
		"aten::mm", "10", "20") "," MODULE(second "_0", "50",                              \
						   "40") "," OPERATOR("aten::relu", "60", "20"))

/* A class that was renamed is known by its parts, another one is not. */
TEST(renamed_layers_are_paired_by_their_contents)
{
	struct run *run =
		compared(NETWORK("Net", "Linear", "ReLU"), NETWORK("NetAfter", "Linear", "ReLU"));
	assert_rows(run, "diff", NULL, "modules", "name,base_name,base_calls,new_calls",
		    "NetAfter_0,Net_0,1,1\nNetAfter_0/Linear_0,,1,1\nNetAfter_0/ReLU_0,,1,1\n");
	run_free(run);
	run = compared(NETWORK("Net", "Linear", "ReLU"), NETWORK("NetAfter", "Linear", "GELU"));
	assert_rows(
		run, "diff", NULL, "modules", "name,base_name,base_calls,new_calls",
		"NetAfter_0,Net_0,1,1\nNetAfter_0/Linear_0,,1,1\nNetAfter_0/GELU_0,Net_0/ReLU_0,1,1\n");
	run_free(run);
	run = compared(NETWORK("Net", "Linear", "ReLU"), NETWORK("NetAfter", "Conv2d", "GELU"));
	assert_rows(run, "diff", NULL, "modules", "name,base_calls,new_calls",
		    "Net_0,1,\nNetAfter_0,,1\nNet_0/Linear_0,1,\nNet_0/ReLU_0,1,\n"
		    "NetAfter_0/Conv2d_0,,1\nNetAfter_0/GELU_0,,1\n");
	run_free(run);
}

/* Parts are known by their names, in whatever order they are called. */
TEST(a_renamed_layer_may_call_its_parts_in_another_order)
{
	static const char *const parts[] = { "Linear", "ReLU", "Conv2d" };
	static const int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					 { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	char texts[6][2][1000];
	for (int i = 0; i < 6; i++)
		for (int after = 0; after < 2; after++)
			snprintf(texts[i][after], sizeof texts[i][after],
				 DOCUMENT(MODULE("%s_0", "0", "100") "," MODULE(
					 "%s_0", "5",
					 "20") "," MODULE("%s_0", "35",
							  "20") "," MODULE("%s_0", "65", "20")),
				 after ? "NetAfter" : "Net", parts[orders[i][0]],
				 parts[orders[i][1]], parts[orders[i][2]]);
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 6; k++) {
			struct run *run = compared(texts[i][0], texts[k][1]);
			struct table *table = trace_view(run, "diff", NULL, "modules");
			size_t row = row_with(table, "name", "NetAfter_0");
			assert_int_equal(table->rows, 4);
			assert_string_equal(table_cell(table, row, "base_name").text, "Net_0");
			table_free(table);
			run_free(run);
		}
}

/* The longer run's steps follow those of both, on either side. */
TEST(runs_of_different_length)
{
	struct run *run = run_of_steps("A", 1, 4);
	run_compare(run, run_of_steps("A", 1, 2));
	assert_rows(
		run, "diff", NULL, "steps", "name,base_cpu_ns,new_cpu_ns",
		"median step,100000,100000\nmedian GPU time,,\nstep 1,100000,100000\nstep 2,100000,100000\n"
		"step 3,,100000\nstep 4,,100000\n");
	run_free(run);
	run = run_of_steps("A", 1, 2);
	run_compare(run, run_of_steps("A", 1, 4));
	assert_rows(
		run, "diff", NULL, "steps", "name,base_cpu_ns,new_cpu_ns",
		"median step,100000,100000\nmedian GPU time,,\nstep 1,100000,100000\nstep 2,100000,100000\n"
		"step 3,100000,\nstep 4,100000,\n");
	run_free(run);
}

/* A scope that only one run has is compared with nothing. */
TEST(a_scope_of_one_run)
{
	struct run *run = run_of_steps("A", 1, 4);
	struct scope scope;
	run_compare(run, run_of_steps("A", 1, 2));
	scope_init(&scope);
	scope.has_steps = true;
	scope.step_first = scope.step_last = 4;
	assert_rows(run, "diff", &scope, "kernels", "name,base_calls,new_calls,new_gpu_ns",
		    "gemm,,1,10000\n");
	/* so does a kernel */
	struct run *renamed = compared(DOCUMENT(WORK("aten::mm", "gemm", "0", "10", "1")),
				       DOCUMENT(WORK("aten::mm", "added", "0", "10", "1")));
	scope_init(&scope);
	scope.kernel_name = intern_find(renamed->ranks[0].profile->strings, "added", 5);
	assert_rows(renamed, "diff", &scope, "kernels", "name,base_calls,new_calls", "added,,1\n");
	run_free(renamed);
	/* lanes are found again by device and stream */
	scope_init(&scope);
	const struct profile *profile = run->ranks[0].profile;
	scope.track = profile->activity_track[0];
	assert_rows(run, "diff", &scope, "kernels", "name,base_calls,new_calls", "gemm,2,4\n");
	run_free(run);
}

/* A layer of one run is in the other the one of its path; its numbers there are others. */
TEST(a_layer_in_scope_is_that_of_its_path)
{
	struct buffer text = { 0 };
	char *base = trace_generate("--steps 2 --layers 3 --stacks 0 --seed 2", NULL);
	char *new =
		trace_generate("--steps 2 --layers 2 --stacks 0 --seed 3 --slow layer2.0:2", NULL);
	struct run *run = compared(base, new);
	const struct derived *derived = run->ranks[0].derived;
	size_t with_rows = 0;
	for (uint32_t i = 1; i < derived->layers.count; i++) {
		struct scope numbered, named;
		if (derived->layers.nodes[i].kind != LAYER_MODULE)
			continue;
		buffer_clear(&text);
		layer_path(derived, i, &text);
		scope_init(&numbered);
		scope_init(&named);
		numbered.layer = i;
		scope_set_text(&named.under, buffer_text(&text));
		struct table *a = trace_view(run, "diff", &numbered, "operators");
		struct table *b = trace_view(run, "diff", &named, "operators");
		assert_int_equal(a->rows, b->rows);
		for (size_t row = 0; row < a->rows; row++)
			for (size_t column = 0; column < a->columns; column++)
				assert_true(same_cell(table_value(a, row, column),
						      table_value(b, row, column)));
		with_rows += a->rows && table_number(a, 0, "base_calls") > 0;
		table_free(a);
		table_free(b);
		scope_clear(&numbered);
		scope_clear(&named);
	}
	assert_true(with_rows > 4);
	buffer_free(&text);
	mem_free(base);
	mem_free(new);
	run_free(run);
}
