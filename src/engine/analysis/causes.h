/*
 * Attributes step time to GPU work and to causes of idle time.
 */
#ifndef STRATA_ANALYSIS_CAUSES_H
#define STRATA_ANALYSIS_CAUSES_H

#include "facts/intervals.h"
#include "base/progress.h"

struct facts;
struct selection;

/* Each instant of a step has exactly one. */
enum time_cause {
	CAUSE_COMPUTE,       /* computation without communication */
	CAUSE_OVERLAPPED,    /* computation and communication */
	CAUSE_COMMUNICATION, /* communication without computation (exposed) */
	CAUSE_COPY,          /* copies or sets without kernels */
	/* devices idle from here on */
	CAUSE_LAUNCH, /* launch-bound: the host was launching work */
	CAUSE_SYNC,   /* CPU–GPU synchronization */
	CAUSE_DATALOADER,
	CAUSE_ALLOCATOR,
	CAUSE_COMPILE,
	CAUSE_OVERHEAD, /* profiler overhead */
	CAUSE_HOST,     /* other host work */
	CAUSE_UNKNOWN,  /* no host activity recorded */
	TIME_CAUSES
};

/* Column id of a cause ("idle_launch_ns"). */
const char *time_cause_column(enum time_cause cause);

struct causes {
	struct intervals set[TIME_CAUSES]; /* disjoint; their union is the steps */
	int64_t (*step_ns)[TIME_CAUSES];   /* by step; sums exactly to the step */
	uint8_t *span_cause;               /* by span: the idle cause it implies */
};

/*
 * Compute causes over the rows of SELECTION, all devices pooled. An idle instant is attributed to
 * what the thread that launches the gap's next work was doing, or if unknown to what any other
 * thread was doing; profiler overhead has priority. The caller frees with causes_free. False when
 * cancelled, with nothing to free.
 */
bool causes_of_steps(struct causes *causes, const struct selection *selection,
		     const struct progress *progress);
void causes_free(struct causes *causes); /* accepts all zero */

/*
 * Visit the innermost span of a host track, in order of time, for each stretch [START, END) within
 * WITHIN (merged). False when cancelled.
 */
typedef void host_visitor(void *context, uint32_t span, int64_t start, int64_t end);
bool host_walk(const struct facts *facts, uint32_t track, const struct intervals *within,
	       host_visitor *visit, void *context, const struct progress *progress);

#endif
