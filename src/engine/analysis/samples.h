/*
 * Selects call stack samples by scope.
 */
#pragma once

#include "derived/selection.h"

/*
 * By time, step, thread and track, and when narrowed to a layer, operator, kernel or call, by the
 * innermost span at its time.
 */
bool sample_is_selected(const struct selection *selection, const struct stack_sample *sample);

/* Is a host track in scope? */
bool samples_lane_is_selected(const struct selection *selection, uint32_t track);
