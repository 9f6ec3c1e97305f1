/*
 * Computes DLProf's sums over a range of iterations from its correlated profile, by DLProf's rules.
 */
#pragma once

#include "input/dlprof/dlprof.h"
#include "derived/intervals.h"
#include "base/progress.h"

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

/* ---- iterations ---- */

/* First op with this id or name, or NO_ROW. */
uint32_t dlprof_op_named(const struct dlprof *dlprof, const struct intern *strings,
			 const char *key);

/* Make OUT with its key, iterations and range. False with ERROR_USAGE or when cancelled. */
bool dlprof_find_iterations(const struct dlprof *dlprof, const struct intern *strings,
			    const struct dlprof_range *range, struct dlprof_aggregation *out,
			    const struct progress *progress, struct error *error);

/* Index of the iteration in AGGREGATION's range that contains TIME; SIZE_MAX: none. */
size_t dlprof_iteration_at(const struct dlprof_aggregation *aggregation, int64_t time);

/* ---- group nodes ---- */

/* Input of the sums: the instances in the range, with their calls. */
struct dlprof_work {
	const struct dlprof *dlprof;
	const struct intern *strings;
	size_t *iteration;    /* by instance: index of its iteration, SIZE_MAX: outside the range */
	size_t *first_call;   /* by instance, [instances + 1]: offset in */
	uint32_t *call_order; /* call rows */
	size_t *first_instance;   /* by op, [ops + 1]: offset in */
	uint32_t *instance_order; /* instance rows */
	int64_t *idle;            /* by instance */
	const struct progress *progress;
	uint64_t done; /* rows processed, over all passes */
};

/* Count a processed row and poll for cancellation. */
static inline bool dlprof_go_on(struct dlprof_work *work)
{
	enum { WEIGHT = 32 };
	return progress_heavy_row(work->progress, "summarizing", work->done++, 0, WEIGHT);
}

/* Append the intervals of an instance and its calls, unmerged; any of the sets may be NULL. */
void dlprof_gather(const struct dlprof_work *work, uint32_t instance, struct intervals *host,
		   struct intervals *api, struct intervals *device);

/* Compute the groups of OUT from its op sums. False when cancelled. */
bool dlprof_sum_groups(struct dlprof_work *work, struct dlprof_aggregation *out);
