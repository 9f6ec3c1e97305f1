/*
 * Computes DLProf's sums over a range of iterations from its correlated profile, by DLProf's rules.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_AGGREGATE_H
#define STRATA_TOOLS_DLPROF_DLPROF_AGGREGATE_H

#include "input/dlprof/dlprof.h"
#include "model/profile.h"

struct progress;

/* Requested range; all zero: as stored, or the whole run. */
struct dlprof_range {
	const char *key; /* id or name of the op that ends an iteration; NULL: default */
	size_t number;   /* the stored aggregation, from 1; 0: the newest of the range */
	bool limited;
	int64_t first, last; /* iterations, if limited; may exceed those recorded */
	const struct dlprof_aggregation *stored; /* of dlprof_stored; NULL: shares are computed */
};

/* Most recent stored aggregation of this range, or NULL. STRINGS are the profile's. */
const struct dlprof_aggregation *dlprof_stored(const struct dlprof *dlprof,
					       const struct intern *strings,
					       const struct dlprof_range *range);

/*
 * Aggregate. Iterations and shares are those of the stored aggregation. Without one and a key, the
 * iterations are those of the most recent stored aggregation, or else the run is one iteration.
 * False with ERROR_USAGE (unknown op or iteration) or ERROR_CANCELLED. The caller clears OUT in
 * either case.
 */
bool dlprof_aggregate(const struct dlprof *dlprof, const struct intern *strings,
		      const struct dlprof_range *range, struct dlprof_aggregation *out,
		      const struct progress *progress, struct error *error);

#endif
