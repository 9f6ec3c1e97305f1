/*
 * Layers of CUDA-graph kernels: a replay knows only the call that launched the whole graph, but an
 * eager run of the same kernels, where the profile has one, knows the operator of each.
 */
#ifndef STRATA_FACTS_GRAPHS_H
#define STRATA_FACTS_GRAPHS_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;

/*
 * Fill facts->activity_twin: for each kernel of a graph launch the kernel at the same place of an
 * eager run with the same sequence of names, NO_ROW for all others.  NULL when no replay has such a
 * run.
 */
bool graphs_find_twins(struct facts *facts, const struct progress *progress); /* false: cancelled */

#endif
