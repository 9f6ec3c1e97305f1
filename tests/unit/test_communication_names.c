/*
 * Communication kernels are known by words of their names and a second witness.
 */
#include "trace_case.h"

#define ON(stream, name, ts, correlation)                                                          \
	EVENT("kernel", name, "0", stream, ts, "5",                                                \
	      "{\"device\":0,\"stream\":" stream ",\"correlation\":" correlation "}")
#define RANGE(name, ts, dur) EVENT("user_annotation", name, "1", "1", ts, dur, "{}")
#define DISPATCH "void ep::dispatch<false, 8>(int4*)"
#define COMBINE "void ep::combine<8>(int4*)"
#define GEMM ON("7", "gemm", "200", "9")

/* Does a kernel of the trace communicate? */
static void assert_communicates(const char *trace, const char *name, bool wanted)
{
	struct run *run = trace_run(trace);
	struct table *kernels = trace_view(run, "kernels", NULL, NULL);
	const char *family = table_text(kernels, row_with(kernels, "name", name), "family");
	if ((strcmp(family, "communication") == 0) != wanted)
		fail_msg("%s is of family %s", name, family);
	table_free(kernels);
	run_free(run);
}

TEST(two_words_are_two_witnesses)
{
#define ALONE(name)                                                                                \
	{                                                                                          \
		name, DOCUMENT(ON("7", name, "10", "1"))                                           \
	}
	static const struct {
		const char *name, *trace;
	} sure[] = {
		ALONE("allreduce_fusion_kernel_1stage<bf16, 4>"),
		ALONE("void twoshot_allreduce_kernel<8>(int*)"),
		ALONE("void mscclpp::allreduce7<half>(int*)"),
		ALONE("void moeAllToAllKernel<4>(int*)"),
		ALONE("EpDispatchInterNodeKernel<bf16>"),
		ALONE("void hybrid_ep::dispatch_kernel<4>(int*)"),
		ALONE("a2a_dispatch_send_kernel"),
		ALONE("userbuffers_fp16_sum_inplace_gpu_rr"),
		ALONE("nvshmemi_signal_op_kernel"),
		ALONE("MLUKernelCnclAllReduce"),
		ALONE("mcclKernel_AllReduce"),
		ALONE("all-gather-done.1"),
		ALONE("void multimem_all_gather_kernel<16>(int*)"),
		ALONE("void two_shot_all_reduce_kernel<bf16>(int*)"),
	};
	static const struct {
		const char *name, *trace;
	} unsure[] = {
		ALONE("void block_all_reduce_sum_fused_kernel<256>(int*)"),
		ALONE("triton_poi_fused_all_reduce_add_0"),
		ALONE("all_reduce_kernel"),
		ALONE("void sort::dispatch<8>(int*)"),
		ALONE("void combine_attn_states(int*)"),
	};
	for (size_t i = 0; i < sizeof sure / sizeof *sure; i++)
		assert_communicates(sure[i].trace, sure[i].name, true);
	for (size_t i = 0; i < sizeof unsure / sizeof *unsure; i++)
		assert_communicates(unsure[i].trace, unsure[i].name, false);
}

TEST(ranges_around_are_witnesses)
{
#define IN_RANGES(first, second, name)                                                             \
	DOCUMENT(RANGE(first, "0", "9") "," LAUNCH("2", "1") "," RANGE(                            \
		second, "20", "9") "," LAUNCH("22", "2") "," GEMM "," ON("7", name, "100",         \
									 "1") "," ON("7", COMBINE, \
										     "120", "2"))
	assert_communicates(IN_RANGES("dispatch(F)", "combine(B)", DISPATCH), DISPATCH, true);
	assert_communicates(IN_RANGES("dispatch(F)", "combine(B)", DISPATCH), COMBINE, true);
	assert_communicates(IN_RANGES("dispatch(F)", "combine(B)", DISPATCH), "gemm", false);
	assert_communicates(IN_RANGES("sort keys", "merge", DISPATCH), DISPATCH, false);
	/* experts exchange in both ways */
	assert_communicates(IN_RANGES("dispatch(F)", "combine(B)", "relu"), COMBINE, false);
}

TEST(operators_around_are_witnesses)
{
#define IN_OPERATOR(op)                                                                            \
	DOCUMENT(OPERATOR(op, "0", "9") "," LAUNCH("2", "1") "," GEMM "," ON(                      \
		"7", "all_gather_kernel", "100", "1"))
	assert_communicates(IN_OPERATOR("c10d::_allgather_base_"), "all_gather_kernel", true);
	assert_communicates(IN_OPERATOR("symm_mem::one_shot_all_reduce"), "all_gather_kernel",
			    true);
	assert_communicates(IN_OPERATOR("record_param_comms"), "all_gather_kernel", true);
	assert_communicates(IN_OPERATOR("aten::cat"), "all_gather_kernel", false);
}

TEST(a_stream_of_its_own_is_a_witness)
{
	assert_communicates(
		DOCUMENT(GEMM "," ON("20", DISPATCH, "100", "1") "," ON("20", COMBINE, "120", "2")),
		DISPATCH, true);
	assert_communicates(DOCUMENT(GEMM "," ON("20", DISPATCH, "100", "1") "," ON(
				    "20", COMBINE, "120", "2") "," ON("20", "radix", "140", "3")),
			    DISPATCH, false);
	/* nothing else runs anywhere */
	assert_communicates(
		DOCUMENT(ON("20", DISPATCH, "100", "1") "," ON("20", COMBINE, "120", "2")),
		DISPATCH, false);
	assert_communicates(DOCUMENT(GEMM "," ON("20", DISPATCH, "100", "1")), DISPATCH, false);
}
