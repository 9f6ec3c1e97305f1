/* Times of layers that TensorRT's trtexec prints. */
#include "text_profile_case.h"

static const char trtexec[] =
	"&&&& RUNNING TensorRT.trtexec # trtexec --onnx=a.onnx --dumpProfile\n"
	"[05/08/2024-14:05:10] [I] === Model Options ===\n"
	"[05/08/2024-14:05:14] [I] === Profile (10 iterations ) ===\n"
	"[05/08/2024-14:05:14] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n"
	"[05/08/2024-14:05:14] [I]       20.50       2.0500       2.0000      90.0   conv1 + relu 1\n"
	"[05/08/2024-14:05:15] [I]        2.00       0.2000       0.2000      10.0   {Node[3 + 4]}\n"
	"[05/08/2024-14:05:15] [I]        soon       0.2000       0.2000      10.0   broken\n"
	"[05/08/2024-14:05:15] [I]       22.50       2.2500       2.2000     100.0   Total\n"
	"[05/08/2024-14:05:15] [I] \n";

/* Names come first before TensorRT 8.5, and lines begin with a bracket. */
static const char trtexec_old[] = "[I] === Profile (10 iterations ) ===\n"
				  "[I]             Layer   Time (ms)   Avg. Time (ms)   Time %\n"
				  "[I]  (Layer 1) 2 conv       20.50             2.05     90.0\n"
				  "[I]              prob        2.00             0.20     10.0\n"
				  "[I]             Total       22.50             2.25    100.0\n";

TEST(layers_of_trtexec)
{
	struct run *run = trace_run(trtexec);
	assert_string_equal(run->ranks[0].profile->format, "trtexec layer profile (text)");
	assert_rows(run, "layers", NULL, NULL, "name,calls,gpu_total_ns",
		    "conv1 + relu 1,10,20500000\n{Node[3 + 4]},10,2000000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 1);
	run_free(run);
	run = trace_run(trtexec_old);
	assert_rows(run, "layers", NULL, NULL, "name,calls,gpu_total_ns",
		    "(Layer 1) 2 conv,10,20500000\nprob,10,2000000\n");
	run_free(run);
}

/* Layers are operators, too, and the sum is no layer. */
TEST(operators_of_trtexec)
{
	struct run *run = trace_run(trtexec);
	assert_rows(run, "operators", NULL, NULL, "name,calls,gpu_self_ns",
		    "conv1 + relu 1,10,20500000\n{Node[3 + 4]},10,2000000\n");
	run_free(run);
}

TEST(damaged_tables_are_read_or_refused)
{
	assert_survives(BYTES(trtexec));
	assert_survives(BYTES(trtexec_old));
}
