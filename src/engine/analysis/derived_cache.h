/*
 * Caches results derived from facts that several views use.
 *
 * Computed on first use by any thread and freed with the facts; concurrent first calls both
 * compute, and one result is kept.
 */
#ifndef STRATA_ANALYSIS_DERIVED_CACHE_H
#define STRATA_ANALYSIS_DERIVED_CACHE_H

#include "base/progress.h"

#include <stdint.h>

struct causes;
struct derived;
struct kernel_name;
struct selection;
struct work_counts;
struct work_prefixes;

/* Work of the whole profile, and its sums by span (work.h); NULL when cancelled. */
const struct work_counts *derived_work(const struct derived *derived,
				       const struct progress *progress);
const struct work_prefixes *derived_work_prefixes(const struct derived *derived,
						  const struct progress *progress);

/*
 * The causes over the rows of SELECTION (causes.h): the cached ones if it selects all rows, else
 * computed into OWN. The caller clears OWN either way. NULL when cancelled.
 */
const struct causes *derived_causes(const struct selection *selection, struct causes *own,
				    const struct progress *progress);

/* The gaps alone (causes_find_gaps), likewise. */
const struct causes *derived_gaps(const struct selection *selection, struct causes *own,
				  const struct progress *progress);

/* All device activities by start; NULL when cancelled. */
const uint32_t *derived_by_start(const struct derived *derived, const struct progress *progress);

/* What the names of kernels say, by string id (kernel_family.h); NULL when cancelled. */
const struct kernel_name *derived_kernel_names(const struct derived *derived,
					       const struct progress *progress);

#endif
