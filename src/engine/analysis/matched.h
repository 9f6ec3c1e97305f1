/*
 * Matches the calls of two runs: their change, with an error from how their ratios vary.
 */
#pragma once

#include "analysis/align.h"
#include "analysis/spread.h"

/* The calls of a pair of rows that correspond to each other. */
struct matched {
	uint32_t calls;   /* on each side */
	double base, new; /* ns: their time in each run */
	double squares;   /* ns^2: sum of the squared times of calls, as the mean of both runs */
	double variance;  /* ns^2: of NEW less BASE, from how the row's own calls vary */
	double freedom;   /* degrees of freedom of VARIANCE */
	double ratios;    /* calls that took time in both runs */
	double ratio_sum; /* of the logarithms of the ratios of their times */
	double only_base; /* ns: time of calls without counterpart */
	double only_new;
	double waiting_base; /* ns: in calls that wait for other ranks, and are not in BASE */
	double waiting_new;
	double waiting_squares; /* ns^2: as SQUARES, of these */
	double waits;           /* of these, those that took time in both runs */
	double wait, wait_sum;  /* logarithm of the last one's ratio, and of all */
};

/*
 * How much calls that wait for others vary, as standard deviations of the ratio's logarithm: rows
 * between the runs, INFINITY if few calls have a counterpart, and the calls WITHIN a row.
 */
struct waiting {
	double between, within;
};

/*
 * Match the k-th call of a row in a place with the k-th in the same place of the other run; the
 * change is the opposite if the runs are swapped. Places with different numbers of calls are
 * unmatched. By pair; those that SUMS_UP [count] names are included in their parents, NULL: none
 * is. The caller frees with mem_free; NULL when cancelled.
 */
struct matched *match_calls(const struct samples *base, const struct samples *new,
			    const struct pair *pairs, size_t count, const bool *sums_up,
			    struct waiting *waiting, const struct progress *progress);

/* Mean and variance of the differences of steps in order; both runs have as many. */
struct spread *match_steps(const struct samples *base, const struct samples *new,
			   const struct pair *pairs, size_t count, const bool *sums_up,
			   const struct progress *progress);

/* Is nearly all time of the row in matched calls, but for what waits? */
bool matched_covers(const struct matched *matched);

/* How many equally long calls vary as much in sum as the matched ones. */
double matched_equal_calls(const struct matched *matched);
