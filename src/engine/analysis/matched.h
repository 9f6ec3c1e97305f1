/*
 * Matches the calls of two runs: their change, with an error from how their ratios vary.
 */
#ifndef STRATA_ANALYSIS_MATCHED_H
#define STRATA_ANALYSIS_MATCHED_H

#include "analysis/align.h"
#include "analysis/spread.h"

/* The calls of a pair of rows that correspond to each other. */
struct matched {
	uint32_t calls;   /* on each side */
	double base, new; /* ns: their time in each run */
	double variance;  /* ns^2: of NEW less BASE, from how the calls vary */
	double only_base; /* ns: time of calls without counterpart */
	double only_new;
	double waiting; /* ns: of both sides, in calls that have no place (PLACE_NONE) */
};

/*
 * Match the k-th call of a row in a place with the k-th in the same place of the other run; the
 * change is the opposite if the runs are swapped. Places with different numbers of calls are
 * unmatched. By pair; those that SUMS_UP [count] names are included in their parents, NULL: none
 * is. The caller frees with mem_free; NULL when cancelled.
 */
struct matched *match_calls(const struct samples *base, const struct samples *new,
			    const struct pair *pairs, size_t count, const bool *sums_up,
			    const struct progress *progress);

/* Is nearly all time of the row in matched calls? */
bool matched_covers(const struct matched *matched);

#endif
