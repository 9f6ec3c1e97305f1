/*
 * Estimates the variance of times within a run.
 */
#pragma once

#include "base/mem.h"
#include "base/progress.h"

/* With fewer steps on a side, variance is estimated over calls. */
enum { SPREAD_STEPS = 3 };

/* NS of time spent in ROW once. */
struct sample {
	uint32_t row;
	uint32_t group; /* its step, from 0; without steps, 0 */
	int64_t ns;
	uint64_t place; /* key of its place in the layer tree, equal in both runs */
	uint32_t shape; /* key of a kernel's launch parameters; 0: none */
	bool waits;     /* lasts as long as other ranks make it wait */
};

/* Samples of ROWS rows in GROUPS groups. */
struct samples {
	GROWING(struct sample, items, count);
	uint32_t rows, groups;
	const uint32_t *parent; /* by row: the one that includes it, NO_ROW: none; NULL: flat */
};

struct spread {
	double time;     /* ns: of the mean step, or of all calls */
	double variance; /* squared standard error of time, over steps */
};

/*
 * Groups are steps; a row missing in a step counts as 0, and a single group has no variance. By
 * row; the caller frees with mem_free; NULL when cancelled.
 */
struct spread *spread_over_steps(const struct samples *samples, const struct progress *progress);
