/* The summary of PaddlePaddle's profiler, the report of old versions, damage. */
#include "text_profile_case.h"

#define CPU_GPU                                                                                    \
	"Name  Calls   CPU Total / Avg / Max / Min / Ratio(%)  GPU Total / Avg / Max / Min / Ratio(%)\n"
#define RULE "------  ------  ----------------  ----------------  \n"

static const char summary[] =
	"-----Device Summary-----\n" RULE "Device   Utilization (%)\n" RULE "GPU0   59.68\n" RULE
	"Note:\nGPU Utilization = Current process GPU time / elapsed time.\n"
	"------\n\n"
	"-----Overview Summary-----\nTime unit: ms\n" RULE
	"Event Type   Calls   CPU Time   Ratio (%)\n" RULE
	"ProfileStep   11   3026.29   100.00\n" RULE "\n"
	"-----Model Summary-----\nTime unit: ms\n" RULE CPU_GPU RULE
	"ProfileStep   2   294.5 / 147.25 / 150.0 / 144.5 / 100.00   13.2 / 6.6 / 6.6 / 6.6 / 100.00  \n"
	"  Dataloader   2   141.5 / 70.75 / 80.0 / 61.5 / 48.05   0.00 / 0.00 / 0.00 / 0.00 / 0.00  \n"
	"  Others   -   45.5 / - / - / - / 15.50   0.5 / - / - / - / 3.96  \n" RULE "\n"
	"-----Operator Summary-----\nTime unit: us\n" RULE CPU_GPU RULE
	"-----Thread: All threads merged-----\n"
	"matmul dygraph   10   21.0 / 2.1 / 7.0 / 1.5 / 80.00   80.5 / 8.0 / 9.0 / 7.0 / 100.00   0\n"
	"  matmul infer_meta   10   1.0 / 0.1 / 0.1 / 0.1 / 5.00   0.00 / 0.00 / 0.00 / 0.00 / 0.00\n"
	"    gemm   19   - / - / - / - / -   7.1 / 0.7 / 0.9 / 0.6 / 21.91\n"
	"broken   ten   2.1 / 2.1 / 7.0 / 1.5 / 80.00   80.5 / 8.0 / 9.0 / 7.0 / 100.00   0\n" RULE
	"-----Kernel Summary-----\nTime unit: ms\n" RULE
	"Name  Calls   GPU Total / Avg / Max / Min / Ratio(%)\n" RULE
	"ncclKernel_AllReduce(ncclWorkElem)   96   2360.5 / 24.5 / 2202.5 / 0.5 / 90.00\n"
	"MEMCPY_HtoD   4   8.0 / 2.0 / 2.0 / 2.0 / 1.00\n"
	"void gemm<a,  b>   10   260.0 / 26.0 / 30.0 / 20.0 / 9.00\n" RULE;

static void test_operators_and_kernels_of_a_summary(void **state)
{
	struct run *run = trace_run(summary);
	assert_rows(run, "operators", NULL, NULL, "name,section,calls,cpu_total_ns,gpu_total_ns",
		    "ProfileStep,Model Summary,2,294500000,13200000\n"
		    "Dataloader,Model Summary,2,141500000,0\n"
		    "Others,Model Summary,,45500000,500000\n"
		    "matmul dygraph,Operator Summary,10,21000,80500\n"
		    "MEMCPY_HtoD,Kernel Summary,4,,8000000\n");
	assert_rows(
		run, "kernels", NULL, NULL, "name,calls,total_ns,min_ns,max_ns,family",
		"ncclKernel_AllReduce(ncclWorkElem),96,2360500000,500000,2202500000,communication\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 2);
	run_free(run);
}

static const char report[] =
	"------------------------->     Profiling Report     <-------------------------\n\n"
	"Place: All\nTime unit: ms\nSorted by total time in descending order in the same thread\n\n"
	"Event    Calls       Total       CPU Time (Ratio)   GPU Time (Ratio)   Min.   Max.   Ave.   Ratio.\n"
	"thread0::while   100   1424.5   1410.0 (0.9898)   14.5 (0.0102)   13.7   20.3   14.2   0.38\n"
	"  thread0::gru   200   615.9   486.3 (0.7896)   129.6 (0.2104)   2.8   8.8   3.1   0.16\n\n";

static void test_events_of_a_report(void **state)
{
	struct run *run = trace_run(report);
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_total_ns,gpu_total_ns",
		    "thread0::while,100,1410000000,14500000\n");
	run_free(run);
	run = trace_run("------->     Profiling Report     <-------\nTime unit: us\n\n"
			"Event    Calls       Total       Min.        Max.        Ave.\n"
			"thread0::mul   4   13.5   0.2   5.7   3.4\n");
	assert_rows(run, "operators", NULL, NULL, "name,calls,cpu_total_ns",
		    "thread0::mul,4,13500\n");
	run_free(run);
}

static void test_damaged_summaries_are_read_or_refused(void **state)
{
	assert_survives(BYTES(summary));
	assert_survives(BYTES(report));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators_and_kernels_of_a_summary),
		cmocka_unit_test(test_events_of_a_report),
		cmocka_unit_test(test_damaged_summaries_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
