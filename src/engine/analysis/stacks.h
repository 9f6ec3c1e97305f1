/*
 * Time by call stack (Python frames, operators, runtime calls, device work), or sampled stacks.
 */
#pragma once

#include "model/frames.h"
#include "derived/selection.h"

enum { STACK_FRAMES_MAX = 1024 }; /* limit: frames of a stack; deeper ones count for the last */

struct stack_sum {
	int64_t value, calls;
};

struct stacks {
	struct frames frames;
	struct intern *names;   /* of frames */
	struct stack_sum *sums; /* by frame: of the stack ending there, exclusive */
	bool cut;               /* some stack exceeded STACK_FRAMES_MAX */
	uint32_t *places;       /* by span or, of a snapshot, by its stack: the frame, NO_ROW */
};

enum stacks_of {
	STACKS_GPU,     /* device time at its launch; the device work is the leaf */
	STACKS_CPU,     /* host self time */
	STACKS_SAMPLES, /* host samples, each weighted by the sampling interval */
	STACKS_PLACES,  /* no values: the stacks of all spans, or of a snapshot */
};

/*
 * The stacks of the selected rows. Python frames come from Python calls around an operator, else
 * from its recorded call stack; frames recorded with a runtime call are above it; backward work is
 * placed at its forward operator. False when cancelled; the caller frees with stacks_clear either
 * way.
 */
bool stacks_make(struct stacks *stacks, const struct selection *selection, enum stacks_of of,
		 const struct progress *progress);
void stacks_clear(struct stacks *stacks); /* accepts an all-zero struct */

/* Append the frames to LEAF, root first, with semicolons between. */
void stacks_print(struct buffer *out, const struct stacks *stacks, uint32_t leaf);
