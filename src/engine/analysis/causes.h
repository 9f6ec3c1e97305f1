/*
 * Where the time of a step goes, as one who wants to shorten it asks: what the devices did, and
 * when they had nothing to do, why not.
 */
#ifndef STRATA_ANALYSIS_CAUSES_H
#define STRATA_ANALYSIS_CAUSES_H

#include "facts/intervals.h"
#include "base/progress.h"

struct facts;
struct selection;

/* Every instant of a step has exactly one. */
enum time_cause {
	CAUSE_COMPUTE,       /* computation ran on a device, communication did not */
	CAUSE_OVERLAPPED,    /* both did */
	CAUSE_COMMUNICATION, /* communication ran, computation did not */
	CAUSE_COPY,          /* copies or sets ran, no kernel did */
	/* devices idle from here on */
	CAUSE_LAUNCH, /* the host was on its way to launch work */
	CAUSE_SYNC,   /* the host was waiting for the device */
	CAUSE_DATALOADER,
	CAUSE_ALLOCATOR,
	CAUSE_COMPILE,
	CAUSE_OVERHEAD, /* of the profiler itself */
	CAUSE_HOST,     /* the host did something else */
	CAUSE_UNKNOWN,  /* nothing in the profile says what the host did */
	TIME_CAUSES
};

/* The column id of a cause ("idle_launch_ns"). */
const char *time_cause_column(enum time_cause cause);

struct causes {
	struct intervals set[TIME_CAUSES]; /* disjoint; together the steps */
	int64_t (*step_ns)[TIME_CAUSES];   /* by step; sums to the step exactly */
	uint8_t *span_cause;               /* by span: what being in it says of idle time */
};

/*
 * Over the rows of SELECTION, all devices pooled; the caller frees with causes_free.  False when
 * cancelled, and then there is nothing to free.  The cause of
 * an idle instant is what the thread was in that launches the work which ends the gap; where that
 * thread's rows say nothing, what any other thread was in.  The profiler's own time comes first.
 */
bool causes_of_steps(struct causes *causes, const struct selection *selection,
		     const struct progress *progress);
void causes_free(struct causes *causes); /* all zero is fine */

/*
 * Visit what one host lane was in, innermost first and last, during WITHIN (merged), in order of
 * time: each stretch [START, END) with its span.  False when cancelled.
 */
typedef void host_visitor(void *context, uint32_t span, int64_t start, int64_t end);
bool host_walk(const struct facts *facts, uint32_t track, const struct intervals *within,
	       host_visitor *visit, void *context, const struct progress *progress);

#endif
