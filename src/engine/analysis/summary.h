/*
 * Statistics of amounts by group: count, total, minimum, median, maximum, deviation.
 */
#ifndef STRATA_ANALYSIS_SUMMARY_H
#define STRATA_ANALYSIS_SUMMARY_H

#include "base/progress.h"

struct amount {
	uint32_t group; /* counted from 0 */
	int64_t value;
};

struct summary {
	int64_t count, total, min, max;
	double mean, median; /* median: mean of the middle two for an even count */
	double deviation;    /* sample standard deviation (n - 1); 0 for one value */
};

/* One summary per group. Sorts the amounts. The caller frees with mem_free; NULL when cancelled. */
struct summary *summary_make(struct amount *amounts, size_t count, uint32_t groups,
			     const struct progress *progress);

#endif
