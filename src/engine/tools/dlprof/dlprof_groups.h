/*
 * Computes DLProf's group nodes: sums over the ops below a path.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_GROUPS_H
#define STRATA_TOOLS_DLPROF_DLPROF_GROUPS_H

#include "tools/dlprof/dlprof_aggregate.h"
#include "derived/intervals.h"
#include "base/progress.h"

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

#endif
