/*
 * A Scope applied to a profile: which rows are in.
 */
#ifndef STRATA_FACTS_SELECTION_H
#define STRATA_FACTS_SELECTION_H

#include "facts/facts.h"
#include "model/run.h"
#include "model/scope.h"

struct selection {
	const struct profile *profile;
	const struct facts *facts;
	const struct scope *scope;
	uint8_t *span;           /* by span: 1 in scope; NULL: all are */
	uint8_t *activity;       /* by activity; NULL: all are */
	int64_t *own_gpu_prefix; /* of the activities in scope; NULL: the facts' own */
	uint32_t *own_count_prefix;
	int64_t window_start, window_end; /* what rates are taken over */
};

/*
 * Select by SCOPE (which must outlive the result); its rank is in memory (load.h).  False with
 * ERROR_USAGE when it names a rank or a layer that does not exist, ERROR_CANCELLED.  The caller
 * frees one that was made.
 */
bool selection_make(struct selection *selection, const struct run *run, const struct scope *scope,
		    const struct progress *progress, struct error *error);
void selection_free(struct selection *selection);

static inline bool selection_has_span(const struct selection *selection, uint32_t span)
{
	return !selection->span || selection->span[span];
}

static inline bool selection_has_activity(const struct selection *selection, uint32_t activity)
{
	return !selection->activity || selection->activity[activity];
}

/* Is this step one that means are taken over: in scope, and whole unless it was asked for? */
bool selection_counts_step(const struct selection *selection, uint32_t step);

/* Device time in scope launched anywhere under a span; and how many activities. */
int64_t selection_gpu_total(const struct selection *selection, uint32_t span);
uint32_t selection_gpu_count(const struct selection *selection, uint32_t span);

/* Index of the step in whose annotation a host instant lies, or NO_ROW. */
uint32_t selection_step_of_span(const struct facts *facts, uint32_t span);

/* Index of the step an activity belongs to: that of its launch, else where it ran; NO_ROW. */
uint32_t selection_step_of_activity(const struct facts *facts, uint32_t activity);

#endif
