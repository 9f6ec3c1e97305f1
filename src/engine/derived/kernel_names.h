/*
 * What the names of a profile's kernels say (kernel_family.h).
 */
#ifndef STRATA_DERIVED_KERNEL_NAMES_H
#define STRATA_DERIVED_KERNEL_NAMES_H

#include "base/progress.h"
#include "derived/kernel_family.h"

struct derived;

/* By string id, cached with DERIVED; NULL when cancelled. */
const struct kernel_name *derived_kernel_names(const struct derived *derived,
					       const struct progress *progress);

#endif
