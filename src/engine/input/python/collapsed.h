/*
 * Stacks with one number each.
 */
#pragma once

#include "model/profile.h"

/* What the numbers are. */
enum weights { WEIGHTS_US, WEIGHTS_SAMPLES, WEIGHTS_BYTES };

/* The profile's stacks have such numbers. */
void stacks_begin(struct profile *profile, enum weights weights);

/* The frame LABEL (interned) called from FRAME, NO_ROW: the outermost. */
uint32_t stacks_frame(struct profile *profile, uint32_t label, uint32_t frame);

/* Add VALUE to the stack of FRAME; of NO_ROW nothing. */
void stacks_add(struct profile *profile, uint32_t frame, int64_t value, enum weights weights);
