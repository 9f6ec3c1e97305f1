/*
 * Traces in which CUDA graphs were captured, beside those in which the same process replays them.
 */
#ifndef STRATA_SESSION_GRAPH_CAPTURES_H
#define STRATA_SESSION_GRAPH_CAPTURES_H

#include "base/progress.h"
#include "model/run.h"

struct error;

/* Set what RANK, which is loaded, has of graphs. False with ERROR when cancelled. */
bool graph_captures_note(struct rank *rank, const struct progress *progress, struct error *error);

/*
 * Collect the captures of the ranks' graphs from all recordings of their processes. Ranks with some
 * are unloaded, and have them when loaded again. False with ERROR.
 */
bool graph_captures_join(struct run *run, const struct progress *progress, struct error *error);
void graph_captures_free(struct run *run); /* what was collected */

#endif
