/*
 * Each number in the documented condition of a detector has a pair of traces that differ in what it
 * limits: with a little more the detector fires, with a little less it is silent. The numbers are
 * those of strata --list detectors (detectors.txt), whose words are quoted.
 */
#include "advice_case.h"

#include "analysis/advice/detectors.h"

struct pair {
	const char *detector, *words; /* of its condition */
	struct rule_trace fires, silent;
};

/* clang-format off */
#define ONE(kind, name, at, dur) { kind, name, at, dur, NULL, 0, 0 }
#define MANY(kind, name, at, dur, count, every) { kind, name, at, dur, NULL, count, every }
#define WITH(kind, name, at, dur, args) { kind, name, at, dur, args, 0, 0 }
#define JSON(text) { 'X', text, 0, 0, NULL, 0, 0 }
#define LASTING(dur) ONE('S', "1", 0, dur)
#define PAIR(detector, words, trace, fires, silent)                                                \
	{ detector, words, { .events = { { trace(fires) } } }, { .events = { { trace(silent) } } } }
#define PAIR_ON(device, detector, words, trace, fires, silent)                                     \
	{ detector, words, { .events = { { trace(fires) } }, .devices = device },                  \
	  { .events = { { trace(silent) } }, .devices = device } }
#define RANKS(detector, words, trace, fires, silent)                                               \
	{ detector, words, { .events = { trace(fires) } }, { .events = { trace(silent) } } }

/* Of 1000 us, two kernels; for IDLE us between them something else goes on, then a launch for 3 us. */
#define BETWEEN(event, idle)                                                                       \
	LASTING(1000), ONE('K', "gemm", 0, 397), event, ONE('K', "gemm", 400 + (idle), 595 - (idle))
#define LAUNCHING(idle) BETWEEN(ONE('O', "aten::mm", 400, (idle) + 10), idle)
#define IN_PYTHON(name, idle) BETWEEN(ONE('P', name, 400, idle), idle)
#define IN_RANGE(name, idle) BETWEEN(ONE('A', name, 400, idle), idle)
#define IN_CALL(name, idle) BETWEEN(ONE('R', name, 400, idle), idle)
#define SCHEDULING(idle)                                                                           \
	ONE('A', "step[DECODE bs=4]", 0, 1000), ONE('K', "gemm", 0, 397),                          \
	ONE('P', "sched/scheduler.py(300): schedule", 400, idle),                                  \
	ONE('K', "gemm", 400 + (idle), 595 - (idle))
#define SAMPLING(idle)                                                                             \
	ONE('A', "step[DECODE bs=4]", 0, 10000), ONE('K', "gemm", 0, 3997),                        \
	ONE('P', "sample/sampler.py(68): forward", 4000, idle),                                    \
	ONE('K', "gemm", 4000 + (idle), 5995 - (idle))
#define COMPUTING(idle)                                                                            \
	LASTING(10000), ONE('K', "gemm", 0, 4000), ONE('P', "train.py(9): log", 4003, idle),       \
	ONE('K', "gemm", 4003 + (idle), 5990 - (idle))
#define PREPROCESSING(idle)                                                                        \
	LASTING(10000), ONE('P', "train.py(9): crop", 0, idle), ONE('K', "gemm", idle, 9990 - (idle))
#define SYNCHRONIZING(idle)                                                                        \
	LASTING(1000), ONE('K', "gemm", 0, 397), ONE('R', "cudaStreamSynchronize", 100, 300 + (idle)), \
	ONE('K', "gemm", 400 + (idle), 595 - (idle))
#define QUEUING(dur)                                                                               \
	LASTING(100000), ONE('K', "gemm", 10, 99000), ONE('R', "cudaLaunchKernel", 1000, dur),     \
	ONE('R', "cudaLaunchKernel", 50000, 2000)
#define QUEUED(dur)                                                                                \
	LASTING(10000), ONE('K', "gemm", 10, 9900), ONE('R', "cudaLaunchKernel", 1000, dur)
#define COMPILING(idle)                                                                            \
	ONE('S', "1", 0, 1000), ONE('S', "2", 1000, 1000), ONE('K', "gemm", 0, 400),               \
	ONE('R', "cuModuleLoadData", 403, idle), ONE('K', "gemm", 403 + (idle), 1585 - (idle))
#define COLLECTING(idle) IN_RANGE("<built-in function collect>", idle)
#define LOCKED(idle) IN_RANGE("Waiting for GIL", idle)
#define GUARDING(idle) IN_RANGE("TorchDynamo Cache Lookup", idle)
#define ALLOCATING(idle)                                                                           \
	MANY('S', "1", 0, 1000, 4, 1000), MANY('K', "gemm", 0, 990, 2, 1000),                      \
	ONE('K', "gemm", 2000, 397), ONE('R', "cudaMalloc", 2400, idle),                           \
	ONE('K', "gemm", 2400 + (idle), 590 - (idle)), ONE('K', "gemm", 3000, 990)
#define LOADING(idle)                                                                              \
	LASTING(1000), ONE('A', "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, idle), \
	ONE('K', "gemm", idle, 900)
#define OPTIMIZING(dur)                                                                            \
	LASTING(1000), ONE('A', "Optimizer.step#SGD.step", 0, dur), MANY('K', "add", 1, 2, 25, 3)
#define UPDATING(launches)                                                                         \
	LASTING(1000), ONE('A', "Optimizer.step#SGD.step", 0, 500),                                \
	MANY('K', "add", 10, 5, launches, 10)

/* Of servers. */
#define NORMALIZING(dur)                                                                           \
	ONE('A', "step[DECODE bs=4]", 0, 4000), MANY('K', "gemm", 10, 50, 4, 900),                 \
	MANY('K', REDUCE, 60, 20, 4, 900),                                                         \
	MANY('K', "void vllm::fused_add_rms_norm_kernel", 85, dur, 4, 900)
#define REDUCING(dur)                                                                              \
	ONE('A', "step[DECODE bs=4]", 0, 400), MANY('K', "gemm", 10, 10, 4, 95),                   \
	MANY('K', REDUCE, 20, dur, 4, 95),                                                         \
	MANY('K', "void vllm::fused_add_rms_norm_kernel", 75, 10, 4, 95)
#define REDUCTIONS(count)                                                                          \
	ONE('A', "step[DECODE bs=4]", 0, 400), MANY('K', "gemm", 10, 10, 4, 95),                   \
	MANY('K', REDUCE, 20, 30, count, 95),                                                      \
	MANY('K', "void vllm::fused_add_rms_norm_kernel", 60, 10, 4, 95)
#define MIXING(dur)                                                                                \
	ONE('A', "step[DECODE bs=4]", 0, 100), ONE('A', "step[MIXED bs=4]", 100, dur),             \
	MANY('K', "gemm", 10, 5, 8, 30)
#define RARELY_MIXING(dur)                                                                         \
	MANY('A', "step[DECODE bs=4]", 0, 100, 100, 100), ONE('A', "step[MIXED bs=4]", 10000, dur), \
	MANY('K', "gemm", 10, 5, 101, 100)
#define PADDED(batch)                                                                              \
	ONE('A', "decode[bs=" batch "/100 tok=5 d=5]", 0, 200), ONE('K', "gemm", 10, 150)

/* Shares of self time of the CPU, and of the window. */
#define HOT(dur)                                                                                   \
	ONE('O', "a", 0, dur), ONE('O', "b", 200, 100), ONE('O', "c", 300, 100),                   \
	ONE('O', "d", 400, 100), ONE('O', "e", 500, 100), ONE('O', "f", 600, 100),                 \
	ONE('O', "g", 700, 100), ONE('O', "h", 800, 100), ONE('O', "i", 900, 100),                 \
	ONE('O', "j", 1000, 100), ONE('O', "k", 1100, 100)
#define BESIDE_LAUNCHES(dur)                                                                       \
	ONE('O', "aten::normal_", 0, dur), ONE('O', "aten::mm", 200, 50),                          \
	ONE('R', "cudaLaunchKernel", 210, 5)
#define SLOW(dur)                                                                                  \
	LASTING(1000), ONE('O', "aten::conv2d", 0, 100),                                           \
	ONE('O', "aten::_slow_conv2d_forward", 10, dur), ONE('O', "aten::mm", 100, 900)
#define DOUBLE_ON_CPU(dur)                                                                         \
	LASTING(1000),                                                                             \
	WITH('O', "aten::mm", 0, dur, ",\"Input Dims\":[[64,64],[64,64]],\"Input type\":[\"double\",\"double\"]"), \
	ONE('O', "aten::add", 500, 500)

/* Copies. */
#define PAGEABLE "Memcpy HtoD (Pageable -> Device)"
#define PINNED "Memcpy HtoD (Pinned -> Device)"
#define PAGEABLE_FOR(dur)                                                                          \
	LASTING(1000), ONE('K', "gemm", 0, 900), WITH('C', PAGEABLE, 910, dur, ",\"bytes\":65536")
#define PAGEABLE_BYTES(bytes)                                                                      \
	LASTING(1000), ONE('K', "gemm", 0, 900), WITH('C', PAGEABLE, 910, 40, ",\"bytes\":" bytes)
#define PAGEABLE_OFTEN(count)                                                                      \
	LASTING(10000), ONE('K', "gemm", 0, 9000),                                                 \
	{ 'C', PAGEABLE, 9010, 2, ",\"bytes\":65536", count, 10 }
#define EXPOSED_COPY(dur)                                                                          \
	LASTING(1000), ONE('N', "gemm", 0, 900), WITH('C', PINNED, 700, 200 + (dur), ",\"bytes\":65536")
#define SMALL_COPIES(count)                                                                        \
	LASTING(1000), { 'C', PINNED, 10, 5, ",\"bytes\":64", count, 10 }
#define COPIES_OF(bytes)                                                                           \
	LASTING(1000), { 'C', PINNED, 10, 5, ",\"bytes\":" bytes, 20, 10 }
#define SHORT_COPIES(every)                                                                        \
	LASTING(100000), ONE('K', "gemm", 0, 90000), { 'C', PINNED, 95000, 5, ",\"bytes\":64", 20, every }
#define WITHIN_GPU(dur)                                                                            \
	LASTING(2000), ONE('K', "gemm", 0, 950),                                                   \
	WITH('C', "Memcpy DtoD (Device -> Device)", 960, dur, ",\"bytes\":1048576")

/* Devices. */
#define SECOND_GPU(at, dur)                                                                        \
	JSON("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":1,\"tid\":7,\"ts\":" at   \
	     ",\"dur\":" dur ",\"args\":{\"device\":1,\"stream\":7}}")
#define BUSY_FOR(dur) LASTING(1000), ONE('K', "gemm", 0, dur)
#define UNEVEN(dur) LASTING(1000), ONE('K', "gemm", 0, 500), SECOND_GPU("10", dur)

/* Of 1000 us of kernels, SHARE us in one kind. */
#define PRODUCT "ampere_bf16_s16816gemm_bf16_128x64_nn"
#define KIND(name, share) LASTING(2000), ONE('K', PRODUCT, 0, 1000 - (share)), ONE('K', name, 1000, share)
#define TRANSPOSING(share) KIND("cudnn::ops::nchwToNhwcKernel", share)
#define NORMS(share) KIND("void at::native::batch_norm_collect_statistics_kernel<float>", share)
#define SCATTERING(share) KIND("void at::native::indexing_backward_kernel<float, 4>", share)
#define UNALIGNED(share) KIND("cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_nn_align1", share)
#define SINGLE(share) KIND("ampere_sgemm_128x64_nn", share)
#define IN_DOUBLE(share) KIND("ampere_dgemm_128x64_nn", share)
#define OLDER(share) KIND("volta_fp16_s884gemm_fp16_128x64_nn", share)
#define OLDER_LASTING(dur)                                                                         \
	LASTING(2000), ONE('K', PRODUCT, 0, 400), MANY('K', "volta_fp16_s884gemm_fp16_128x64_nn", 450, dur, 10, 60)
#define ELEMENTWISE(half)                                                                          \
	LASTING(2000), ONE('K', PRODUCT, 0, 1000 - 2 * (half)),                                    \
	ONE('K', "elementwise_kernel_add", 1000, half), ONE('K', "elementwise_kernel_mul", 1200, half)
#define FEW_BLOCKS(share)                                                                          \
	LASTING(2000), WITH('K', PRODUCT, 0, 1000 - (share), ",\"blocks per SM\":4.0"),            \
	WITH('K', PRODUCT, 1000, share, ",\"blocks per SM\":0.25")
#define CONVOLVING(share)                                                                          \
	LASTING(2000),                                                                             \
	WITH('O', "aten::_convolution", 995, 10,                                                   \
	     ",\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\","    \
	     "\"[0, 0]\",\"1\",\"False\",\"False\",\"True\",\"True\"]"),                           \
	ONE('K', PRODUCT, 0, 980 - (share)), ONE('K', "cudnn::cnn::implicit_convolve_sgemm<float>", 1000, share)
#define FAMILIES(share)                                                                            \
	LASTING(2000), ONE('K', PRODUCT, 0, share), ONE('K', "softmax", 400, (1000 - (share)) / 4),  \
	ONE('K', "elementwise_kernel_add", 700, (1000 - (share)) / 4),                             \
	ONE('K', "layer_norm", 1000, (1000 - (share)) / 4),                                        \
	ONE('K', "reduce_kernel", 1300, (1000 - (share)) / 4)
#define FEW_KERNELS(dur) LASTING(1000), MANY('K', PRODUCT, 0, dur, 4, 200)
#define TEN_KERNELS(count) LASTING(10000), MANY('K', PRODUCT, 0, 15, count, 200)
#define SLOWING(dur)                                                                               \
	LASTING(3000), MANY('K', "gemm", 10, 50, 6, 160), MANY('K', "softmax", 60, 50, 6, 160),      \
	MANY('K', "norm", 110, 50, 6, 160), MANY('K', "gemm", 2010, dur, 6, 165),                  \
	MANY('K', "softmax", 2067, dur, 6, 165), MANY('K', "norm", 2124, dur, 6, 165)
#define SLOWING_TIMES(count)                                                                       \
	LASTING(3000), MANY('K', "gemm", 10, 50, 6, 160), MANY('K', "softmax", 60, 50, 6, 160),      \
	MANY('K', "norm", 110, 50, 6, 160), MANY('K', "gemm", 2010, 56, 6, 165),                   \
	MANY('K', "softmax", 2067, 56, 6, 165), MANY('K', "norm", 2124, 56, count, 165)
#define SLOWING_SHORT(dur, later)                                                                  \
	LASTING(3000), MANY('K', "gemm", 10, dur, 6, 160), MANY('K', "softmax", 60, dur, 6, 160),    \
	MANY('K', "norm", 110, dur, 6, 160), MANY('K', "gemm", 2010, later, 6, 165),               \
	MANY('K', "softmax", 2067, later, 6, 165), MANY('K', "norm", 2124, later, 6, 165)
#define LONG_ENOUGH(dur) SLOWING_SHORT(dur, (dur) + 3)
#define CONTENDING(dur)                                                                            \
	LASTING(4000), MANY('K', "gemm", 10, 100, 3, 110), ONE('N', REDUCE, 400, 2000),            \
	MANY('K', "gemm", 500, dur, 10, 120)
#define CONTENDED_TIMES(count)                                                                     \
	LASTING(4000), MANY('K', "gemm", 10, 100, 3, 110), ONE('N', REDUCE, 400, 2000),            \
	MANY('K', "gemm", 500, 200, count, 220)

/* Memory. */
#define IN_USE(bytes) JSON(MEMORY("10", bytes, bytes))
#define OF_RESERVED(bytes) JSON(MEMORY("10", bytes, "900000"))
#define RESERVED(bytes) JSON(MEMORY("10", "200000", bytes))
#define UNUSED(bytes) LAUNCHING(500), JSON(MEMORY("10", bytes, "900000"))
#define GROWING_TO(bytes)                                                                          \
	ONE('S', "1", 0, 100), JSON(MEMORY("10", "1000000", "9000000")), ONE('K', "gemm", 20, 50), \
	ONE('S', "2", 100, 100), JSON(MEMORY("110", "1000400", "9000000")), ONE('K', "gemm", 120, 50), \
	ONE('S', "3", 200, 100), JSON(MEMORY("210", bytes, "9000000")), ONE('K', "gemm", 220, 50)
#define CALLS_LATER(count)                                                                         \
	ONE('S', "1", 0, 1000), ONE('K', "gemm", 0, 990), ONE('S', "2", 1000, 1000),               \
	ONE('K', "gemm", 1000, 990), ONE('S', "3", 2000, 1000), ONE('K', "gemm", 2000, 990),       \
	MANY('R', "cudaMalloc", 1100, 5, count, 300)

/* Communication. */
#define EXPOSED(dur)                                                                               \
	LASTING(1000), ONE('K', "gemm", 0, 900), ONE('N', REDUCE, 700, 200 + (dur))
#define EARLY_PASS(window, early)                                                                  \
	LASTING(window), ONE('O', "DistributedDataParallel.forward", 0, 50),                       \
	ONE('K', "gemm", 10, 40), ONE('N', REDUCE, 100, early),                                    \
	ONE('O', "DistributedDataParallel.forward", 400, 50), ONE('N', REDUCE, 500, 200),          \
	ONE('A', "Optimizer.step#SGD.step", 800, 50)
#define EARLY(dur) EARLY_PASS(1000, dur)
#define EARLY_OF(window) EARLY_PASS(window, 200)
#define MESSAGES(elements, count)                                                                  \
	LASTING(1000), ONE('K', "gemm", 10, 80),                                                   \
	{ 'N', REDUCE, 100, 20, MESSAGE("allreduce", elements, "1"), count, 40 }
#define MESSAGE_OF(elements) MESSAGES(elements, 20)
#define MESSAGE_COUNT(count) MESSAGES("1000", count)
#define IMBALANCED(dur)                                                                            \
	{ LASTING(1000), ONE('K', "gemm", 10, 400),                                                \
	  WITH('N', REDUCE, 450, 300, MESSAGE("allreduce", "1000", "1")) },                        \
	{ LASTING(1000), ONE('K', "gemm", 10, dur),                                                \
	  WITH('N', REDUCE, 650, 100, MESSAGE("allreduce", "1000", "1")) }
#define RECEIVING(seconds, dur)                                                                    \
	{ LASTING(1000), ONE('K', "gemm", 10, 80),                                                 \
	  { 'N', "ncclDevKernel_SendRecv", 100, dur, MESSAGE("recv", "1000", "1"), 0, 0 },           \
	  { 'N', "ncclDevKernel_SendRecv", 300, dur, MESSAGE("recv", "1000", "2"), 0, 0 },           \
	  { seconds, "ncclDevKernel_SendRecv", 500, dur, MESSAGE("recv", "1000", "3"), 0, 0 } },     \
	{ LASTING(1000), ONE('K', "gemm", 10, 80),                                                 \
	  { 'N', "ncclDevKernel_SendRecv", 90 + (dur), 10, MESSAGE("send", "1000", "1"), 0, 0 },     \
	  { 'N', "ncclDevKernel_SendRecv", 290 + (dur), 10, MESSAGE("send", "1000", "2"), 0, 0 },    \
	  { seconds, "ncclDevKernel_SendRecv", 490 + (dur), 10, MESSAGE("send", "1000", "3"), 0, 0 } }
#define BUBBLES(third) RECEIVING(third, 100)
#define BUBBLE_OF(dur) RECEIVING('N', dur)
#define SLOW_TRANSFER(dur)                                                                         \
	{ LASTING(3000), ONE('K', "gemm", 10, 80),                                                 \
	  { 'N', REDUCE, 100, 100, MESSAGE("allreduce", "1000000", "1"), 0, 0 },                     \
	  { 'N', REDUCE, 300, 100, MESSAGE("allreduce", "1000000", "2"), 0, 0 },                     \
	  { 'N', REDUCE, 500, 100, MESSAGE("allreduce", "1000000", "3"), 0, 0 },                     \
	  { 'N', REDUCE, 700, 100, MESSAGE("allreduce", "1000000", "4"), 0, 0 },                     \
	  { 'N', REDUCE, 900, 100, MESSAGE("allreduce", "1000000", "5"), 0, 0 },                     \
	  { 'N', REDUCE, 1100, dur, MESSAGE("allreduce", "1000000", "6"), 0, 0 } }
#define SLOW_TRANSFERS(dur) SLOW_TRANSFER(dur), SLOW_TRANSFER(dur)

/* The capture. */
#define STARTING(dur)                                                                              \
	ONE('S', "1", 0, dur), ONE('S', "2", 4000, 1000), ONE('S', "3", 5000, 1000)
#define OVERHEAD_OF(dur)                                                                           \
	LASTING(1000), ONE('K', "gemm", 0, 397),                                                   \
	JSON("{\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"Activity Buffer Request\",\"pid\":1,"  \
	     "\"tid\":1,\"ts\":400,\"dur\":" dur ",\"args\":{}}"),                                 \
	ONE('K', "gemm", 447, 550)
#define FUNCTIONS(count)                                                                           \
	MANY('P', "train.py(1): f", 0, 9, count, 10), MANY('O', "aten::mm", 1000, 9, 10, 10)
#define UNLINKED(dur)                                                                              \
	ONE('K', "gemm", 0, 900),                                                                  \
	JSON("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":910,"  \
	     "\"dur\":" dur ",\"args\":{\"device\":0,\"stream\":7}}")
#define STEPS(count) MANY('S', "1", 0, 1000, count, 1000), MANY('O', "aten::mm", 0, 900, count, 1000)
#define CAPTURING(launches)                                                                        \
	ONE('R', "cudaStreamBeginCapture", 0, 5), MANY('R', "cudaLaunchKernel", 10, 8, launches, 10), \
	ONE('K', "gemm", 900, 500)
#define OF_NO_LAUNCH(at)                                                                           \
	JSON("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":0,"    \
	     "\"dur\":450,\"args\":{\"device\":0,\"stream\":7}}"),                                 \
	JSON("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":" at   \
	     ",\"dur\":450,\"args\":{\"device\":0,\"stream\":7}}")

static const struct pair pairs[] = {
	PAIR("launch_bound", "for 10 % of the window or more", LAUNCHING, 95, 90),
	PAIR("host_bound", "GPU idle for 5 % of the window or more", COMPUTING, 505, 450),
	PAIR("idle_unknown", "GPU idle for 10 % of the window or more", OF_NO_LAUNCH, "552", "540"),
	PAIR("cpu_preprocessing", "for 10 % of the window or more", PREPROCESSING, 1005, 990),
	PAIR("synchronisation", "for 2 % of the window or more", SYNCHRONIZING, 21, 15),
	PAIR("queue_full", "launch calls of 1 ms or more", QUEUED, 1000, 999),
	PAIR("queue_full", "take 5 % of the window or more", QUEUING, 3100, 2900),
	PAIR("compilation", "for 1 % of the window or more", COMPILING, 21, 15),
	PAIR("compile_guards", "for 2 % of the window or more", GUARDING, 21, 15),
	PAIR("optimizer", "takes 10 % of the window or more", OPTIMIZING, 101, 98),
	PAIR("optimizer", "with over 20 launches per call", UPDATING, 21, 20),
	PAIR("decode_gap", "for 10 % of decode steps or more", SCHEDULING, 103, 92),
	PAIR("decode_sampling", "for 5 % of decode steps or more", SAMPLING, 505, 490),
	PAIR("decode_all_reduce", "2 % of decode steps or more", NORMALIZING, 16, 13),
	PAIR("decode_all_reduce", "each of 50 us or less", REDUCING, 50, 51),
	PAIR("decode_all_reduce", "two all-reduces or more in a decode step", REDUCTIONS, 2, 1),
	PAIR("mixed_steps", "take twice a decode step or more", MIXING, 202, 198),
	PAIR("mixed_steps", "and 5 % of the window", RARELY_MIXING, 540, 510),
	PAIR("batch_padding", "a fifth of the slots", PADDED, "80", "81"),
	PAIR("gil", "for 5 % of the window or more", LOCKED, 51, 45),
	PAIR("gc_pauses", "for 2 % of the window or more", COLLECTING, 21, 15),
	PAIR("hot_spot", "takes 10 % of all self time or more", HOT, 112, 110),
	PAIR("hot_spot", "an operator of 100 µs or more", BESIDE_LAUNCHES, 100, 99),
	PAIR("slow_cpu_code", "take 5 % of the window or more", SLOW, 50, 49),
	PAIR("double_precision", "over 5 % of the window", DOUBLE_ON_CPU, 52, 49),
	PAIR("dataloader", "for over 5 % of the window", LOADING, 52, 46),
	PAIR("pageable_copies", "take over 1 % of the window", PAGEABLE_FOR, 11, 10),
	PAIR("pageable_copies", "copies of 64 KiB or more", PAGEABLE_BYTES, "65536", "65535"),
	PAIR("pageable_copies", "number over 10 per step", PAGEABLE_OFTEN, 11, 10),
	PAIR("exposed_copies", "take 5 % of the window or more", EXPOSED_COPY, 50, 49),
	PAIR("small_copies", "over 10 copies per step", SMALL_COPIES, 11, 10),
	PAIR("small_copies", "under 64 KiB", COPIES_OF, "65535", "65536"),
	PAIR("small_copies", "take over 1 % of the window", SHORT_COPIES, 60, 40),
	PAIR("device_copies", "over 5 % of GPU time", WITHIN_GPU, 51, 49),
	PAIR("low_utilisation", "busy for less than 50 %", BUSY_FOR, 499, 501),
	PAIR("uneven_devices", "over 20 points apart", UNEVEN, "299", "301"),
	PAIR("layouts", "over 3 % of kernel time", TRANSPOSING, 31, 29),
	PAIR("norm_unfused", "take over 5 % of kernel time", NORMS, 51, 49),
	PAIR("slow_kernels", "take over 3 % of kernel time", SCATTERING, 31, 29),
	PAIR_ON(A100, "unaligned_gemm", "take over 5 % of kernel time", UNALIGNED, 51, 49),
	PAIR_ON(A100, "tf32_off", "take over 10 % of kernel time", SINGLE, 101, 99),
	PAIR_ON(A100, "double_precision", "take over 5 % of kernel time", IN_DOUBLE, 51, 49),
	PAIR_ON(A100, "kernel_old_generation", "take over 30 % of kernel time", OLDER, 301, 299),
	PAIR_ON(A100, "kernel_old_generation", "of 50 us or more", OLDER_LASTING, 50, 49),
	PAIR("pointwise", "take over 10 % of kernel time", ELEMENTWISE, 51, 49),
	PAIR_ON(A100, "few_blocks", "take over 10 % of kernel time", FEW_BLOCKS, 101, 99),
	PAIR("cudnn_benchmark", "take over 10 % of kernel time", CONVOLVING, 99, 97),
	PAIR("kernel_hotspot", "takes 30 % of kernel time or more", FAMILIES, 300, 296),
	PAIR("kernel_hotspot", "20 % of the window", FEW_KERNELS, 50, 49),
	PAIR("kernel_hotspot", "ten kernels", TEN_KERNELS, 10, 9),
	PAIR("throttling", "take 10 % longer in the last", SLOWING, 55, 54),
	PAIR("throttling", "each with five launches", SLOWING_TIMES, 5, 4),
	PAIR("throttling", "of 10 us or more", LONG_ENOUGH, 10, 9),
	PAIR("sm_contention", "by 5 % of kernel time or more", CONTENDING, 119, 116),
	PAIR("sm_contention", "three launches or more on each side", CONTENDED_TIMES, 3, 2),
	PAIR("allocation", "for 2 % of the window or more", ALLOCATING, 61, 58),
	PAIR("allocation", "one allocator call per step or more", CALLS_LATER, 3, 1),
	PAIR_ON(DEVICE("0"), "memory_capacity", "over 90 %", IN_USE, "900001", "900000"),
	PAIR_ON(DEVICE("0"), "unused_memory", "under 50 %", UNUSED, "499999", "500000"),
	PAIR_ON(DEVICE("0"), "fragmentation", "over 20 % of that not in use", OF_RESERVED, "719999", "720000"),
	PAIR_ON(DEVICE("0"), "fragmentation", "over half of the memory is reserved", RESERVED, "500001", "500000"),
	PAIR("memory_growth", "by over 0.1 % in all", GROWING_TO, "1001010", "1000990"),
	PAIR("communication", "takes 5 % of the window or more", EXPOSED, 50, 49),
	PAIR("no_sync", "half as long or longer before the last", EARLY, 100, 99),
	PAIR("no_sync", "take 2 % of the window or more", EARLY_OF, 9900, 10100),
	PAIR("small_messages", "under 1 MiB", MESSAGE_OF, "262143", "262144"),
	PAIR("small_messages", "ten per step or more", MESSAGE_COUNT, 10, 9),
	RANKS("comm_imbalance", "by over 10 %", IMBALANCED, 491, 487),
	RANKS("pipeline_bubble", "three sends or receives or more", BUBBLES, 'N', '\0'),
	RANKS("pipeline_bubble", "for 5 % of the window or more", BUBBLE_OF, 28, 25),
	RANKS("bus_bandwidth", "over twice the median", SLOW_TRANSFERS, 201, 200),
	PAIR("slow_start", "over twice the median step", STARTING, 2001, 2000),
	PAIR("profiler_overhead", "for 2 % of the window or more", OVERHEAD_OF, "21", "18"),
	PAIR("stack_cost", "over 50 % of CPU events", FUNCTIONS, 11, 10),
	PAIR("unlinked_work", "over 10 % of GPU time", UNLINKED, "101", "99"),
	PAIR("few_steps", "fewer than three complete steps", STEPS, 2, 3),
	PAIR("graph_capture", "at least ten times as many launch calls as kernels", CAPTURING, 19, 18),
};
/* clang-format on */

static const struct detector *detector_named(const char *id)
{
	for (const struct detector *detector = detectors(); detector->id; detector++)
		if (!strcmp(detector->id, id))
			return detector;
	fail_msg("no detector %s", id);
	return NULL;
}

/* Whether it is as ANSWER says; if not, that is printed. */
static bool answers(const struct pair *pair, const struct rule_trace *trace, const char *answer)
{
	struct run *run = rule_case_run(trace);
	struct table *advice = trace_view(run, "advice", NULL, "all");
	const char *given = advice_answer(advice, pair->detector);
	const char *evidence =
		table_cell(advice, advice_row(advice, pair->detector), "evidence").text;
	bool right = !strcmp(advice_fired(given) ? "fires" : given, answer);
	if (!right)
		print_error("%s (%s): %s instead of %s: %s\n", pair->detector, pair->words, given,
			    answer, evidence);
	table_free(advice);
	run_free(run);
	return right;
}

TEST(detectors_keep_their_documented_limits)
{
	size_t wrong = 0;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const struct pair *pair = &pairs[i];
		if (!strstr(detector_named(pair->detector)->condition, pair->words))
			fail_msg("%s is not documented with '%s'", pair->detector, pair->words);
		wrong += !answers(pair, &pair->fires, "fires");
		wrong += !answers(pair, &pair->silent, "silent");
	}
	assert_int_equal(wrong, 0);
}
