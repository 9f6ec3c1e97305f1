/*
 * DLProf's group nodes: sums over all ops whose path begins alike.
 */
#ifndef STRATA_TOOLS_DLPROF_DLPROF_GROUPS_H
#define STRATA_TOOLS_DLPROF_DLPROF_GROUPS_H

#include "tools/dlprof/dlprof_aggregate.h"
#include "facts/intervals.h"
#include "base/progress.h"

/* What the sums are made of: the instances in the range, with their calls. */
struct dlprof_work {
	const struct dlprof *dlprof;
	const struct intern *strings;
	size_t *iteration;        /* by instance: index of its iteration, SIZE_MAX outside */
	size_t *first_call;       /* by instance, [instances + 1]: its part of… */
	uint32_t *call_order;     /* …call rows */
	size_t *first_instance;   /* by op, [ops + 1]: its part of… */
	uint32_t *instance_order; /* …instance rows */
	int64_t *idle;            /* by instance */
	const struct progress *progress;
	uint64_t done; /* rows gone over, of all passes */
};

/* One more row, which takes a while, is done: may it go on? */
static inline bool dlprof_go_on(struct dlprof_work *work)
{
	enum { WEIGHT = 32 };
	return progress_heavy_row(work->progress, "summing up", work->done++, 0, WEIGHT);
}

/* Count one more value; AVG is filled by dlprof_metric_finish. */
void dlprof_metric_add(struct dlprof_metric *metric, int64_t value);
void dlprof_metric_finish(struct dlprof_metric *metric);
void dlprof_times_finish(struct dlprof_times *times);

/* Add the intervals of an instance and its calls to unmerged sets; any of them may be NULL. */
void dlprof_gather(const struct dlprof_work *work, uint32_t instance, struct intervals *host,
		   struct intervals *api, struct intervals *device);

/* Fill the groups of OUT, whose op sums are known.  False when cancelled. */
bool dlprof_sum_groups(struct dlprof_work *work, struct dlprof_aggregation *out);

#endif
