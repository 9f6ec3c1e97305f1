/*
 * Attributes CUDA graph kernels to operators through an eager run of the same kernels.
 *
 * A graph launch only records the call that launched the whole graph; an eager run, if the profile
 * has one, records the operator of each kernel.
 */
#pragma once

#include "base/progress.h"

struct derived;

/*
 * Fill derived->activity_twin: for each kernel of a graph launch its counterpart in an eager run
 * with the same sequence of kernel names, NO_ROW for all others; NULL when no graph launch has such
 * a run.
 */
bool graphs_find_twins(struct derived *derived,
		       const struct progress *progress); /* false: cancelled */
