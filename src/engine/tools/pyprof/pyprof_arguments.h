/*
 * Argument markers, as PyProf writes them around a call, from the shapes and types that PyTorch's
 * profiler records.
 */
#ifndef STRATA_TOOLS_PYPROF_PYPROF_ARGUMENTS_H
#define STRATA_TOOLS_PYPROF_PYPROF_ARGUMENTS_H

#include "derived/derived.h"
#include "tools/pyprof/pyprof_kernels.h"

/*
 * Set marker, mod and op of KERNEL, which has no marker, from the operator that launched it. They
 * stay as they are for operators whose arguments PyProf would not accept, and of backward kernels,
 * which it gives the call of the forward kernel.
 */
void pyprof_arguments_add(struct pyprof_kernel *kernel, struct arena *arena,
			  const struct derived *derived);

#endif
