/*
 * Where the time went, as call stacks: Python frames, operators, runtime calls, device work; or
 * what samples of host threads saw.
 */
#ifndef STRATA_ANALYSIS_STACKS_H
#define STRATA_ANALYSIS_STACKS_H

#include "model/frames.h"
#include "facts/selection.h"

enum { STACK_FRAMES_MAX = 1024 }; /* limit: frames of a stack; deeper ones belong to the last */

struct stack_sum {
	int64_t value, calls;
};

struct stacks {
	struct frames frames;
	struct intern *names;   /* of the frames */
	struct stack_sum *sums; /* by frame: of the stack that ends in it, no deeper */
	bool cut;               /* something was deeper than STACK_FRAMES_MAX */
};

enum stacks_of {
	STACKS_GPU,     /* device time of what was launched there; the device work is the leaf */
	STACKS_CPU,     /* the host's own time */
	STACKS_SAMPLES, /* samples of host threads, each for the usual time between two of them */
};

/*
 * The stacks of what is selected.  Python frames come from Python calls that enclose an operator,
 * else from its recorded call stack; frames recorded with a runtime call stand above it; backward
 * work stands where the forward work it belongs to does.  False when cancelled; the caller clears
 * with stacks_clear either way.
 */
bool stacks_make(struct stacks *stacks, const struct selection *selection, enum stacks_of of,
		 const struct progress *progress);
void stacks_clear(struct stacks *stacks);

#endif
