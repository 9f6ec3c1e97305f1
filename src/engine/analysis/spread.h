/*
 * How much the time of a thing varies within a run, and whether a difference between two runs is
 * more than that.
 */
#ifndef STRATA_ANALYSIS_SPREAD_H
#define STRATA_ANALYSIS_SPREAD_H

#include "base/progress.h"

/* With fewer steps than this on a side the spread is that of the calls. */
enum { SPREAD_STEPS = 3 };

/* NS of time that ROW took at once. */
struct sample {
	uint32_t row;
	uint32_t group; /* counted from 0: its step; or its place, where calls are alike */
	int64_t ns;
};

/* Samples of ROWS rows in GROUPS groups. */
struct samples {
	struct sample *items;
	size_t count, capacity;
	uint32_t rows, groups;
	const uint32_t *parent; /* by row: the row above, which comes before it and has its time
				   too (NO_ROW at the top); NULL: each row is alone */
};

struct spread {
	double time;     /* ns: of the mean step, or of all calls together */
	double variance; /* of time: the square of its standard error */
};

/* By row; the caller frees with mem_free, NULL: cancelled.  A group is a step: what it lacks of a
 * row is 0. */
struct spread *spread_over_steps(const struct samples *samples, const struct progress *progress);

/* The same where a group is a place: the calls of a row in one place should take the same time. */
struct spread *spread_over_calls(const struct samples *samples, const struct progress *progress);

/*
 * -1 when NEW is less than BASE, 1 when it is more, 0 when the difference is no more than noise:
 * four standard errors, and at least 3 % of the larger.  Few steps tell less, so their errors count
 * for more.  STEPS is how many there are on both sides together; without any (0) the least is 10 %.
 */
int spread_compare(const struct spread *base, const struct spread *new, uint32_t steps);

#endif
