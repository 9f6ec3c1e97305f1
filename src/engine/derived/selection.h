/*
 * A Selection: the rows of a profile in a Scope.
 */
#pragma once

#include "derived/derived.h"
#include "base/binary_search.h"
#include "model/run.h"

struct selection {
	const struct profile *profile;
	const struct derived *derived;
	const struct scope *scope;
	uint8_t *span;           /* by span: 1 in scope; NULL: all */
	uint8_t *activity;       /* by activity; NULL: all */
	int64_t *own_gpu_prefix; /* over the activities in scope; NULL: use DERIVED's */
	uint32_t *own_count_prefix;
	int64_t window_start, window_end; /* time range that rates refer to */
};

/*
 * Apply SCOPE (which must outlive the result); its rank must be in memory (load.h). The caller
 * frees on success. False with ERROR_USAGE when the rank or the layer does not exist, or
 * ERROR_CANCELLED.
 */
bool selection_make(struct selection *selection, const struct run *run, const struct scope *scope,
		    const struct progress *progress, struct error *error);

/*
 * Are the devices, streams and threads that SCOPE names in the profile of RANK, which must be in
 * memory, and any of its steps if all are read? False with ERROR_USAGE, which says what there is.
 */
bool selection_exists(const struct rank *rank, const struct scope *scope, struct error *error);
void selection_free(struct selection *selection);

/* Are a row and its step, time, device, stream and thread in the scope alone? LAYERS: 1 by node for
   those that are; NULL: all. */
bool selection_fits_span(const struct selection *selection, uint32_t span, const uint8_t *layers);
bool selection_fits_activity(const struct selection *selection, uint32_t activity,
			     const uint8_t *layers);

static inline bool selection_has_span(const struct selection *selection, uint32_t span)
{
	return !selection->span || selection->span[span];
}

static inline bool selection_has_activity(const struct selection *selection, uint32_t activity)
{
	return !selection->activity || selection->activity[activity];
}

/* Is the step in scope (NO_ROW: what is outside of steps)? */
bool selection_has_step(const struct selection *selection, uint32_t step);

/* Does the step count for averages: in scope, and complete unless selected explicitly? */
bool selection_counts_step(const struct selection *selection, uint32_t step);

/* Device time, or activities, in scope launched in the subtree of a span. */
int64_t selection_gpu_total(const struct selection *selection, uint32_t span);
uint32_t selection_gpu_count(const struct selection *selection, uint32_t span);

/* Index of the step whose annotation contains the start of a span, or NO_ROW. */
uint32_t selection_step_of_span(const struct derived *derived, uint32_t span);
/* The same; NEAR is a guess, and becomes a better one. */
static inline uint32_t selection_step_near(const struct derived *derived, uint32_t span,
					   size_t *near)
{
	int64_t time = derived->profile->span_start[span];
	struct ascending starts = ASCENDING(derived->steps, host_start, derived->step_count);
	*near = search_near(starts, time + 1, *near < starts.count ? *near : starts.count);
	return *near && time < derived->steps[*near - 1].host_end ? (uint32_t)*near - 1 : NO_ROW;
}

/* Index of the step that launched an activity, else in which it ran; NO_ROW. */
static inline uint32_t selection_step_of_activity(const struct derived *derived, uint32_t activity)
{
	uint32_t step = derived->activity_step[activity];
	return step != NO_ROW
		       ? step
		       : derived_step_at(derived, derived->profile->activity_start[activity]);
}
