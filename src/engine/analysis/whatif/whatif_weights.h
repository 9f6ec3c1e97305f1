/*
 * What edits change of the weights of a replay.
 */
#pragma once

#include "analysis/whatif/whatif_edit.h"

/* Of several edits at once; the caller frees with whatif_weights_clear. False: cancelled. */
bool whatif_weights_of(struct whatif_weights *weights, const struct whatif_graph *graph,
		       const struct whatif_edit *edits, size_t count,
		       const struct progress *progress);
void whatif_weights_clear(struct whatif_weights *weights);
