/*
 * Events of training steps (times in us): FORWARD, MODULE and LAUNCH in thread 1, BACKWARD and
 * LAUNCH2 in thread 2. A forward call and its backward call have the same sequence number.
 */
#pragma once

#include "trace_case.h"

#define STEP(number, ts, dur)                                                                      \
	EVENT("user_annotation", "ProfilerStep#" number, "1", "1", ts, dur, "{}")
#define FORWARD(name, ts, dur, number)                                                             \
	EVENT("cpu_op", name, "1", "1", ts, dur,                                                   \
	      "{\"Fwd thread id\":0,\"Sequence number\":" number "}")
#define BACKWARD(name, ts, dur, number)                                                            \
	EVENT("cpu_op", name, "1", "2", ts, dur,                                                   \
	      "{\"Fwd thread id\":1,\"Sequence number\":" number "}")
#define LAUNCH2(ts, correlation)                                                                   \
	EVENT("cuda_runtime", "cudaLaunchKernel", "1", "2", ts, "2",                               \
	      "{\"correlation\":" correlation "}")
#define MODULE(name, ts, dur) EVENT("python_function", "nn.Module: " name, "1", "1", ts, dur, "{}")

/* Two steps: a forward call and its backward call in each, with kernels of 10, 20, 30 and 40 us. */
#define TWO_STEPS                                                                                                                                                    \
	STEP("1", "0", "200")                                                                                                                                        \
	"," FORWARD("aten::mm", "10", "20", "5") "," LAUNCH("12", "1") "," KERNEL("gemm", "20", "10", "1") "," BACKWARD("MmBackward0", "60", "40", "5") "," LAUNCH2( \
		"70",                                                                                                                                                \
		"2") "," KERNEL("gemm_bw", "80", "20",                                                                                                               \
				"2") "," STEP("2", "200",                                                                                                            \
					      "200") "," FORWARD("aten::mm", "210", "20",                                                                            \
								 "6") "," LAUNCH("212",                                                                              \
										 "3") "," KERNEL("gemm",                                                             \
												 "220",                                                              \
												 "30",                                                               \
												 "3") "," BACKWARD("MmBackward0",                                    \
														   "260",                                            \
														   "40",                                             \
														   "6") "," LAUNCH2("270",                           \
																    "4") "," KERNEL("gemm_bw",       \
																		    "280",           \
																		    "40",            \
																		    "4")
