/*
 * Which samples of host threads a scope has in it.
 */
#ifndef STRATA_ANALYSIS_SAMPLES_H
#define STRATA_ANALYSIS_SAMPLES_H

#include "facts/selection.h"

/*
 * By its time, step, thread and lane; where the scope is narrowed to a layer, an operator, a kernel
 * or a call, by the innermost span of its lane at that time.
 */
bool sample_is_selected(const struct selection *selection, const struct stack_sample *sample);

/* Does the scope have a host lane in it? */
bool samples_lane_is_selected(const struct selection *selection, uint32_t track);

#endif
