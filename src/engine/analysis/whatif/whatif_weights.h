/*
 * What edits change of the weights of a replay.
 */
#ifndef STRATA_ANALYSIS_WHATIF_WHATIF_WEIGHTS_H
#define STRATA_ANALYSIS_WHATIF_WHATIF_WEIGHTS_H

#include "analysis/whatif/whatif_edit.h"

/* Of several edits at once; the caller frees with whatif_weights_clear. False: cancelled. */
bool whatif_weights_of(struct whatif_weights *weights, const struct whatif_graph *graph,
		       const struct whatif_edit *edits, size_t count,
		       const struct progress *progress);
void whatif_weights_clear(struct whatif_weights *weights);

#endif
