/*
 * Estimates the variance of times within a run and the significance of differences between two
 * runs.
 */
#ifndef STRATA_ANALYSIS_SPREAD_H
#define STRATA_ANALYSIS_SPREAD_H

#include "base/progress.h"

/* With fewer steps on a side, variance is estimated over calls. */
enum { SPREAD_STEPS = 3 };

/* A call that has no counterpart in another run. */
enum { PLACE_NONE = 0 };

/* NS of time spent in ROW once. */
struct sample {
	uint32_t row;
	uint32_t group; /* from 0: its step, or the place of similar calls */
	int64_t ns;
	uint64_t place; /* key of its place in the layer tree, equal in both runs; PLACE_NONE */
	uint32_t step;  /* index among the complete steps, or NO_ROW */
	uint32_t shape; /* key of a kernel's launch parameters; 0: none */
};

/* Samples of ROWS rows in GROUPS groups. */
struct samples {
	struct sample *items;
	size_t count, capacity;
	uint32_t rows, groups;
	const uint32_t *parent; /* by row: the one that includes it, NO_ROW: none; NULL: flat */
	double rounding;        /* variance of a difference of calls, in squared clock ticks */
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

/* A change of time and how sure it is. */
enum change { FASTER = -2, LIKELY_FASTER, SAME, LIKELY_SLOWER, SLOWER };

/*
 * MORE time with a standard ERROR: certain if it exceeds five of them and CERTAIN, likely if it
 * exceeds three and a half and LIKELY.
 */
enum change change_of(double more, double error, double likely, double certain);

/*
 * Compare mean steps: errors are larger with few STEPS (of both sides), and changes are at
 * least 3 % of the larger time. NOISE: deviation between runs, as a share of the time.
 */
enum change spread_compare(const struct spread *base, const struct spread *new, uint32_t steps,
			   double noise);

#endif
