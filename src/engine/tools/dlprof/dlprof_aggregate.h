/*
 * DLProf's sums over a range of iterations, made from its correlated profile by its own rules.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_AGGREGATE_H
#define STRATA_TOOLS_DLPROF_DLPROF_AGGREGATE_H

#include "tools/dlprof/dlprof.h"
#include "model/profile.h"

struct error;
struct progress;

/* What is asked for; all zero: as stored, or the whole run. */
struct dlprof_range {
	const char *key; /* id or name of the op that ends an iteration; NULL: not given */
	bool limited;
	int64_t first, last; /* iterations, when limited; they may lie beyond what there is */
};

/* The newest stored aggregation of this range, or NULL.  STRINGS are those of the profile. */
const struct dlprof_aggregation *dlprof_stored(const struct dlprof *dlprof,
					       const struct intern *strings,
					       const struct dlprof_range *range);

/*
 * Aggregate.  Without a key the iterations are those of the newest stored aggregation; without one
 * of these either, the run is one iteration.  False with ERROR_USAGE when there is no such op or no
 * such iteration, or ERROR_CANCELLED.  The caller clears OUT either way.
 */
bool dlprof_aggregate(const struct dlprof *dlprof, const struct intern *strings,
		      const struct dlprof_range *range, struct dlprof_aggregation *out,
		      const struct progress *progress, struct error *error);

#endif
