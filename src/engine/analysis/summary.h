/*
 * Amounts summed up by group: how many, how much, the least, the middle and the most, how far they
 * scatter.
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
	double mean, median; /* median: the mean of the two in the middle of an even number */
	double deviation;    /* the sample's standard deviation (n - 1); 0 of a single value */
};

/* By group, of GROUPS groups; the amounts are sorted.  The caller frees with mem_free; NULL:
 * cancelled. */
struct summary *summary_make(struct amount *amounts, size_t count, uint32_t groups,
			     const struct progress *progress);

#endif
