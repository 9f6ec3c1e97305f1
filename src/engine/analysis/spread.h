/*
 * Estimates the variance of times within a run and the significance of differences between two
 * runs.
 */
#ifndef STRATA_ANALYSIS_SPREAD_H
#define STRATA_ANALYSIS_SPREAD_H

#include "base/progress.h"

/* With fewer steps on a side, variance is estimated over calls. */
enum { SPREAD_STEPS = 3 };

/* NS of time spent in ROW once. */
struct sample {
	uint32_t row;
	uint32_t group; /* from 0: its step, or the place of similar calls */
	int64_t ns;
};

/* Samples of ROWS rows in GROUPS groups. */
struct samples {
	struct sample *items;
	size_t count, capacity;
	uint32_t rows, groups;
	const uint32_t *parent; /* by row: the one that includes it, NO_ROW: none; NULL: flat */
};

struct spread {
	double time;     /* ns: of the mean step, or of all calls */
	double variance; /* squared standard error of time */
};

/*
 * Groups are steps; a row missing in a step counts as 0. By row; the caller frees with mem_free;
 * NULL when cancelled.
 */
struct spread *spread_over_steps(const struct samples *samples, const struct progress *progress);

/* Likewise, groups are places: calls of a row in one place are expected to take equal time. */
struct spread *spread_over_calls(const struct samples *samples, const struct progress *progress);

/*
 * Compare with a significance threshold of four standard errors, more with few steps, and at least
 * 3 % of the larger time: -1 NEW is less than BASE, 1 more, 0 not significant. STEPS counts both
 * sides; when 0 the minimum is 10 %.
 */
int spread_compare(const struct spread *base, const struct spread *new, uint32_t steps);

#endif
