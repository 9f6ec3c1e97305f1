/* Evidence and recommendations of findings, and their place in the overview. */
#include "advice_case.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "report/format.h"

#include <stdio.h>

#define OLD_DEVICE                                                                                 \
	"{\"id\":0,\"name\":\"Device\",\"totalGlobalMem\":1000000,\"computeMajor\":7,"             \
	"\"computeMinor\":0,\"numSms\":100}"
#define PLAIN_GEMM STEP("1", "0", "1000") "," WORK("ampere_sgemm_128x64_nn", "0", "900", "1", "")
#define COLLECTIVE(kernel)                                                                         \
	DOCUMENT(STEP("1", "0", "1000") "," OPERATOR("MmBackward0", "0", "50") "," OPERATOR(       \
		"FSDP::post_backward", "1", "48") "," LAUNCH("10", "1") "," KERNEL(kernel, "20",   \
										   "300", "1"))
#define LONG_KERNEL                                                                                \
	"void at::native::elementwise_kernel<"                                                     \
	"at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "                  \
	"at::native::binary_internal::MulFunctor<float> > >(int, at::native::Loader<float>)"
/* A thread waiting beside the launching one, with a gap as long as the start. */
#define WAITING_THREAD                                                                             \
	EVENT("python_function", "threading.py(359): wait", "1", "2", "0", "90000", "{}")
#define LATE_START                                                                                 \
	DOCUMENT(STEP("1", "0", "100000") "," WAITING_THREAD "," OPERATOR(                         \
		"aten::conv2d", "0", "90000") "," LAUNCH("89000", "1") "," KERNEL("gemm", "90000", \
										  "1000", "1"))
/* All work in one function, or module. */
#define IN_FUNCTION(name)                                                                          \
	DOCUMENT(PYTHON(name, "0", "990") "," WORK(LONG_KERNEL, "0", "400", "1",                   \
						   "") "," WORK(LONG_KERNEL, "5", "400", "2", ""))

/* What pstats prints of one thread: 10 s of which SECONDS are in FUNCTION. */
#define PRINTED(seconds, function)                                                                 \
	"         3 function calls in 10.000 seconds\n\n"                                          \
	"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"                \
	"        2    " seconds "    4.300    8.600    4.300 " function "\n"                       \
	"        1    1.400    1.400   10.000   10.000 a.py:9(main)\n\n"

#define CALLERS(function, caller)                                                                  \
	"Function  was called by...\n    ncalls  tottime  cumtime\n" function                      \
	"  <-       2    0.000    8.600  " caller "\n\n"

#define ROCPROF_SUMS(rows)                                                                         \
	"\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n" rows "\n"

/* What PyTorch prints of 100 ms, of which the operator FIRST takes 40. */
#define OPERATORS(first)                                                                           \
	"-----  ----------  --------  -----------  ---------  ------------  ---------  "           \
	"-----------  ----------  -------------  ----------\n"                                     \
	"Name  Self CPU %  Self CPU  CPU total %  CPU total  CPU time avg  Self CUDA  "            \
	"Self CUDA %  CUDA total  CUDA time avg  # of Calls\n"                                     \
	"-----  ----------  --------  -----------  ---------  ------------  ---------  "           \
	"-----------  ----------  -------------  ----------\n" first                               \
	"  40.00%  40.000ms  40.00%  40.000ms  40.000ms  0.000us  0.00%  0.000us  0.000us  1\n"    \
	"aten::mm  60.00%  60.000ms  60.00%  60.000ms  60.000ms  70.000ms  100.00%  70.000ms  "    \
	"70.000ms  1\n"                                                                            \
	"-----  ----------  --------  -----------  ---------  ------------  ---------  "           \
	"-----------  ----------  -------------  ----------\n"                                     \
	"Self CPU time total: 100.000ms\nSelf CUDA time total: 70.000ms\n"

/* A table of one kernel on DEVICE, in an operator, and of the call that launches it. */
#define TABLE_RULE "-----  ----------  -----------  -----------  ------------  ----------\n"
#define TABLE_OF(device, kernel, call)                                                             \
	TABLE_RULE "Name  Self CPU  CPU total  Self " device "  " device                           \
		   " total  # of Calls\n" TABLE_RULE                                               \
		   "aten::mm  60.000ms  60.000ms  70.000ms  70.000ms  9\n" call                    \
		   "  40.000ms  40.000ms  0.000us  0.000us  9\n" kernel                            \
		   "  0.000us  0.000us  70.000ms  70.000ms  7\n" TABLE_RULE                        \
		   "Self CPU time total: 100.000ms\nSelf " device " time total: 70.000ms\n"

/* Stacks of threads: one works, one waits. */
#define SAMPLES(threads)                                                                               \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[" \
	"{\"name\":\"step\",\"file\":\"/app/train.py\",\"line\":7},"                                   \
	"{\"name\":\"load\",\"file\":\"/app/data.py\",\"line\":3},"                                    \
	"{\"name\":\"get\",\"file\":\"/usr/lib/python3.11/queue.py\",\"line\":171},"                   \
	"{\"name\":\"_bootstrap\",\"file\":\"/usr/lib/python3.11/threading.py\",\"line\":9}]},"        \
	"\"profiles\":[" threads "]}"
#define THREAD(name, samples, weights)                                                             \
	"{\"type\":\"sampled\",\"name\":\"" name "\",\"unit\":\"seconds\",\"startValue\":0,"       \
	"\"endValue\":3,\"samples\":[" samples "],\"weights\":[" weights "]}"
/* A thread that the interpreter starts for others. */
#define HELPER(seconds) THREAD("Thread-1", "[3,1]", seconds)
#define WORKING THREAD("MainThread", "[0],[1]", "2,1")
#define WAITING THREAD("Thread-1", "[1,2]", "3")

/* Samples of perf script. */
#define PERF(thread, event, code) thread " 5.000001: 1 " event ":\n\t 7fab01 " code "\n\n"
#define PERF_FOO(event) PERF("p 7", event, "foo+0x1 (/lib/a.so)")
#define PERF_IDLE PERF("swapper 0", "cycles", "poll_idle ([kernel.kallsyms])")

/* Collapsed stacks of py-spy, which counts samples. */
#define SPY_WAIT "m (/app/t.py:1);get (/usr/lib/python3.11/queue.py:171)"

#define TENSORFLOW                                                                                 \
	"{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":"  \
	"\"/job:localhost/replica:0/task:0/device:CPU:0 Compute\"}},{\"ph\":\"X\",\"cat\":\"Op\"," \
	"\"name\":\"Conv3DBackpropFilterV2\",\"pid\":1,\"tid\":0,\"ts\":5,\"dur\":900,"            \
	"\"args\":{\"name\":\"grad\",\"op\":\"Conv3DBackpropFilterV2\"}}]}"

#define LOADING "_find_and_load (<frozen importlib._bootstrap>:9)"
#define IMPORTS                                                                                    \
	"m (/app/t.py:1);" LOADING ";<module> (/app/a.py:4);" LOADING                              \
	";create_module (<frozen importlib._bootstrap_external>:7) 1\n"                            \
	"m (/app/t.py:1);f (/app/b.py:9) 2\nm (/app/t.py:1);g (/app/b.py:19) 2\n"                  \
	"m (/app/t.py:1);h (/app/b.py:29) 2\n"                                                     \
	"m (/app/t.py:1);" LOADING ";exec_module (<frozen importlib._bootstrap_external>:5)"

/* A kernel, a pageable copy, and 370 of 1,000 us without work. */
#define NVPROF_LIST                                                                                \
	"==1== NVPROF is profiling process 1, command: ./train\n==1== Profiling result:\n"         \
	"   Start  Duration  Grid Size  Block Size  Regs*  SSMem*  DSMem*  Size  Throughput  "     \
	"SrcMemType  DstMemType  Device  Context  Stream  Name\n"                                  \
	"1.00000s  30.000us  -  -  -  -  -  2.0000MB  65.1GB/s  Pageable  Device  Tesla P100 (1)"  \
	"  1  7  [CUDA memcpy HtoD]\n"                                                             \
	"1.00040s  600.00us  (64 1 1)  (256 1 1)  32  0B  0B  -  -  -  -  Tesla P100 (1)  1  7  "  \
	"gemm(float*) [191]\n"

static const struct {
	const char *detector, *trace, *recommendation, *evidence, *not_evidence; /* substrings */
} words[] = {
	{ "tensor_cores", MACHINE(OLD_DEVICE, PLAIN_GEMM), "GradScaler", NULL, NULL },
	{ "tf32_off", MACHINE(DEVICE("0"), PLAIN_GEMM), "set_float32_matmul_precision", NULL,
	  NULL },
	{ "communication", COLLECTIVE("ncclDevKernel_AllReduce_Sum"), "larger buckets", NULL,
	  NULL },
	{ "communication", COLLECTIVE("ncclDevKernel_SendRecv"), "Overlap the exchange", NULL,
	  NULL },
	{ "communication", COLLECTIVE("ncclDevKernel_ReduceScatter_Sum"), "FSDP prefetch", NULL,
	  NULL },
	{ "pointwise",
	  DOCUMENT(STEP("1", "0", "1000") "," WORK(LONG_KERNEL, "0", "300", "1",
						   "") "," WORK(LONG_KERNEL, "4", "300", "2", "")),
	  "Fuse", "100.0 % of it in elementwise_kernel…MulFunctor<float>", LONG_KERNEL },
	{ "launch_bound", LATE_START, "warm-up",
	  "; one gap of 89.00 ms at 0 ns; 100.0 % of it in aten::conv2d", "threading.py" },
	{ "synchronisation",
	  DOCUMENT(STEP("1", "0", "1000") "," LAUNCH("10", "1") "," KERNEL(
		  "gemm", "20", "300",
		  "1") "," CALL("cudaDeviceSynchronize", "62",
				"370") "," LAUNCH("610", "2") "," KERNEL("gemm", "650", "350",
									 "2")),
	  "events instead of cudaDeviceSynchronize", NULL, NULL },
	{ "hot_spot",
	  DOCUMENT(EVENT("cpu_op", "aten::mm", "1", "1", "0", "9",
			 "{\"Call stack\":"
			 "\"torch/nn/linear.py(1): forward;\\r\\ntrain.py(7): step;\\r\\n\"}")),
	  "Optimize", "at train.py(7): step; no GPU work was recorded.", NULL },
	{ "pointwise", IN_FUNCTION("train.py(7): step"), "Fuse", "100.0 % at train.py(7): step.",
	  "in layer" },
	{ "pointwise", IN_FUNCTION("nn.Module: Net_0"), "Fuse", "100.0 % in layer Net_0.", NULL },
	{ "hot_spot",
	  DOCUMENT(EVENT("python_function", "train.py(7): step", "1", "1", "0", "99",
			 "{}") "," EVENT("python_function", "nn.Module: Encoder_0", "1", "1", "1",
					 "97", "{}") "," EVENT("cpu_op", "aten::mm", "1", "1", "2",
							       "95", "{}")),
	  "Optimize", "aten::mm at train.py(7): step; no GPU work was recorded.", "nn.Module" },
	{ "hot_spot", SAMPLES(WORKING "," WAITING), "Optimize",
	  "2.00 s of 3.00 s (66.7 %) is spent in step at app/train.py:7; waits take another 3.00 s",
	  NULL },
	/* the main thread waits for one that works less than that, or more */
	{ "hot_spot", SAMPLES(THREAD("MainThread", "[0],[0,2]", "1,4") "," HELPER("1")),
	  "Profile what it waits for",
	  "4.00 s of 5.00 s (80.0 %) is spent waiting for another thread, in get at python3.11/queue.py:171, called from step at app/train.py:7",
	  NULL },
	{ "hot_spot", SAMPLES(THREAD("MainThread", "[0],[0,2]", "1,4") "," HELPER("9")), "Optimize",
	  "9.00 s of 10.00 s (90.0 %) is spent in load at app/data.py:3", NULL },
	{ "hot_spot", SAMPLES(WAITING), "Profile what it waits for",
	  "(100.0 %) is spent waiting for another thread, in get", "Optimize" },
	{ "hot_spot", PRINTED("8.600", "{method 'poll' of 'select.poll' objects}"),
	  "Profile what it waits for",
	  "8.60 s of 10.00 s (86.0 %) is spent waiting for a pipe or socket, in", "Optimize" },
	/* the outermost caller that only waits says for whom */
	{ "hot_spot",
	  PRINTED("8.600", "{method 'poll' of 'select.poll' objects}")
		  CALLERS("{method 'poll' of 'select.poll' objects}",
			  "/usr/lib/python3.11/selectors.py:402(select)")
			  CALLERS("/usr/lib/python3.11/selectors.py:402(select)",
				  "/usr/lib/python3.11/subprocess.py:9(_communicate)"),
	  "Profile what it waits for", "is spent waiting for another process, in", "socket" },
	{ "hot_spot", PRINTED("8.600", "{method 'enable' of '_lsprof.Profiler' objects}"),
	  "Optimize", "1.40 s of 1.40 s (100.0 %) is spent in main at a.py:9", "enable" },
	{ "hot_spot", PRINTED("8.600", "{built-in method _imp.create_dynamic}"), "importtime",
	  "8.60 s of 10.00 s (86.0 %) is spent in", "Optimize" },
	{ "slow_cpu_code", PRINTED("8.600", "{method 'enable' of '_lsprof.Profiler' objects}"),
	  "one profiler", "8.60 s of 10.00 s (86.0 %)", NULL },
	{ "slow_cpu_code", PRINTED("1.600", "/x/torch/optim/adam.py:3(_single_tensor_adam)"),
	  "fused=True", "8.60 s of 10.00 s (86.0 %) with what they call, 2 calls", NULL },
	{ "slow_cpu_code", PRINTED("1.600", "<frozen importlib._bootstrap>:9(_find_and_load)"),
	  "importtime", "Imports take 8.60 s", NULL },
	{ "slow_cpu_code", PRINTED("1.600", "/x/jax/_src/compiler.py:9(backend_compile_and_load)"),
	  "jax_compilation_cache_dir", "Compilations by XLA take 8.60 s of 10.00 s (86.0 %)",
	  NULL },
	/* sums of kernels and of calls alone, however few */
	{ "kernel_hotspot", ROCPROF_SUMS("\"norm(int, double*)\",1,13996851,13996851,100"),
	  "rocprof-compute", "take 100.0 % of kernel time (1 kernel, 14.00 ms each)", NULL },
	{ "hot_spot",
	  ROCPROF_SUMS("\"hipMemcpy\",3,900000,300000,90\n\"hipFree\",3,100000,33333,10"),
	  "Copy and synchronize less",
	  "1.00 ms CPU self time of calls: hipMemcpy 90.0 %, hipFree 10.0 %", NULL },
	{ "hot_spot",
	  ROCPROF_SUMS("\"hipMalloc\",3,900000,300000,90\n\"hipFree\",3,100000,33333,10"),
	  "Call it less often", "hipMalloc 90.0 %", "Copy" },
	/* a printed table has a row of the loader, beside the work on the GPU */
	{ "dataloader", OPERATORS("enumerate(DataLoader)#_SingleProcessDataLoaderIter"),
	  "num_workers", "Data loaders take 40.00 ms of 100.00 ms CPU time (40.0 %)", NULL },
	/* a function of a library is called from one of the user; what waits for the GPU is said */
	{ "hot_spot",
	  PRINTED("8.600", "{method 'item' of 'torch._C.TensorBase' objects}")
		  CALLERS("{method 'item' of 'torch._C.TensorBase' objects}",
			  "/x/site-packages/torch/u.py:2(clip)")
			  CALLERS("/x/site-packages/torch/u.py:2(clip)", "/my/train.py:31(step)"),
	  "waits for the GPU", "called from step at my/train.py:31", "Optimize" },
	/* data loading by the loader of any library, and what fetches an item */
	{ "dataloader",
	  PRINTED("0.100",
		  "/x/torch/utils/data/dataloader.py:9(__next__)") "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
								   "       40    0.100    0.200    8.500    0.200 C:\\x\\torch\\utils\\data\\_utils\\fetch.py:5(fetch)\n"
								   "       99    4.000    0.080    8.000    0.080 C:\\my\\pictures.py:8(__getitem__)\n\n",
	  "num_workers",
	  "(86.0 %) with what they call, 2 calls, in the training process (num_workers=0); 8.00 s of it in __getitem__ at",
	  NULL },
	/* of operators alone, as the share is of their time */
	{ "hot_spot",
	  DOCUMENT(EVENT("user_annotation",
			 "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "1", "1",
			 "0", "300",
			 "{}") "," OPERATOR("aten::mm", "300", "500") "," OPERATOR("aten::add",
										   "800", "200")),
	  "Optimize",
	  "500.00 us of 700.00 us CPU self time of operators (71.4 %) is in aten::mm; then aten::add 28.6 %; no GPU",
	  "DataLoader" },
	/* of two threads more than passes, which no other finding has */
	{ "hot_spot",
	  DOCUMENT(EVENT("cpu_op", "aten::mm", "1", "1", "0", "900",
			 "{}") "," EVENT("cpu_op", "aten::mm", "1", "2", "0", "900", "{}")),
	  "Optimize", "1.80 ms of 1.80 ms CPU self time of operators (100.0 %)", "findings above" },
	/* a table that lists the first of its kernels states the time of all */
	{ "kernel_hotspot",
	  "-----  ----------  -----------  -----------  ------------  ----------\n"
	  "Name  Self CPU  CPU total  Self CUDA  CUDA total  # of Calls\n"
	  "-----  ----------  -----------  -----------  ------------  ----------\n"
	  "aten::mm  60.000ms  60.000ms  70.000ms  70.000ms  9\n"
	  "cutlass3x_sm120_bstensorop_gemm_block_scaled  0.000us  0.000us  42.000ms  42.000ms  7\n"
	  "-----  ----------  -----------  -----------  ------------  ----------\n"
	  "Self CPU time total: 100.000ms\nSelf CUDA time total: 70.000ms\n",
	  "Give each product more rows",
	  "GEMM kernels take 60.0 % of kernel time (7 kernels, 6.00 ms each)", "FP8" },
	/* the table says of which device it is, or a call in it does */
	{ "kernel_hotspot", TABLE_OF("XPU", "_attn_fwd", "urEnqueueKernelLaunch"),
	  "profile with the profiler of the device's maker", "100.0 % of kernel time", NULL },
	/* weights of four bits */
	{ "kernel_hotspot", TABLE_OF("CUDA", "awq_gemm_kernel", "cudaLaunchKernel"),
	  "Give each product more rows", "GEMM kernels take 100.0 %", "FP8" },
	{ "kernel_hotspot", TABLE_OF("CUDA", "_attn_fwd", "hipLaunchKernel"), "rocprof-compute",
	  "100.0 % of kernel time", NULL },
	{ "kernel_hotspot", TABLE_OF("CUDA", "_attn_fwd", "cudaLaunchKernel"), "ncu --kernel-name",
	  "100.0 % of kernel time", NULL },
	/* pages that the driver moves are not copied by a call */
	{ "exposed_copies",
	  DOCUMENT(LAUNCH("0", "1") "," KERNEL("gemm", "5", "100", "1") "," EVENT(
		  "gpu_memcpy", "Memcpy UVM DtoH (Unknown -> Unknown)", "0", "7", "120", "30",
		  "{\"device\":0,\"stream\":7,\"bytes\":4096}")),
	  "cudaMemPrefetchAsync", "1 copy moves 4.00 KiB", NULL },
	/* the mark opens after the work, as where a profiler steps twice at the end */
	{ "no_steps", DOCUMENT(OPERATOR("aten::mm", "0", "900") "," STEP("1", "950", "10")),
	  "profiler.step()", "1 marked step holds under 20 % of operator time and is not used",
	  "GPU" },
	/* no GPU was recorded that could be idle */
	{ "dataloader",
	  DOCUMENT(STEP("1", "0", "1000") "," EVENT(
		  "user_annotation",
		  "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "1", "1", "0",
		  "400", "{}") "," OPERATOR("aten::mm", "400", "600")),
	  "", "The data loader takes 40.0 %", NULL },
	{ "no_device_work", MACHINE(DEVICE("0"), CALL("cudaLaunchKernel", "0", "5")),
	  "performance counters", "1 launch was recorded, but no kernel", NULL },
	{ "no_device_work",
	  MACHINE(DEVICE("0"),
		  CALL("cudaLaunchKernel", "0", "5") "," EVENT("cuda_sync", "Stream Sync", "0", "7",
							       "6", "3", "{\"stream\":7}")),
	  "performance counters", "1 launch was recorded, but no kernel", NULL },
	{ "no_device_work",
	  "{\"schemaVersion\":1,\"deviceProperties\":[" DEVICE("0") "],\"traceEvents\":[" OPERATOR(
		  "aten::mm", "0", "9") ",{\"ph\":\"X\",\"na",
	  "it ends early", NULL, NULL },
	{ "no_device_work",
	  MACHINE(DEVICE("0"), EVENT("user_annotation", "a", "1", "1", "0", "9", "{}")),
	  "ProfilerActivity.CUDA", "1 GPU is listed, but no launch, kernel or copy", NULL },
	{ "no_device_work", MACHINE(DEVICE("0"), CALL("cudaGetDeviceCount", "0", "5")),
	  "reaches its GPU work", "1 call of the GPU's interface, none of which launches", NULL },
	{ "no_device_work", DOCUMENT(CALL("hipGetDeviceCount", "0", "5")), "reaches its GPU work",
	  "1 call of the GPU's interface, none of which launches", NULL },
	{ "no_device_work", DOCUMENT(EVENT("overhead", "Buffer flush", "1", "1", "0", "9", "{}")),
	  "ProfilerActivity.CUDA", "No GPU event was recorded", NULL },
	{ "no_device_work",
	  MACHINE(DEVICE("0"), CALL("cudaMemsetAsync", "0", "5") "," ON_DEVICE(
				       "gpu_memset", "Memset (Device)", "0", "9", "2", "99", "")),
	  "reaches its GPU work", "none of which launches a kernel or copies", NULL },
	{ "no_device_work",
	  DOCUMENT(OPERATOR("aten::conv2d", "0",
			    "9") "," OPERATOR("aten::cudnn_convolution", "10",
					      "9") "," OPERATOR("aten::record_stream", "20", "9")),
	  "ProfilerActivity.CUDA",
	  "A GPU was used (aten::cudnn_convolution and aten::record_stream), but no launch", NULL },
	{ "no_device_work",
	  DOCUMENT(OPERATOR("aten::empty", "0",
			    "9") ",{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,"
				 "\"tid\":1,\"ts\":5,\"args\":{\"Device Type\":1,"
				 "\"Device Id\":0,\"Addr\":64,\"Bytes\":512}}"),
	  "ProfilerActivity.CUDA", "A GPU was used (its memory), but no launch", NULL },
	/* one witness is none */
	{ "hot_spot", DOCUMENT(OPERATOR("aten::cudnn_convolution", "0", "9")), "Optimize this",
	  "is in aten::cudnn_convolution", NULL },
	/* a table of nvprof --csv */
	{ "kernel_hotspot",
	  "==1== NVPROF is profiling process 1, command: python train.py\n==1== Profiling result:\n"
	  "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,ms,,us,us,us,\n"
	  "\"GPU activities\",60,240.0,100,2400,2400,2600,\"volta_sgemm_128x64_nn\"\n"
	  "\"GPU activities\",20,80.0,500,160,150,170,\"void vectorized_elementwise_kernel<4>(int)\"\n"
	  "\"GPU activities\",20,80.0,20,4000,2000,5000,\"[CUDA memcpy HtoD]\"\n"
	  "\"API calls\",100,300.0,600,500,4,600,\"cudaLaunchKernel\"\n",
	  "ncu --kernel-name",
	  "GEMM kernels take 75.0 % of kernel time (100 kernels, 2.40 ms each); 100.0 % of it in volta_sgemm_128x64_nn; then pointwise 25.0 %",
	  NULL },
	{ "no_device_work", DOCUMENT(""), "active steps", "The file holds no event", NULL },
	/* calls of the GPU's interface alone, by a tracer without categories */
	{ "hot_spot",
	  "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"cuMemcpyDtoHAsync_v2\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":90},"
	  "{\"ph\":\"X\",\"name\":\"cuLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":95,\"dur\":10}]}",
	  "pinned memory",
	  "90.00 us of 100.00 us CPU self time (90.0 %) is in cuMemcpyDtoHAsync_v2", NULL },
	/* a call that sets up the GPU is no copy, and other GPUs have other profilers */
	{ "hot_spot",
	  "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"hipStreamCreateWithPriority\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":90},"
	  "{\"ph\":\"X\",\"name\":\"hipLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":95,\"dur\":10}]}",
	  "if it sets up the GPU; record the GPU's work, too (rocprofv3 --runtime-trace).",
	  "(90.0 %) is in hipStreamCreateWithPriority", NULL },
	{ "kernel_hotspot",
	  "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
	  "\"merge_path.kd\",11,7600000,690909,84.4\n\"__amd_rocclr_copyBuffer.kd\",19,1400000,73684,15.6\n",
	  "rocprof-compute", "(11 kernels, 690.91 us each)", "ncu" },
	/* rocprof does not quote names with commas */
	{ "kernel_hotspot",
	  ROCPROF_SUMS("void scale<float, 4>(float*, int),11,7600000,690909,84.4\n"
		       "copy,19,1400000,73684,15.6"),
	  "rocprof-compute",
	  "(11 kernels, 690.91 us each); 100.0 % of it in void scale<float, 4>(float*, int)",
	  "ncu" },
	/* sums without a timeline name what is hot: kernels of Proton, whose keys had capitals */
	{ "hot_spot",
	  "[{\"frame\":{\"name\":\"ROOT\"},\"metrics\":{\"Count\":0,\"Time (ns)\":0},\"children\":["
	  "{\"frame\":{\"name\":\"attention\"},\"metrics\":{\"Count\":10,\"Time (ns)\":9000},\"children\":[]},"
	  "{\"frame\":{\"name\":\"softmax\"},\"metrics\":{\"Count\":10,\"Time (ns)\":1000},\"children\":[]}]},"
	  "{\"CUDA\":{\"0\":{\"arch\":\"90\",\"num_sms\":132}}}]",
	  "ncu --kernel-name", "GPU work takes 10.00 us: attention 90.0 %, softmax 10.0 %", NULL },
	/* stacks that perf sampled, without Linux's idle task and without code of no name */
	{ "hot_spot",
	  PERF_FOO("cycles:u") PERF_FOO("cycles:u") PERF("p 7", "cycles:u", "bar (/lib/a.so)")
		  PERF_IDLE PERF_IDLE PERF_IDLE,
	  "Optimize it first", "2 of 3 samples (66.7 %) end in foo; then bar 33.3 %", "idle" },
	{ "hot_spot",
	  PERF("p 7", "cpu-clock", "[unknown] (/lib/b.so)")
		  PERF("p 7", "cpu-clock", "[unknown] (/lib/b.so)") PERF_FOO("cpu-clock")
			  PERF_FOO("cpu-clock"),
	  "Optimize it first", "2 of 4 samples (50.0 %) end in foo.", NULL },
	/* an import is made once */
	{ "hot_spot",
	  "import time: self [us] | cumulative | imported package\n"
	  "import time:       900 |        900 |   multiprocessing.synchronize\n"
	  "import time:       100 |       1000 | multiprocessing\n",
	  "Import it where it is used",
	  "900.00 us of 1.00 ms (90.0 %) is spent in multiprocessing.synchronize", NULL },
	/* no import takes a tenth by itself */
	{ "hot_spot",
	  "import time: self [us] | cumulative | imported package\n"
	  "import time:        90 |         90 |     a.b\n"
	  "import time:        90 |         90 |     a.c\n"
	  "import time:        90 |         90 |     a.d\n"
	  "import time:        90 |         90 |     a.e\n"
	  "import time:        90 |         90 |     a.f\n"
	  "import time:        90 |         90 |     a.g\n"
	  "import time:        90 |        630 |   a\n"
	  "import time:        90 |         90 |   b\n"
	  "import time:        90 |         90 |   c\n"
	  "import time:        90 |         90 |   d\n"
	  "import time:        90 |         90 |   e\n"
	  "import time:        10 |       1000 | main\n",
	  "Import it where it is used", "630.00 us of 1.00 ms (63.0 %) passes through a, 1 call",
	  "calls" },
	/* samples at a rate that is not known have shares, and no time */
	{ "hot_spot", "m (/app/t.py:1);f (/app/b.py:9) 4\nm (/app/t.py:1) 1\n" SPY_WAIT " 2\n",
	  "Optimize it first",
	  "4 of 5 samples (80.0 %) are taken in f at app/b.py:9; waits take another 2", " s " },
	{ "hot_spot", "main;a 10\nmain;b 4\n", "Optimize it first",
	  "10 of 14 samples (71.4 %) are taken in a", NULL },
	{ "hot_spot", SPY_WAIT " 9\nm (/app/t.py:1) 1\n", "Profile what it waits for",
	  "9 of 10 samples (90.0 %) are taken waiting for another thread, in get", NULL },
	{ "slow_cpu_code",
	  "m (/app/t.py:1);_find_and_load (<frozen importlib._bootstrap>:9) 9\nm (/app/t.py:1) 1\n",
	  "importtime", "take 9 of 10 samples (90.0 %)", NULL },
	/* less than half of all time, but the function with the most of it works for them */
	{ "slow_cpu_code", IMPORTS " 4\n", "importtime",
	  "Imports take 5 of 11 samples (45.5 %) with what they call, most in that of m at app/t.py:1",
	  NULL },
	{ "hot_spot", IMPORTS " 4\n", "Optimize it first",
	  "2 of 11 samples (18.2 %) are taken in f at app/b.py:9", "exec_module" },
	/* what a function of the user does is its own, although it is called while a module loads
	 */
	{ "hot_spot",
	  "m (/app/t.py:1);" LOADING
	  ";<module> (/app/a.py:3);main (/app/a.py:9);f (/x/torch/b.py:2) 9\n"
	  "m (/app/t.py:1) 1\n",
	  "Optimize it first",
	  "9 of 10 samples (90.0 %) are taken in f at torch/b.py:2, called from main at app/a.py:9",
	  NULL },
	{ "hot_spot",
	  "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":["
	  "{\"name\":\"step\"},{\"name\":\"load\"}]},\"profiles\":["
	  "{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"none\",\"startValue\":0,\"endValue\":3,"
	  "\"samples\":[[0],[1]],\"weights\":[2,1]}]}",
	  "Optimize it first", "2 of 3 samples (66.7 %) are taken in step", NULL },
	/* where a format has no launch calls, another start of the capture has none either */
	{ "unlinked_work", NVPROF_LIST, "nvprof -o FILE",
	  "2 GPU events (100.0 % of GPU time) have no launch call", NULL },
	{ "idle_unknown", NVPROF_LIST, "nvprof -o FILE", "370.00 us (37.0 % of", NULL },
	{ "unlinked_work", DEVICE_ONLY, "ProfilerActivity.CPU", NULL, NULL },
	{ "unlinked_work",
	  DOCUMENT(LAUNCH("0", "1") "," KERNEL("gemm", "10", "100", "2") "," KERNEL("gemm", "120",
										    "10", "1")),
	  "Start the capture before the work", NULL, NULL },
	/* PyTorch's functions are no advice to TensorFlow */
	{ "hot_spot", TENSORFLOW, "more threads, or a GPU", "in Conv3DBackpropFilterV2", NULL },
	{ "no_steps", TENSORFLOW, "--key-node", NULL, NULL },
	/* and functions that hold memory */
	{ "hot_spot",
	  "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":["
	  "{\"name\":\"step\",\"file\":\"/app/train.py\",\"line\":7},"
	  "{\"name\":\"load\",\"file\":\"/app/data.py\",\"line\":3}]},\"profiles\":["
	  "{\"type\":\"sampled\",\"name\":\"heap\",\"unit\":\"bytes\",\"startValue\":0,\"endValue\":3,"
	  "\"samples\":[[0],[1]],\"weights\":[2048,1024]}]}",
	  "Allocate less there",
	  "2.00 KiB of 3.00 KiB (66.7 %) is allocated in step at app/train.py:7", NULL },
	/* a total that pstats states, although rounding explains what the rows lack */
	{ "hot_spot",
	  "         3 function calls in 0.010 seconds\n\n"
	  "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
	  "        1    0.004    0.004    0.004    0.004 a.py:3(f)\n"
	  "        1    0.003    0.003    0.010    0.010 a.py:9(main)\n\n",
	  "Optimize", "4.00 ms of 10.00 ms (40.0 %) is spent in f", NULL },
	{ "hot_spot",
	  "[{\"cat\":\"Node\",\"pid\":1,\"tid\":1,\"dur\":90,\"ts\":5,\"ph\":\"X\",\"name\":\"c1_kernel_time\","
	  "\"args\":{\"op_name\":\"Conv\"}}]",
	  "intra_op_num_threads", "is in Conv", NULL },
	{ "low_utilisation", DOCUMENT(STEP("1", "0", "1000") "," WORK("gemm", "0", "100", "1", "")),
	  "Record CPU events too", "88.0 % idle for no recorded reason", "_ns" },
};

TEST(recommendation_depends_on_evidence)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct run *run = trace_run(words[i].trace);
		struct table *advice = trace_view(run, "advice", NULL, NULL);
		size_t row = advice_row(advice, words[i].detector);
		const char *evidence = table_cell(advice, row, "evidence").text;
		if (!strstr(table_cell(advice, row, "recommendation").text,
			    words[i].recommendation))
			fail_msg("%s: %s", words[i].detector,
				 table_cell(advice, row, "recommendation").text);
		if (words[i].evidence && !strstr(evidence, words[i].evidence))
			fail_msg("%s: %s", words[i].detector, evidence);
		if (words[i].not_evidence && strstr(evidence, words[i].not_evidence))
			fail_msg("%s: %s", words[i].detector, evidence);
		table_free(advice);
		run_free(run);
	}
}

/* A gain of 3 % is less than 37 % without a cause. */
TEST(unexplained_idle_time_comes_before_smaller_gains)
{
	struct run *run = trace_run(NVPROF_LIST);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	assert_int_equal(table_number(advice, advice_row(advice, "pageable_copies"), "cost_ns"),
			 30000);
	assert_true(advice_row(advice, "idle_unknown") < advice_row(advice, "pageable_copies"));
	table_free(advice);
	run_free(run);
}

/* One sample is no witness, and samples of faults are not of time. */
TEST(a_sample_alone_is_no_hot_spot)
{
	static const char *const texts[] = { PERF_FOO("cycles") PERF_IDLE,
					     PERF_FOO("page-faults") PERF_FOO("page-faults") };
	for (int i = 0; i < 2; i++) {
		struct run *run = trace_run(texts[i]);
		struct table *advice = trace_view(run, "advice", NULL, "all");
		assert_string_equal(advice_answer(advice, "hot_spot"), "unknown");
		table_free(advice);
		run_free(run);
	}
}

/* Other kernels of a compiled region could not have used tensor cores. */
TEST(tensor_cores_counts_only_matmuls_of_region)
{
	struct run *run = trace_run(MACHINE(
		DEVICE("0"),
		STEP("1", "0", "1000") "," OPERATOR("Torch-Compiled Region: 0/0", "0", "500") "," OPERATOR(
			"aten::mm", "10",
			"50") "," LAUNCH("20",
					 "1") "," KERNEL("ampere_fp16_s16816gemm", "30", "100",
							 "1") "," OPERATOR("triton_poi_fused_add_0",
									   "100",
									   "50") "," LAUNCH("110",
											    "2") "," KERNEL("triton_poi_fused_add_0",
													    "140",
													    "800",
													    "2")));
	struct table *advice = trace_view(run, "advice", NULL, "all");

	assert_string_equal(advice_answer(advice, "tensor_cores"), "silent");
	table_free(advice);
	run_free(run);
}

/* Other operators may use the time this one leaves. */
TEST(low_utilization_is_unknown_in_kernel_scope)
{
	struct run *run =
		trace_run(DOCUMENT(STEP("1", "0", "1000") "," WORK("gemm", "0", "100", "1", "")));
	struct scope scope;

	scope_init(&scope);
	scope.kernel_name = intern_find(run->ranks[0].profile->strings, "gemm", 4);
	struct table *whole = trace_view(run, "advice", NULL, "all");
	struct table *part = trace_view(run, "advice", &scope, "all");
	assert_true(advice_fired(advice_answer(whole, "low_utilisation")));
	assert_string_equal(advice_answer(part, "low_utilisation"), "unknown");
	table_free(whole);
	table_free(part);
	scope_clear(&scope);
	run_free(run);
}

/* Where a busy GPU spends its time comes before gains of 1.5 and 2 %, and after one of 8 %. */
TEST(a_small_gain_does_not_lead)
{
	for (int i = 0; i < 3; i++) {
		int kernels = (int[]){ 195, 194, 190 }[i], wait = (int[]){ 150, 200, 400 }[i];
		const struct rule_trace trace = {
			.events = { {
				{ 'S', "1", 0, 10000, NULL, 2, 10000 },
				{ 'K', "gemm", 0, 48, NULL, kernels, 50 },
				{ 'R', "cudaMalloc", 50 * kernels + 10, wait, NULL, 2, 10000 },
				{ 'K', "gemm", 50 * kernels + 15 + wait, 9980 - 50 * kernels - wait,
				  NULL, 2, 10000 },
				{ 'K', "gemm", 10000, 48, NULL, kernels, 50 },
			} }
		};
		struct run *run = rule_case_run(&trace);
		struct table *advice = trace_view(run, "advice", NULL, NULL);
		size_t hot = advice_row(advice, "kernel_hotspot");
		assert_string_equal(table_cell(advice, hot, "problem").text, "GPU-bound");
		assert_int_equal(hot < advice_row(advice, "allocation"), i < 2);
		table_free(advice);
		run_free(run);
	}
}

/* The CPU works in ranges that differ in their number, none of which takes a tenth of the time. */
TEST(numbered_ranges_are_named_as_one)
{
	AUTO_BUFFER struct buffer text = { 0 };
	for (int i = 0; i < 12; i++)
		buffer_printf(
			&text,
			"%s" EVENT("user_annotation", "fetch_%d_weights", "1", "1", "%d", "850", "{}") "," EVENT(
				"cuda_runtime", "cudaLaunchKernel", "1", "1", "%d", "5",
				"{\"correlation\":%d}") "," EVENT("kernel", "gemm", "0", "7", "%d",
								  "90",
								  "{\"device\":0,\"stream\":7,\"correlation\":%d}"),
			i ? "," : "", i, 1000 * i, 1000 * i + 860, i, 1000 * i + 870, i);
	AUTO_BUFFER struct buffer document = { 0 };
	buffer_printf(&document, DOCUMENT("%s"), buffer_text(&text));
	struct run *run = trace_run(buffer_text(&document));
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const char *evidence =
		table_cell(advice, advice_row(advice, "host_bound"), "evidence").text;
	if (!strstr(evidence, " % of it in 10 ranges like fetch_"))
		fail_msg("%s", evidence);
	table_free(advice);
	run_free(run);
}

/* Do not recommend CUDA graphs for kernels of a replayed graph. */
TEST(launch_bound_knows_replayed_graphs)
{
	struct buffer text = { 0 };
	buffer_puts(&text,
		    "{\"schemaVersion\":1,\"traceEvents\":[" STEP("1", "0", "10000") "," EVENT(
			    "cuda_runtime", "cudaGraphLaunch", "1", "1", "0", "6000",
			    "{\"correlation\":1}"));
	for (int i = 0; i < 60; i++)
		buffer_printf(&text,
			      ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"add\",\"pid\":0,"
			      "\"tid\":7,\"ts\":%d,\"dur\":5,\"args\":{\"device\":0,"
			      "\"stream\":7,\"correlation\":1}}",
			      6000 + 10 * i);
	buffer_puts(&text, "]}");
	struct run *run = trace_run(buffer_text(&text));
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	size_t row = advice_row(advice, "launch_bound");
	assert_non_null(strstr(table_cell(advice, row, "recommendation").text, "a graph already"));
	table_free(advice);
	run_free(run);
	buffer_free(&text);
}

/* The overview shows the top findings, and its sections drill down to the views they summarize. */
TEST(overview_shows_top_findings)
{
	static const struct {
		const char *section, *metric, *view;
	} leads[] = {
		{ "device 0", "kernel_ns", "kernels" },
		{ "device 0", "gpu_util_pct", "utilization" },
		{ "idle", NULL, "steps" },
		{ "profile", "file", "layers" },
		{ "profile", "steps", "steps" },
		{ "profile", "CPU events", "operators" },
		{ "profile", "GPU events", "launches" },
		{ "profile", "layers from", "layers" },
	};
	enum { LEADS = sizeof leads / sizeof *leads };
	bool led[LEADS] = { false };
	char *trace = trace_generate("--steps 3 --layers 4 --stacks 2", NULL);
	struct run *run = trace_run(trace);
	struct table *overview = trace_view(run, "overview", NULL, NULL);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	struct scope scope, narrowed;
	const struct view *next;
	size_t found = 0;

	scope_init(&scope);
	for (size_t row = 0; row < overview->rows; row++) {
		struct value section = table_cell(overview, row, "section");
		assert_null(strchr(table_cell(overview, row, "fact").text, '_'));
		if (strcmp(section.text, "advice") == 0) {
			assert_string_equal(table_cell(overview, row, "metric").text,
					    table_cell(advice, found, "problem").text);
			found++;
			assert_true(view_drill(run, table_ref(overview, row), &scope, &next,
					       &narrowed));
			scope_clear(&narrowed);
		}
		for (size_t i = 0; i < LEADS; i++) {
			struct value metric = table_cell(overview, row, "metric");
			if (strcmp(section.text, leads[i].section) ||
			    (leads[i].metric && strcmp(metric.text, leads[i].metric)))
				continue;
			led[i] = true;
			assert_true(view_drill(run, table_ref(overview, row), &scope, &next,
					       &narrowed));
			assert_string_equal(next->name, leads[i].view);
			scope_clear(&narrowed);
		}
	}
	assert_true(found > 0);
	for (size_t i = 0; i < LEADS; i++)
		assert_true(led[i]);
	table_free(overview);
	table_free(advice);
	run_free(run);
	mem_free(trace);
}

/* The cards of at most LIMIT findings. */
static void write_cards(struct output *output, const struct table *advice, size_t limit)
{
	struct extract_options options = { .limit = limit };
	struct extract extract;
	struct style style = { .width = 60 };
	assert_true(extract_make(&extract, advice, &options, NULL, NULL));
	buffer_clear(&output->text);
	assert_true(format_write_cards(output, &extract, &style, NULL, NULL));
	extract_clear(&extract);
}

/* Findings that save next to nothing are counted, not shown, unless a limit asks for them. */
TEST(cards_fold_minor_findings)
{
	static const struct rule_trace trace = {
		.events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			      { 'K', "gemm", 0, 800, NULL, 0, 0 },
			      { 'C', "Memcpy HtoD (Pageable -> Device)", 900, 15,
				",\"bytes\":65536", 0, 0 },
			      { 'K', "gemm", 940, 60, NULL, 0, 0 } } }
	};
	struct run *run = rule_case_run(&trace);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	struct output output = { .descriptor = -1 };

	write_cards(&output, advice, SIZE_MAX);
	assert_null(strstr(output.text.data, "Pageable copies"));
	assert_non_null(strstr(output.text.data, "\n1 minor finding with a gain under 2 %\n"));
	assert_non_null(
		strstr(output.text.data, " checks could not run; list with -g all -f csv\n"));
	size_t all = 0;
	const char *asks = strstr(output.text.data, "\nAll findings: -n ");
	assert_non_null(asks);
	assert_int_equal(sscanf(asks, "\nAll findings: -n %zu\n", &all), 1);
	write_cards(&output, advice, all);
	assert_non_null(strstr(output.text.data, "Pageable copies"));
	assert_null(strstr(output.text.data, "more finding"));
	assert_non_null(strstr(output.text.data, " checks could not run;"));
	write_cards(&output, advice, all - 1);
	size_t cards = 1;
	for (const char *at = output.text.data; (at = strstr(at, "\n\n")); at++)
		cards++;
	assert_int_equal(cards, all);
	buffer_free(&output.text);
	table_free(advice);
	run_free(run);
}
