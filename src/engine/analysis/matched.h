/*
 * Matches the calls of two runs and estimates the typical change of each row: the median of the
 * calls' ratios, with an error from their median absolute deviation.
 */
#ifndef STRATA_ANALYSIS_MATCHED_H
#define STRATA_ANALYSIS_MATCHED_H

#include "analysis/align.h"
#include "analysis/spread.h"

/* The calls of a pair of rows that correspond to each other. */
struct matched {
	uint32_t calls;   /* on each side */
	double base, new; /* ns: their time in each run */
	double more;      /* ns: their typical change */
	double variance;  /* squared standard error of MORE, from the spread of the calls */
	double only_base; /* ns: time of calls without counterpart */
	double only_new;
	double waiting; /* ns: of both sides, in calls that have no place (PLACE_NONE) */
};

/*
 * All functions judge a change as the opposite one of the runs swapped.
 *
 * Match the k-th call of a row in a place with the k-th in the same place of the other run; with
 * BY_STEP within the same complete step. Places with different numbers of calls are unmatched. By
 * pair; with samples that have parents, sums of the subtree. The caller frees with mem_free; NULL
 * when cancelled.
 */
struct matched *match_calls(const struct samples *base, const struct samples *new,
			    const struct pair *pairs, size_t count, bool by_step,
			    const struct progress *progress);

/* Is nearly all time of the row in matched calls? */
bool matched_covers(const struct matched *matched);

/*
 * Compare rows that both sides called equally often, though not with the same calls inside: SAME
 * unless the time of calls that only one side has is certain or likely to be a change.
 */
enum change matched_compare_all(const struct matched *matched, double noise);

/*
 * Compare calls: likely from 5 %, certain from 10 % of the larger time on; with fewer than
 * three calls, certain from ten standard errors on. NOISE:
 * deviation between the runs, as a share of the time.
 */
enum change matched_compare(const struct matched *matched, double noise);

/*
 * How much unchanged rows differ between the two runs, as a share of their time: the robust
 * deviation of the ratios of the rows whose calls take about as long. NOISE [count] is filled. A
 * run-wide default where rows are too few.
 */
void noise_between_runs(const struct matched *matched, const struct pair *pairs, size_t count,
			double *noise);

#endif
