/*
 * The ranks of a run, to be replayed together.
 */
#pragma once

#include "analysis/whatif/whatif_replay.h"

struct run;

/*
 * Join the matched operations of RUN, whose ranks are in memory and stay there. Of several kernels
 * in one operation none is joined. The caller frees; NULL when cancelled.
 */
struct whatif_joined *whatif_join_ranks(const struct run *run, uint32_t rows_max,
					const struct progress *progress);
/* Of GRAPH alone, which becomes part of it; likewise. */
struct whatif_joined *whatif_join_none(struct whatif_graph *graph);
void whatif_joined_free(struct whatif_joined *joined); /* NULL is fine */
