/*
 * Findings over the ranks of a run.
 */
#pragma once

#include "analysis/advice/detectors.h"

struct rank_findings {
	int64_t rank; /* its number */
	struct findings findings;
};

/*
 * Merge the findings of the others into those of the first of COUNT ranks: one finding per
 * detector, which says on which ranks it fired. What fired on other ranks only is the finding of
 * the rank with the highest cost, and leads to that rank. Gains still sum to at most 100 %; the
 * result is sorted.
 */
void findings_merge(struct rank_findings *ranks, size_t count);
