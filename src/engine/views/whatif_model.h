/*
 * The graph that the what-if view and its pane replay: of one rank, or of all that meet.
 */
#pragma once

#include "analysis/whatif/whatif.h"

struct error;
struct rank;

enum { WHATIF_RANKS_MAX = 65 };

/* With the ranks that it holds: the one asked for, and all if they are replayed together. */
struct whatif_model {
	const struct run *run;
	const struct rank *rank[WHATIF_RANKS_MAX];
	size_t count;
	struct whatif *whatif; /* NULL until made */
};

/*
 * As whatif_make, of a rank by its number; TOGETHER: with the others if they match and can be held.
 * False with ERROR. Cleared by whatif_model_clear either way, while RUN is there.
 */
bool whatif_model_make(struct whatif_model *model, const struct run *run, int64_t rank,
		       const struct selection *selection, bool together, uint32_t rows_max,
		       const struct progress *progress, struct error *error);
void whatif_model_clear(struct whatif_model *model);
