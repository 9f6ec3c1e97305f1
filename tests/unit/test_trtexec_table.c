/* Times of layers that TensorRT's trtexec prints. */
#include "text_profile_case.h"

TEST(layers_of_trtexec)
{
	struct run *run = trace_run(data_text("trtexec.txt"));
	assert_string_equal(run->ranks[0].profile->format, "trtexec layer profile (text)");
	assert_rows(run, "layers", NULL, NULL, "name,calls,gpu_total_ns",
		    "conv1 + relu 1,10,20500000\n{Node[3 + 4]},10,2000000\n");
	assert_int_equal(damage_count(run->ranks[0].profile, NULL), 1);
	run_free(run);
	/* names come first before TensorRT 8.5, and lines begin with a bracket */
	run = trace_run(data_text("trtexec_old.txt"));
	assert_rows(run, "layers", NULL, NULL, "name,calls,gpu_total_ns",
		    "(Layer 1) 2 conv,10,20500000\nprob,10,2000000\n");
	run_free(run);
}

/* Layers are operators, too, and the sum is no layer. */
TEST(operators_of_trtexec)
{
	struct run *run = trace_run(data_text("trtexec.txt"));
	assert_rows(run, "operators", NULL, NULL, "name,calls,gpu_self_ns",
		    "conv1 + relu 1,10,20500000\n{Node[3 + 4]},10,2000000\n");
	run_free(run);
}

TEST(damaged_tables_are_read_or_refused)
{
	assert_survives(DATA("trtexec.txt"));
	assert_survives(DATA("trtexec_old.txt"));
}
