/*
 * What other traces of the run tell of a rank's device work: traces in which the same process
 * captured the CUDA graphs that it replays, and those of ranks that recorded more.
 */
#pragma once

#include "base/progress.h"
#include "model/run.h"

/*
 * Set what RANK, which is loaded, has of graphs and records; ALONE: there is no other trace to tell
 * what it lacks. False with ERROR when cancelled.
 */
bool other_traces_note(struct rank *rank, bool alone, const struct progress *progress,
		       struct error *error);

/*
 * Is other traces' knowledge worth opening them for RANK alone, which has no operators? Does TELLER
 * (NULL: any) have all that it lacks?
 */
bool other_traces_may_tell(const struct rank *rank, const struct rank *teller);

/*
 * Collect the captures of the ranks' graphs from all recordings of their processes, and from other
 * ranks what a rank has of none of its work. Ranks for which there is something are unloaded, and
 * have it when loaded again. False with ERROR.
 */
bool other_traces_join(struct run *run, const struct progress *progress, struct error *error);
void other_traces_free(struct run *run); /* what was collected */
