/*
 * GPU time of each call in the layer tree.
 */
#ifndef STRATA_VIEWS_LAYER_CALL_TIMES_H
#define STRATA_VIEWS_LAYER_CALL_TIMES_H

#include "derived/selection.h"

/*
 * By span that counts as a call of its node: time, ns, of the work in scope that its subtree of the
 * tree launched, with its backward calls unless PASSES_APART. Work of no call, such as that of a
 * replayed graph, is left out. NULL when cancelled; the caller frees with mem_free.
 */
int64_t *layer_call_gpu(const struct selection *selection, bool passes_apart,
			const struct progress *progress);

#endif
