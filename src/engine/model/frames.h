/*
 * Call stacks as chains: a frame is a name and the frame that called it, each pair kept once.
 */
#ifndef STRATA_MODEL_FRAMES_H
#define STRATA_MODEL_FRAMES_H

#include "model/profile.h"

struct frame {
	uint32_t name;   /* the caller's own numbering of names */
	uint32_t caller; /* frame, NO_ROW at the root */
	uint32_t depth;  /* frames above it */
};

struct frames {
	struct frame *frames;
	size_t count, capacity;
	struct hash *by_pair;
};

void frames_init(struct frames *frames);
void frames_clear(struct frames *frames); /* also of one that is all zero */

/* The frame NAME called from CALLER; made on first use. */
uint32_t frames_add(struct frames *frames, uint32_t name, uint32_t caller);

#endif
