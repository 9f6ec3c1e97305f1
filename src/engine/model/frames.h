/*
 * Call stacks as a trie: a frame is a name and its caller, each pair stored once.
 */
#pragma once

#include "model/profile.h"

struct frame {
	uint32_t name;   /* the user's name ids */
	uint32_t caller; /* index of a frame, NO_ROW at the root */
	uint32_t depth;  /* number of callers above */
};

struct frames {
	GROWING(struct frame, frames, count);
	struct hash *by_pair;
};

void frames_init(struct frames *frames);
void frames_clear(struct frames *frames); /* accepts an all-zero struct */

/* Find or add the frame NAME called from CALLER. */
uint32_t frames_add(struct frames *frames, uint32_t name, uint32_t caller);
