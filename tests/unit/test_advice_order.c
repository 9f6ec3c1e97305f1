/*
 * What comes first: idle time of timelines without launch calls, and what a replay finds where the
 * host is late.
 */
#include "advice_case.h"

#include "base/buffer.h"

#define TF_PROCESS(pid, name)                                                                      \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" pid ",\"args\":{\"name\":\"" name "\"}}"
#define TF_OP(pid, op, ts, dur)                                                                    \
	"{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"" op "\",\"pid\":" pid ",\"tid\":0,\"ts\":" ts    \
	",\"dur\":" dur ",\"args\":{\"name\":\"a\",\"op\":\"" op "\"}}"
#define TF_TIMELINE(events)                                                                                                \
	"{\"traceEvents\":[" TF_PROCESS(                                                                                   \
		"1",                                                                                                       \
		"/job:localhost/replica:0/task:0/device:CPU:0 "                                                            \
		"Compute") "," TF_PROCESS("2",                                                                             \
					  "/device:GPU:0/stream:13 Compute") "," TF_PROCESS("3",                           \
											    "/job:localhost/"              \
											    "replica:0/task:0/device:GPU:" \
											    "0 Compute") "," events        \
													 "]}"

static const struct {
	const char *detector, *answer, *trace, *evidence;
} cases[] = {
	/* between work of the GPU, and before all of it: the capture is one step */
	{ "dataloader", "fires",
	  TF_TIMELINE(TF_OP("2", "MatMul", "0", "500") "," TF_OP(
		  "1", "IteratorGetNext", "600", "3000") "," TF_OP("2", "MatMul", "3700", "500")),
	  "idle for 71.4 %" },
	{ "dataloader", "fires",
	  TF_TIMELINE(TF_OP("1", "IteratorGetNext", "0", "3000") "," TF_OP("2", "MatMul", "3100",
									   "900")),
	  "idle for 75.0 %" },
	/* a start that the loader's call is the smaller part of is none of its step */
	{ "dataloader", "silent",
	  TF_TIMELINE(TF_OP("1", "IteratorGetNext", "0", "300") "," TF_OP("2", "MatMul", "3100",
									  "900")),
	  NULL },
	/* operators with the names of work launch it, others do not */
	{ "launch_bound", "fires",
	  TF_TIMELINE(TF_OP("2", "MatMul", "0", "500") "," TF_OP(
		  "3", "MatMul", "600", "3000") "," TF_OP("2", "MatMul", "3700", "500")),
	  "in MatMul" },
	{ "host_bound", "fires",
	  TF_TIMELINE(TF_OP("2", "MatMul", "0", "500") "," TF_OP(
		  "1", "LookupTableFindV2", "600",
		  "3000") "," TF_OP("1", "MatMul", "3600", "50") "," TF_OP("2", "MatMul", "3700",
									   "500")),
	  "in LookupTableFindV2" },
	/* where none has such a name, any may launch */
	{ "host_bound", "silent",
	  TF_TIMELINE(TF_OP("2", "MatMul", "0", "500") "," TF_OP(
		  "1", "LookupTableFindV2", "600", "3000") "," TF_OP("2", "MatMul", "3700", "500")),
	  NULL },
	/* ranges alone, without operators, tell no cause */
	{ "idle_unknown", "fires",
	  DOCUMENT(EVENT("user_annotation", "epoch", "1", "1", "0", "4000", "{}") "," ON_DEVICE(
		  "kernel", "gemm", "0", "0", "500", "1",
		  "") "," ON_DEVICE("kernel", "gemm", "0", "3700", "500", "2", "")),
	  NULL },
	/* events of categories that nothing is known of are ranges */
	{ "hot_spot", "fires",
	  "{\"traceEvents\":[" EVENT("forward", "Linear", "1", "1", "0", "900", "{}") "," EVENT(
		  "forward", "Dropout", "1", "1", "900", "100", "{}") "]}",
	  "900.00 us of 1.00 ms CPU self time (90.0 %) is in Linear" },
	/* without one they may be anything: Horovod's negotiations are waits */
	{ "hot_spot", "unknown",
	  "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"NEGOTIATE_ALLREDUCE\",\"pid\":1,\"ts\":0,"
	  "\"dur\":900}]}",
	  NULL },
	/* NCCL's range alone tells that a GPU is used; gloo's does not */
	{ "no_device_work", "fires",
	  DOCUMENT(OPERATOR("aten::mm", "0", "50") "," OPERATOR(
		  "record_param_comms", "59", "502") "," OPERATOR("nccl:all_reduce", "60", "500")),
	  "A GPU was used (nccl:all_reduce)" },
	{ "no_device_work", "silent",
	  DOCUMENT(OPERATOR("aten::mm", "0", "50") "," OPERATOR(
		  "record_param_comms", "59", "502") "," OPERATOR("gloo:all_reduce", "60", "500")),
	  NULL },
	/* what nothing hides is not told by a table, but how much there is */
	{ "communication", "fires",
	  " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
	  " Time (%)  Total Time (ns)  Instances  Name\n"
	  " --------  ---------------  ---------  ----\n"
	  "     60.0          6000000         10  gemm\n"
	  "     40.0          4000000         10  ncclDevKernel_AllGather_RING_LL\n",
	  "4.00 ms of 10.00 ms GPU time (40.0 %), in 10 calls" },
	{ "communication", "unknown",
	  " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
	  " Time (%)  Total Time (ns)  Instances  Name\n"
	  " --------  ---------------  ---------  ----\n"
	  "     95.0          9500000         10  gemm\n"
	  "      5.0           500000         10  ncclDevKernel_AllGather_RING_LL\n",
	  NULL },
};

TEST(causes_of_what_has_no_launch_calls)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run *run = trace_run(cases[i].trace);
		assert_answer(run, NULL, cases[i].detector, cases[i].answer, cases[i].evidence);
		run_free(run);
	}
}

/* The row of one finding comes before that of another. */
static bool comes_before(int every, int dur, const char *first, const char *second)
{
	struct buffer text = { 0 };
	buffer_puts(&text, "{\"schemaVersion\":1,\"deviceProperties\":[" A100
			   "],\"traceEvents\":[" STEP("1", "0", "20000"));
	add_launches(&text, 400, every, dur,
		     "\"cat\":\"kernel\",\"name\":\"ampere_sgemm_128x64_nn\"");
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	bool before = advice_row(advice, first) < advice_row(advice, second);
	table_free(advice);
	run_free(run);
	buffer_free(&text);
	return before;
}

/* Beside a host that is late for each kernel, shorter kernels gain nothing. */
TEST(a_late_host_comes_before_kernels_that_wait_for_it)
{
	assert_true(comes_before(50, 38, "launch_bound", "tf32_off"));
	assert_true(comes_before(50, 20, "launch_bound", "tf32_off"));
}
