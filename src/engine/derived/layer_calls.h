/*
 * What each span is in the tree of layers: found for all spans at once, before the tree is built in
 * their order.
 */
#pragma once

#include "base/progress.h"
#include "text_tables.h"

struct derived;

/* 0 for spans without a node: steps are a scope, launches appear as kernels. */
enum layer_call { LAYER_CALL_ROWS(_) };

/*
 * Is this operator a range that the program opened around others? PyTorch 1.8 records
 * record_function so: outside of any namespace, without a role, and an operator inside comes first.
 */
bool layer_calls_is_range(const struct derived *derived, uint32_t span);

/*
 * Set for every span its CALL and the nearest enclosing span with a node ABOVE it, or NO_ROW; needs
 * derived->layers.source. False when cancelled.
 */
bool layer_calls_find(const struct derived *derived, uint8_t *call, uint32_t *above,
		      const struct progress *progress);
