/* Two small runs compared, with differences counted by hand. */
#include "trace_case.h"

#include "base/buffer.h"

#include <stdio.h>

/* A call of an operator at TS (us, two digits less) with a kernel of DUR us. */
#define WORK(op, kernel, ts, dur, correlation)                                                     \
	OPERATOR(op, ts "00", "50")                                                                \
	"," LAUNCH(ts "10", correlation) "," KERNEL(kernel, ts "20", dur, correlation)
#define STEP(number, ts, dur)                                                                      \
	EVENT("user_annotation", "ProfilerStep#" number, "1", "1", ts, dur, "{}")

static struct run *compared(const char *base, const char *new)
{
	struct run *run = trace_run(new);
	run_compare(run, trace_run(base));
	return run;
}

static void test_kernels_of_two_runs(void **state)
{
	struct run *run = compared(DOCUMENT(STEP("1", "0", "1000") "," WORK(
					   "aten::mm", "gemm", "0", "10",
					   "1") "," WORK("aten::add", "old", "2", "5", "2")),
				   DOCUMENT(STEP("1", "0", "1000") "," WORK(
					   "aten::mm", "gemm", "0", "30",
					   "1") "," WORK("aten::mul", "added", "2", "7", "2")));

	(void)state;
	assert_rows(run, "diff", NULL, "kernels",
		    "name,base_calls,new_calls,base_gpu_ns,new_gpu_ns,delta_gpu_ns,ratio",
		    "gemm,1,1,10000,30000,20000,3\nadded,,1,,7000,7000,\nold,1,,5000,,-5000,\n");
	assert_rows(run, "diff", NULL, "operators", "name,base_calls,new_calls,delta_gpu_ns,ratio",
		    "aten::mm,1,1,20000,3\naten::mul,,1,7000,\naten::add,1,,-5000,\n");
	run_free(run);
}

/* Steps with the same numbers are compared, others are of one run only. */
static void test_steps_are_paired_by_number(void **state)
{
	struct run *run = compared(DOCUMENT(STEP("2", "0", "100") "," STEP(
					   "3", "100", "100") "," STEP("5", "200", "80")),
				   DOCUMENT(STEP("3", "0", "150") "," STEP(
					   "4", "200", "100") "," STEP("5", "300", "60")));

	(void)state;
	assert_rows(run, "diff", NULL, "steps", "kind,name,base_cpu_ns,new_cpu_ns,delta_cpu_ns",
		    "median,median step,100000,100000,0\n"
		    "step,step 2,100000,,-100000\n"
		    "step,step 3,100000,150000,50000\n"
		    "step,step 4,,100000,100000\n"
		    "step,step 5,80000,60000,-20000\n");
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels_of_two_runs),
		cmocka_unit_test(test_steps_are_paired_by_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
