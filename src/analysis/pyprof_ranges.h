/*
 * From launches and NVTX ranges to what PyProf makes of them.
 */
#ifndef STRATA_ANALYSIS_PYPROF_RANGES_H
#define STRATA_ANALYSIS_PYPROF_RANGES_H

#include "analysis/pyprof_kernels.h"

/* Add the kernels ROWS (in the order of the file) that have a launch.  False when cancelled. */
bool pyprof_ranges_read(struct pyprof_kernels *kernels, const struct profile *profile,
			const uint32_t *rows, uint32_t count, const struct progress *progress);

#endif
