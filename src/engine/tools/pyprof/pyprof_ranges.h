/*
 * Derives PyProf's data from launches and NVTX ranges.
 */
#ifndef STRATA_TOOLS_PYPROF_PYPROF_RANGES_H
#define STRATA_TOOLS_PYPROF_PYPROF_RANGES_H

#include "tools/pyprof/pyprof_kernels.h"

/* Add those of the kernels ROWS (in file order) that have a launch. False when cancelled. */
bool pyprof_ranges_read(struct pyprof_kernels *kernels, const struct profile *profile,
			const uint32_t *rows, uint32_t count, const struct progress *progress);

#endif
