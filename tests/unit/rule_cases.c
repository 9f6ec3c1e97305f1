/*
 * Traces on which a detector fires, and similar ones on which it is silent.
 */
#include "advice_case.h"

#include "database_case.h"

#define CONV "cudnn::cnn::implicit_convolve_sgemm<float>"
#define CONVOLUTION(benchmark)                                                                     \
	",\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\","         \
	"\"[0, 0]\",\"1\",\"" benchmark "\",\"False\",\"True\",\"True\"]"
#define OF_TYPE(type) ",\"Input Dims\":[[64,64],[64,64]],\"Input type\":[\"" type "\",\"" type "\"]"
#define HALF(direction, device, ts)                                                                \
	"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy " direction "\",\"pid\":" device   \
	",\"tid\":7,\"ts\":" ts ",\"dur\":100,\"args\":{\"device\":" device                        \
	",\"stream\":7,\"correlation\":500,\"bytes\":1048576}}"
#define CALL_500                                                                                   \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyPeerAsync\",\"pid\":1,"       \
	"\"tid\":1,\"ts\":100,\"dur\":5,\"args\":{\"correlation\":500}}"
#define OF_CATEGORY(category)                                                                      \
	"{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"generation 2\",\"pid\":1,\"tid\":1,"    \
	"\"ts\":200,\"dur\":300}"
#define OTHER_GPU                                                                                  \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":1,\"tid\":7,\"ts\":400,"       \
	"\"dur\":50,\"args\":{\"device\":1,\"stream\":7}}"

/* A call that allocates and what it returns; 1 ms of kernels. */
#define ALLOCATION(result)                                                                              \
	"CREATE TABLE StringIds (id INTEGER, value TEXT);"                                              \
	"INSERT INTO StringIds VALUES (1,'gemm'),(2,'cudaMalloc_v3020');" NSYS_KERNELS                  \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,"                  \
	"correlationId INT, nameId INT, returnValue INT);"                                              \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,1000," NSYS_THREAD(                          \
		7,                                                                                      \
		8) ",1,2," result ");"                                                                  \
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId,"            \
		   "correlationId, globalPid, demangledName) VALUES (2000,1002000,0,7,2," NSYS_PROCESS( \
			   7) ",1);"

/* The GPU idles from 1.5 to 4 ms; the launching thread is off-CPU between OUT and IN. */
#define SCHEDULED(out, in)                                                                                                            \
	NSYS_STRINGS NSYS_KERNELS NSYS_CALLS                                                                                          \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0,1000000," NSYS_THREAD(7, 8) ",1,2),(3900000,3950000," NSYS_THREAD( \
			7,                                                                                                            \
			8) ",2,2);"                                                                                                   \
			   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId,"                                            \
			   "streamId, correlationId, globalPid, demangledName) VALUES"                                                \
			   "(1200000,1500000,0,7,1," NSYS_PROCESS(7) ",1),(4000000,5000000,0,7,2," NSYS_PROCESS(                      \
				   7) ",1);"                                                                                          \
				      "CREATE TABLE SCHED_EVENTS (start INT, isSchedIn INT,"                                          \
				      "globalTid INT);INSERT INTO SCHED_EVENTS VALUES"                                                \
				      "(0,1," NSYS_THREAD(7, 8) "),(" out ",0," NSYS_THREAD(                                          \
					      7, 8) "),(" in                                                                          \
						    ",1," NSYS_THREAD(                                                                \
							    7,                                                                        \
							    8) "),(5000000,0," NSYS_THREAD(7,                                         \
											   8) ");"

/* That thread or THREAD is sampled every 0.5 ms of the gap, in FUNCTION or a callee. */
#define SAMPLED(thread, function)                                                                  \
	SCHEDULED("4500000", "4600000")                                                            \
	"INSERT INTO StringIds VALUES (30,'" function "'),(31,'pthread_cond_timedwait');"          \
	"CREATE TABLE SAMPLING_CALLCHAINS (id INT, symbol INT, module INT, unresolved INT,"        \
	"stackDepth INT);"                                                                         \
	"INSERT INTO SAMPLING_CALLCHAINS SELECT id, symbol, 31, NULL, symbol = 30 FROM"            \
	" (SELECT 1 AS id UNION SELECT 2 UNION SELECT 3 UNION SELECT 4),"                          \
	" (SELECT 30 AS symbol UNION SELECT 31);"                                                  \
	"CREATE TABLE COMPOSITE_EVENTS (id INT, start INT, globalTid INT);"                        \
	"INSERT INTO COMPOSITE_EVENTS SELECT DISTINCT id, 1200000 + 500000 * id," NSYS_THREAD(     \
		7, thread) " FROM SAMPLING_CALLCHAINS;"

/* A copy of a kind before all launched work. */
#define COPIED_FIRST(kind)                                                                         \
	SCHEDULED("4500000", "4600000")                                                            \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT,"               \
	"streamId INT, globalPid INT, bytes INT, copyKind INT);"                                   \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10000,20000,0,9," NSYS_PROCESS(            \
		7) ",4096," kind ");"

#define MIGRATION(bytes)                                                                           \
	SCHEDULED("4500000", "4600000")                                                            \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT,"               \
	"streamId INT, globalPid INT, bytes INT, copyKind INT);"                                   \
	"CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INT, end INT, globalPid INT,"           \
	"deviceId INT, numberOfPageFaults INT);"                                                   \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2000000," bytes                            \
	",0,9," NSYS_PROCESS(7) ",4096,11);"

/* The GPU idles from 1.5 to 4 ms; for 2 ms the launching thread is in this call. */
#define SYSTEM_CALL(name)                                                                          \
	SCHEDULED("4500000", "4600000")                                                            \
	"CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);"                   \
	"INSERT INTO StringIds VALUES (50,'" name "');"                                            \
	"INSERT INTO OSRT_API VALUES (1600000,3600000," NSYS_THREAD(7, 8) ",50);"

/* 30 kernels of 45 us, 55 us after the start of their launch calls, which take this long in ns. */
#define LAUNCHED(ns)                                                                                   \
	NSYS_STRINGS NSYS_KERNELS NSYS_CALLS                                                           \
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)"         \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 100000, i * 100000 + " ns          \
		"," NSYS_THREAD(                                                                       \
			7,                                                                             \
			8) ",i + 1,2 FROM n;"                                                          \
			   "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE "     \
			   "i < 29)"                                                                   \
			   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId,"             \
			   "streamId, correlationId, globalPid, demangledName)"                        \
			   "SELECT i * 100000 + 10000, i * 100000 + 55000, 0, 7, i + 1," NSYS_PROCESS( \
				   7) ", 1 FROM n;"

static const struct rule_case rule_cases[] = {
	/* the host */
	{ "file_io",
	  "idle for 2.00 ms (52.6 % of the time examined) while a launching thread reads or writes (1 call, most in fread)",
	  2000,
	  { .sql = SYSTEM_CALL("fread") },
	  { .sql = SYSTEM_CALL("poll") } },
	/* each call in the window, after the first kernel, waits 45 us: so much could the CPU be
	   ahead */
	{ "blocking_launches",
	  "30 of 30 launch calls of kernels of 20 us or more return only after their kernel; without that the CPU would launch ahead for",
	  1260,
	  { .sql = LAUNCHED("60000") },
	  { .sql = LAUNCHED("5000") } },
	/* nothing is recorded between the launches: Python without stacks */
	{ "host_bound",
	  "while the CPU does work that launches nothing; 100.0 % of it without CPU events",
	  590,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::mm", 0, 10, NULL, 0, 0 },
			  { 'K', "gemm", 2, 95, NULL, 0, 0 },
			  { 'O', "aten::mm", 690, 20, NULL, 0, 0 },
			  { 'K', "gemm", 700, 295, NULL, 0, 0 } } } },
	  /* 90 us between launches are the time of launching */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::mm", 0, 5, NULL, 10, 100 },
			  { 'K', "gemm", 2, 40, NULL, 10, 100 } } } } },
	{ "launch_bound",
	  "for 600.00 us per step (60.0 % of step time) while the CPU launches work",
	  600,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::mm", 0, 5, NULL, 10, 100 },
			  { 'K', "gemm", 2, 40, NULL, 10, 100 } } } },
	  /* without the waits the CPU would have been ahead */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::mm", 0, 5, NULL, 0, 0 },
			  { 'K', "gemm", 2, 600, NULL, 0, 0 },
			  { 'R', "cudaStreamSynchronize", 6, 596, NULL, 3, 199 },
			  { 'O', "aten::mm", 610, 5, NULL, 4, 100 },
			  { 'K', "gemm", 612, 40, NULL, 4, 100 } } } } },
	/* one wait a step is how a program tells its loss */
	{ "launch_bound",
	  "while the CPU launches work",
	  478,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 2, 1000 },
			  { 'O', "aten::mm", 0, 5, NULL, 2, 1000 },
			  { 'K', "gemm", 2, 600, NULL, 2, 1000 },
			  { 'R', "cudaStreamSynchronize", 6, 600, NULL, 2, 1000 },
			  { 'O', "aten::mm", 610, 5, NULL, 4, 100 },
			  { 'K', "gemm", 612, 40, NULL, 4, 100 },
			  { 'O', "aten::mm", 1610, 5, NULL, 4, 100 },
			  { 'K', "gemm", 1612, 40, NULL, 4, 100 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 2, 1000 },
			  { 'O', "aten::mm", 0, 5, NULL, 2, 1000 },
			  { 'K', "gemm", 2, 600, NULL, 2, 1000 },
			  { 'R', "cudaStreamSynchronize", 6, 198, NULL, 3, 200 },
			  { 'R', "cudaStreamSynchronize", 1006, 198, NULL, 3, 200 },
			  { 'O', "aten::mm", 610, 5, NULL, 4, 100 },
			  { 'K', "gemm", 612, 40, NULL, 4, 100 },
			  { 'O', "aten::mm", 1610, 5, NULL, 4, 100 },
			  { 'K', "gemm", 1612, 40, NULL, 4, 100 } } } } },
	/* as many calls in the first step as in the others are no warm-up */
	{ "allocation",
	  "2 allocator calls take 100.00 us; the GPU is idle in them for 5.0 % of step time",
	  100,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 2, 1000 },
			  { 'K', "gemm", 0, 100, NULL, 2, 1000 },
			  { 'R', "cudaMalloc", 200, 50, NULL, 2, 1000 },
			  { 'K', "gemm", 260, 700, NULL, 2, 1000 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 2, 1000 },
			  { 'K', "gemm", 0, 100, NULL, 2, 1000 },
			  { 'R', "cudaMalloc", 200, 50, NULL, 0, 0 },
			  { 'K', "gemm", 260, 700, NULL, 2, 1000 } } } } },
	/* without steps, the second half is what comes after warm-up */
	{ "allocation",
	  "1 allocator call after warm-up takes 50.00 us; the GPU is idle in them for 2.5 % of the time examined",
	  50,
	  { .events = { { { 'K', "gemm", 0, 100, NULL, 0, 0 },
			  { 'R', "cudaMalloc", 110, 50, NULL, 0, 0 },
			  { 'K', "gemm", 170, 130, NULL, 0, 0 },
			  { 'R', "cudaMalloc", 310, 50, NULL, 0, 0 },
			  { 'K', "gemm", 370, 330, NULL, 0, 0 },
			  { 'R', "cudaMalloc", 710, 50, NULL, 0, 0 },
			  { 'K', "gemm", 770, 530, NULL, 0, 0 },
			  { 'R', "cudaMalloc", 1310, 50, NULL, 0, 0 },
			  { 'K', "gemm", 1370, 630, NULL, 0, 0 } } } },
	  { .events = { { { 'K', "gemm", 0, 100, NULL, 0, 0 },
			  { 'R', "cudaMalloc", 110, 50, NULL, 0, 0 },
			  { 'K', "gemm", 170, 130, NULL, 0, 0 },
			  { 'R', "cudaMalloc", 310, 50, NULL, 0, 0 },
			  { 'K', "gemm", 370, 330, NULL, 0, 0 },
			  { 'R', "cudaMalloc", 710, 50, NULL, 0, 0 },
			  { 'K', "gemm", 770, 1230, NULL, 0, 0 } } } } },
	/* calls of the runtime by eight threads, each of which has nothing to do for most of the
	   time */
	{ "idle_unknown",
	  "in which the profile has no CPU event of the thread that launches",
	  -1,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'X', KERNEL("gemm", "100", "100", "901"), 0, 0, NULL, 0, 0 },
			  { 'X', KERNEL("gemm", "700", "100", "902"), 0, 0, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 100, 100, NULL, 0, 0 },
			  { 'K', "gemm", 700, 100, NULL, 0, 0 } } } } },
	/* the GPU computes all the time; an idle one is not GPU-bound (kernel_cases.c) */
	{ "kernel_hotspot",
	  "100.0 % of kernel time (20 kernels, 48.00 us each); the GPU computes for 95.9 % of step time",
	  -1,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 48, NULL, 20, 50 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 48, NULL, 2, 50 } } } } },
	/* few kernels, which take much of the time */
	{ "kernel_hotspot",
	  "100.0 % of kernel time (3 kernels, 80.00 us each)",
	  -1,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 80, NULL, 3, 90 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 50, NULL, 3, 90 } } } } },
	{ "queue_full",
	  "1 launch call",
	  -1,
	  { .events = { { { 'S', "1", 0, 5000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 4800, NULL, 0, 0 },
			  { 'R', "cudaLaunchKernel", 100, 4000, NULL, 0, 0 } } } },
	  /* while the GPU is idle it does not wait for a full queue */
	  { .events = { { { 'S', "1", 0, 5000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 80, NULL, 0, 0 },
			  { 'R', "cudaLaunchKernel", 100, 4000, NULL, 0, 0 },
			  { 'K', "gemm", 4200, 700, NULL, 0, 0 } } } } },
	/* what follows the break is called by the region: idle from 400 to 600 us */
	{ "graph_breaks",
	  "1 graph break per step",
	  200,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 0/0", 10, 800, NULL, 0, 0 },
			  { 'K', "triton_fused", 100, 300, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 1/0", 600, 100, NULL, 0, 0 },
			  { 'K', "triton_other", 620, 300, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 0/0", 10, 800, NULL, 0, 0 },
			  { 'K', "triton_fused", 100, 300, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 0/0", 600, 100, NULL, 0, 0 },
			  { 'K', "triton_other", 620, 300, NULL, 0, 0 } } } } },
	{ "graph_breaks",
	  "1 graph break per step: 1 GPU event launched",
	  0,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 0/0", 10, 100, NULL, 0, 0 },
			  { 'K', "triton_fused", 20, 300, NULL, 0, 0 },
			  { 'O', "aten::nonzero", 200, 100, NULL, 0, 0 },
			  { 'K', "nonzero", 210, 100, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 1/1", 600, 100, NULL, 0, 0 },
			  { 'K', "triton_other", 620, 300, NULL, 0, 0 } } } },
	  /* two calls of the same code */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 0/0", 10, 100, NULL, 0, 0 },
			  { 'K', "triton_fused", 20, 300, NULL, 0, 0 },
			  { 'O', "aten::nonzero", 200, 100, NULL, 0, 0 },
			  { 'K', "nonzero", 210, 100, NULL, 0, 0 },
			  { 'A', "Torch-Compiled Region: 0/0", 600, 100, NULL, 0, 0 },
			  { 'K', "triton_fused", 620, 300, NULL, 0, 0 } } } } },
	{ "autotuning",
	  "5 launches and the idle time there take 400.00 us",
	  400,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 100, NULL, 0, 0 },
			  { 'A', "CachingAutotuner.benchmark_all_configs (dynamo_timed)", 200, 400,
			    NULL, 0, 0 },
			  { 'K', "triton_poi_fused_0", 210, 50, NULL, 5, 60 },
			  { 'K', "gemm", 700, 200, NULL, 0, 0 } } } },
	  /* none is launched again */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 100, NULL, 0, 0 },
			  { 'A', "CachingAutotuner.benchmark_all_configs (dynamo_timed)", 200, 400,
			    NULL, 0, 0 },
			  { 'K', "triton_poi_fused_0", 210, 50, NULL, 0, 0 },
			  { 'K', "gemm", 700, 200, NULL, 0, 0 } } } } },
	{ "autotuning",
	  "2 launches and the idle time there take 300.00 us",
	  300,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 100, NULL, 0, 0 },
			  { 'P', "triton/testing.py(119): do_bench", 200, 300, NULL, 0, 0 },
			  { 'K', "_kernel", 210, 50, NULL, 2, 100 },
			  { 'K', "gemm", 700, 200, NULL, 0, 0 } } } },
	  /* a function of the program */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 0, 100, NULL, 0, 0 },
			  { 'P', "bench.py(119): do_bench", 200, 300, NULL, 0, 0 },
			  { 'K', "_kernel", 210, 50, NULL, 2, 100 },
			  { 'K', "gemm", 700, 200, NULL, 0, 0 } } } } },
	{ "compile_guards",
	  "1 call of torch.compile",
	  0,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'A', "TorchDynamo Cache Lookup", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 500, NULL, 0, 0 },
			  { 'A', "TorchDynamo Cache Lookup", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } } },
	{ "gc_pauses",
	  "(1 pause, the longest 300.00 us)",
	  300,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'A', "Python GC", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 500, NULL, 0, 0 },
			  { 'A', "Python GC", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } } },
	{ "gc_pauses",
	  "(1 pause, the longest 300.00 us)",
	  300,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'X', OF_CATEGORY("Python GC"), 0, 0, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'X', OF_CATEGORY("Python"), 0, 0, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } } },
	{ "gc_pauses",
	  "(1 pause",
	  300,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'A', "<built-in function collect>", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'A', "collect_metrics", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } } },
	{ "gil",
	  "(1 range)",
	  0,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'A', "Waiting for GIL", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 500, NULL, 0, 0 },
			  { 'A', "Waiting for GIL", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } } },
	{ "gil",
	  "(1 range)",
	  0,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'A', "Waiting for GIL", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'A', "free-threaded, without GIL", 200, 300, NULL, 0, 0 },
			  { 'K', "gemm", 520, 400, NULL, 0, 0 } } } } },
	{ "gil",
	  "idle for 2.00 ms (52.6 % of the time examined) while a launching thread waits for the global"
	  " interpreter lock (4 samples)",
	  2000,
	  { .sql = SAMPLED(8, "take_gil") },
	  { .sql = SAMPLED(9, "take_gil") } },
	{ "gil",
	  "(4 samples)",
	  2000,
	  { .sql = SAMPLED(8, "take_gil") },
	  { .sql = SAMPLED(8, "dict_get") } },
	{ "off_cpu",
	  "idle for 2.00 ms",
	  -1,
	  { .sql = SCHEDULED("1300000", "3500000") },
	  { .sql = SCHEDULED("4500000", "4600000") } },
	/* the last kernel moves for 60 of its 65 us, of which 20 remain */
	{ "optimizer",
	  "31 launches per call",
	  345,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'A', "Optimizer.step#SGD.step", 0, 500, NULL, 0, 0 },
			  { 'K', "add", 10, 5, NULL, 30, 10 },
			  { 'K', "add", 310, 65, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'A', "Optimizer.step#SGD.step", 0, 500, NULL, 0, 0 },
			  { 'O', "aten::_foreach_add_", 5, 400, NULL, 0, 0 },
			  { 'K', "add", 10, 5, NULL, 30, 10 } } } } },
	{ "decode_graphs",
	  "Of 30 kernels in a decode step 0 are replayed by graphs",
	  725,
	  { .events = { { { 'A', "step[DECODE bs=1]", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 5, NULL, 30, 30 } } } },
	  { .events = { { { 'A', "step[DECODE bs=1]", 0, 915, NULL, 0, 0 },
			  { 'K', "gemm", 10, 29, NULL, 30, 30 } } } } },
	{ "mixed_steps",
	  "In 1 steps requests in decode wait for prefill: their next token takes 500.00 us",
	  -1,
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 100, NULL, 0, 0 },
			  { 'A', "step[MIXED bs=4]", 100, 500, NULL, 0, 0 },
			  { 'K', "gemm", 10, 5, NULL, 15, 30 } } } },
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 100, NULL, 0, 0 },
			  { 'A', "step[MIXED bs=4]", 100, 150, NULL, 0, 0 },
			  { 'K', "gemm", 10, 5, NULL, 7, 30 } } } } },
	{ "decode_gap",
	  "The GPU is idle for 260.00 us of the 390.00 us that a decode step takes (66.7 %): scheduler",
	  -1,
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 400, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'P', "sched/scheduler.py(300): schedule", 112, 256, NULL, 0, 0 },
			  { 'K', "gemm", 370, 30, NULL, 0, 0 } } } },
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 200, NULL, 0, 0 },
			  { 'K', "gemm", 5, 195, NULL, 0, 0 } } } } },
	{ "decode_sampling",
	  "The GPU is idle for 257.00 us of the 387.00 us that a decode step takes (66.4 %), while the CPU samples at sample/sampler.py(68): forward",
	  257,
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 400, NULL, 0, 0 },
			  { 'K', "gemm", 10, 100, NULL, 0, 0 },
			  { 'P', "sample/sampler.py(68): forward", 115, 220, NULL, 0, 0 },
			  { 'K', "gemm", 370, 27, NULL, 0, 0 } } } },
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 400, NULL, 0, 0 },
			  { 'K', "gemm", 10, 350, NULL, 0, 0 },
			  { 'P', "sample/sampler.py(68): forward", 364, 15, NULL, 0, 0 },
			  { 'K', "gemm", 381, 16, NULL, 0, 0 } } } } },
	{ "decode_all_reduce",
	  "Of 4 all-reduces in a decode step 4 are short, with a short norm next on the stream: from the end of these to that of the norms 40.00 us of the 400.00 us that a step takes",
	  40,
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 400, NULL, 0, 0 },
			  { 'K', "gemm", 10, 50, NULL, 4, 90 },
			  { 'K', REDUCE, 60, 20, NULL, 4, 90 },
			  { 'K', "void vllm::fused_add_rms_norm_kernel", 85, 5, NULL, 4, 90 } } } },
	  /* each takes longer than the latency of a message */
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 400, NULL, 0, 0 },
			  { 'K', "gemm", 10, 10, NULL, 4, 90 },
			  { 'K', REDUCE, 20, 51, NULL, 4, 90 },
			  { 'K', "void vllm::fused_add_rms_norm_kernel", 75, 10, NULL, 4,
			    90 } } } } },
	{ "kv_cache_full",
	  "The scheduler took requests out of the batch 2 times in 2 steps, as the KV cache had no room",
	  -1,
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 200, NULL, 2, 200 },
			  { 'K', "gemm", 20, 150, NULL, 2, 200 },
			  { 'P', "core/sched/scheduler.py(700): _preempt_request", 202, 2, NULL, 2,
			    4 } } } },
	  /* all are returned where the cache is emptied */
	  { .events = { { { 'A', "step[DECODE bs=4]", 0, 200, NULL, 2, 200 },
			  { 'K', "gemm", 20, 150, NULL, 2, 200 },
			  { 'P', "core/sched/scheduler.py(900): reset_prefix_cache", 201, 10, NULL,
			    0, 0 },
			  { 'P', "core/sched/scheduler.py(700): _preempt_request", 202, 2, NULL, 2,
			    4 } } } } },
	{ "batch_padding",
	  "37.5 % of the slots in replayed graphs are empty: 5 requests in 8 slots",
	  -1,
	  { .events = { { { 'A', "decode[bs=5/8 tok=5 d=5]", 0, 200, NULL, 0, 0 },
			  { 'K', "gemm", 10, 150, NULL, 0, 0 } } } },
	  { .events = { { { 'A', "decode[bs=7/8 tok=7 d=7]", 0, 200, NULL, 0, 0 },
			  { 'K', "gemm", 10, 150, NULL, 0, 0 } } } } },
	{ "slow_cpu_code",
	  "60.00 us (6.0 % of step time) in 1 call; the longest: convolutions without oneDNN",
	  60,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::conv2d", 0, 100, NULL, 0, 0 },
			  { 'O', "aten::_slow_conv2d_forward", 10, 60, NULL, 0, 0 },
			  { 'O', "aten::mm", 100, 900, NULL, 0, 0 } } } },
	  /* without cuDNN, a convolution of that name runs on the GPU */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::_slow_conv2d_forward", 10, 60, NULL, 0, 0 },
			  { 'K', "gemm", 20, 900, NULL, 0, 0 } } } } },
	{ "slow_cpu_code",
	  "pandas rows in Python",
	  500,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'P', "pandas/core/frame.py(1505): iterrows", 100, 500, NULL, 0,
			    0 } } } },
	  /* while the GPU works, nothing is lost */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 900, NULL, 0, 0 },
			  { 'P', "pandas/core/frame.py(1505): iterrows", 100, 500, NULL, 0,
			    0 } } } } },
	{ "double_precision",
	  "Operators in FP64 take 500.00 us in 5 calls (50.0 % of step time)",
	  250,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::mm", 0, 100, OF_TYPE("double"), 5, 100 },
			  { 'O', "aten::mm", 500, 500, OF_TYPE("float"), 0, 0 } } } },
	  /* a cast of loaded data is all that is in double precision */
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::_to_copy", 0, 100, OF_TYPE("double"), 5, 100 },
			  { 'O', "aten::mm", 500, 500, OF_TYPE("float"), 0, 0 } } } } },
	/* copies; the 19 gaps of 5 us between them are launches and short breaks, all in all 195 us
	 */
	{ "small_copies",
	  "20 copies per step",
	  195,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'C', "Memcpy HtoD (Pinned -> Device)", 10, 5, ",\"bytes\":64", 20,
			    10 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'C', "Memcpy HtoD (Pinned -> Device)", 10, 5, ",\"bytes\":64", 9,
			    10 } } } } },
	{ "peer_copies",
	  "1 copy from GPU to GPU through the host: 1.00 MiB",
	  0,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 80, NULL, 0, 0 },
			  { 'X', OTHER_GPU, 0, 0, NULL, 0, 0 },
			  { 'X', CALL_500, 0, 0, NULL, 0, 0 },
			  { 'X', HALF("DtoH (Device -> Pinned)", "0", "110"), 0, 0, NULL, 0, 0 },
			  { 'X', HALF("HtoD (Pinned -> Device)", "1", "220"), 0, 0, NULL, 0,
			    0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 80, NULL, 0, 0 },
			  { 'X', OTHER_GPU, 0, 0, NULL, 0, 0 },
			  { 'X', CALL_500, 0, 0, NULL, 0, 0 },
			  { 'X', HALF("PtoP (Device -> Device)", "1", "110"), 0, 0, NULL, 0,
			    0 } } } } },
	{ "device_copies",
	  "within the GPU",
	  0,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 400, NULL, 0, 0 },
			  { 'C', "Memcpy DtoD (Device -> Device)", 450, 100, ",\"bytes\":1048576",
			    0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 400, NULL, 0, 0 },
			  { 'C', "Memcpy HtoD (Pinned -> Device)", 450, 100, ",\"bytes\":1048576",
			    0, 0 } } } } },
	{ "unified_memory",
	  "1 migration of",
	  0,
	  { .sql = MIGRATION("2300000") },
	  { .sql = MIGRATION("2010000") } },
	/* kernels */
	{ "cudnn_benchmark",
	  "benchmark=False take 300.00 us",
	  0,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::_convolution", 0, 50, CONVOLUTION("False"), 0, 0 },
			  { 'K', CONV, 10, 300, NULL, 0, 0 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'O', "aten::_convolution", 0, 50, CONVOLUTION("True"), 0, 0 },
			  { 'K', CONV, 10, 300, NULL, 0, 0 } } } } },
	/* 18 kernels in each of three steps, at 20, 25 and 30 us: 15 * 18 us beyond the fastest
	   step */
	{ "throttling",
	  "50.0 % longer",
	  270,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 3, 1000 },
			  { 'K', "gemm", 10, 20, NULL, 6, 120 },
			  { 'K', "softmax", 40, 20, NULL, 6, 120 },
			  { 'K', "norm", 70, 20, NULL, 6, 120 },
			  { 'K', "gemm", 1010, 25, NULL, 6, 120 },
			  { 'K', "softmax", 1040, 25, NULL, 6, 120 },
			  { 'K', "norm", 1070, 25, NULL, 6, 120 },
			  { 'K', "gemm", 2010, 30, NULL, 6, 120 },
			  { 'K', "softmax", 2050, 30, NULL, 6, 120 },
			  { 'K', "norm", 2090, 30, NULL, 6, 120 } } } },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 3, 1000 },
			  { 'K', "gemm", 10, 20, NULL, 18, 120 },
			  { 'K', "softmax", 40, 20, NULL, 18, 120 },
			  { 'K', "norm", 70, 20, NULL, 18, 120 } } } } },
	{ "throttling",
	  "50.0 % longer",
	  180,
	  { .events = { { { 'S', "1", 0, 3000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 20, NULL, 6, 120 },
			  { 'K', "softmax", 40, 20, NULL, 6, 120 },
			  { 'K', "norm", 70, 20, NULL, 6, 120 },
			  { 'K', "gemm", 2100, 30, NULL, 6, 120 },
			  { 'K', "softmax", 2140, 30, NULL, 6, 120 },
			  { 'K', "norm", 2180, 30, NULL, 6, 120 } } } },
	  /* one kernel has more to do than before */
	  { .events = { { { 'S', "1", 0, 3000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 20, NULL, 6, 120 },
			  { 'K', "softmax", 40, 20, NULL, 6, 120 },
			  { 'K', "norm", 70, 20, NULL, 6, 120 },
			  { 'K', "gemm", 2100, 30, NULL, 6, 120 },
			  { 'K', "softmax", 2140, 20, NULL, 6, 120 },
			  { 'K', "norm", 2180, 20, NULL, 6, 120 } } } } },
	{ "sm_contention",
	  "100.0 % longer",
	  150,
	  { .events = { { { 'S', "1", 0, 2000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 50, NULL, 3, 100 },
			  { 'N', REDUCE, 900, 900, NULL, 0, 0 },
			  { 'K', "gemm", 1000, 100, NULL, 3, 200 } } } },
	  { .events = { { { 'S', "1", 0, 2000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 50, NULL, 3, 100 },
			  { 'N', REDUCE, 900, 900, NULL, 0, 0 },
			  { 'K', "gemm", 1000, 51, NULL, 3, 200 } } } } },
	/* memory */
	{ "out_of_memory",
	  "1 of 1 allocator calls returned an error",
	  -1,
	  { .sql = ALLOCATION("2") },
	  { .sql = ALLOCATION("0") } },
	/* the capture */
	{ "graph_capture",
	  "41 launch calls",
	  -1,
	  { .events = { { { 'R', "cudaStreamBeginCapture", 0, 5, NULL, 0, 0 },
			  { 'R', "cudaLaunchKernel", 10, 8, NULL, 40, 10 },
			  { 'K', "gemm", 900, 500, NULL, 0, 0 } } } },
	  { .events = { { { 'R', "cudaStreamBeginCapture", 0, 5, NULL, 0, 0 },
			  { 'K', "gemm", 10, 8, NULL, 40, 10 } } } } },
	/* a migration is no queued work */
	{ "capture_head",
	  "1 GPU events were launched before it",
	  -1,
	  { .sql = COPIED_FIRST("1") },
	  { .sql = COPIED_FIRST("11") } },
	{ "capture_head",
	  "the host is in cudaMemcpy",
	  -1,
	  { .events = { { { 'K', "add", 0, 4, NULL, 0, 0 },
			  { 'X',
			    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpy\","
			    "\"pid\":1,\"tid\":1,\"ts\":20,\"dur\":9000,\"args\":{"
			    "\"correlation\":500}}",
			    0, 0, NULL, 0, 0 },
			  { 'X', HALF("DtoH (Device -> Pinned)", "0", "8900"), 0, 0, NULL, 0, 0 },
			  { 'K', "gemm", 9030, 900, NULL, 0, 0 } } } },
	  { .events = { { { 'K', "add", 0, 8000, NULL, 0, 0 },
			  { 'X',
			    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpy\","
			    "\"pid\":1,\"tid\":1,\"ts\":20,\"dur\":9000,\"args\":{"
			    "\"correlation\":500}}",
			    0, 0, NULL, 0, 0 },
			  { 'X', HALF("DtoH (Device -> Pinned)", "0", "8900"), 0, 0, NULL, 0, 0 },
			  { 'K', "gemm", 9030, 900, NULL, 0, 0 } } } } },
	/* without launches a kernel that comes again is measured again */
	{ "pointwise",
	  "Consecutive pointwise, cast and copy kernels take 300.00 us in 2 calls",
	  100,
	  { .events = { { { 'X', KERNEL("elementwise_kernel_add", "0", "100", "901"), 0, 0, NULL, 0,
			    0 },
			  { 'X', KERNEL("elementwise_kernel_mul", "100", "200", "902"), 0, 0, NULL,
			    0, 0 } } } },
	  { .events = { { { 'X', KERNEL("elementwise_kernel_add", "0", "100", "901"), 0, 0, NULL, 0,
			    0 },
			  { 'X', KERNEL("elementwise_kernel_add", "100", "200", "902"), 0, 0, NULL,
			    0, 0 } } } } },
	{ "capture_startup",
	  "the longest",
	  -1,
	  { .events = { { { 'O', "aten::empty", 0, 1, NULL, 0, 0 },
			  { 'K', "add", 10, 15, NULL, 60, 20 },
			  { 'O', "aten::conv2d", 1300, 90000, NULL, 0, 0 },
			  { 'K', "conv", 91000, 500, NULL, 0, 0 } } } },
	  { .events = { { { 'O', "aten::empty", 0, 1, NULL, 0, 0 },
			  { 'K', "add", 10, 15, NULL, 60, 20 },
			  { 'O', "aten::conv2d", 1300, 900, NULL, 0, 0 },
			  { 'K', "conv", 1700, 500, NULL, 0, 0 } } } } },
	{ "one_rank",
	  "1 of 4 ranks",
	  -1,
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 900, NULL, 0, 0 } } },
	    .world = 4 },
	  { .events = { { { 'S', "1", 0, 1000, NULL, 0, 0 },
			  { 'K', "gemm", 10, 900, NULL, 0, 0 } } },
	    .world = 1 } },
};

const struct rule_case *rule_case_at(size_t i)
{
	size_t count = sizeof rule_cases / sizeof *rule_cases;
	if (i < count)
		return &rule_cases[i];
	return i - count < communication_case_count ? &communication_cases[i - count] : NULL;
}
