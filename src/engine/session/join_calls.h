/*
 * Joins an execution trace of PyTorch to a timeline: inputs of operators that the timeline lacks.
 */
#ifndef STRATA_SESSION_JOIN_CALLS_H
#define STRATA_SESSION_JOIN_CALLS_H

#include "base/progress.h"
#include "model/profile.h"

/*
 * Give the operators of TIMELINE, which has no facts yet, the shapes, types and values of the calls
 * in TRACE (model/totals.h) with their record function id and name, where they have none. A
 * timeline without such ids is joined by its external ids. Counts what matched in the metadata; a
 * trace of another process is left alone. False when cancelled.
 */
bool join_calls(struct profile *timeline, const struct profile *trace,
		const struct progress *progress);

#endif
