/*
 * FLOPs and bytes of kernels as a profiler of single kernels measured them.
 */
#pragma once

#include "analysis/work/work.h"

/*
 * By activity, NaN where not measured; set *WORK to NULL when nothing is. FLOPs are the thread
 * instructions executed: additions and multiplications once, fused ones twice, of half precision
 * twice more (packed); unknown for kernels that use tensor cores, whose instructions are not among
 * them. Bytes are those of DRAM. False when cancelled; the caller frees *WORK.
 */
bool measured_work(const struct profile *profile, const struct progress *progress,
		   struct work **work);
