/*
 * Steps: the iterations of a run.
 */
#ifndef STRATA_FACTS_STEPS_H
#define STRATA_FACTS_STEPS_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;

struct step {
	int64_t number;                   /* as the profile labels it, else its index */
	uint32_t name;                    /* interned */
	uint32_t span;                    /* its annotation, NO_ROW when made up */
	int64_t host_start, host_end;     /* of the annotation */
	int64_t start, end;               /* chained: ends when its last device work ends */
	int64_t device_start, device_end; /* of the work it launched; NO_VALUE none */
	uint32_t launched;                /* device activities launched inside */
	bool partial;                     /* its capture is incomplete: left out of averages */
	bool slow_start;                  /* the first one, and over twice the median */
	uint16_t unused;                  /* no gap: an index keeps it as it lies in memory */
};

/*
 * Find the steps, chain them and attribute device activities (fills steps, step_count,
 * activity_step, window_*).  A step is a host annotation with NAME_STEP; without any, one step
 * named "0" stands for the whole.  Chaining: start = max(previous end, host start), end = max(host
 * end, end of the last device activity launched inside), as the TensorBoard plugin does.
 * BY_EXECUTION then gives device activities to the chained step they ran in instead of the one that
 * launched them.
 */
bool steps_find(struct facts *facts, struct intern *strings, bool by_execution,
		const struct progress *progress);

/*
 * Take COUNT > 0 steps (the facts own them now) that were found, chained and marked before, in a
 * survey of the same file: device activities belong to them as after steps_find.
 */
bool steps_adopt(struct facts *facts, struct step *steps, uint32_t count, bool by_execution,
		 const struct progress *progress);

/*
 * Put COUNT > 0 other steps (the facts own them now) in the place of those found: only names,
 * numbers and host times are set.  They are neither chained nor is any of them partial; a device
 * activity belongs to the one in which the call that launched it began.
 */
void steps_replace(struct facts *facts, struct step *steps, uint32_t count);

/* Durations of the whole steps, ascending; *COUNT of them, the caller frees with mem_free. */
int64_t *steps_sorted_durations(const struct facts *facts, size_t *count);

/* What durations of steps are even: quartiles and what lies near them. */
struct step_spread {
	int64_t low, high; /* beyond them a step is an outlier */
	int64_t median;
	size_t count; /* of whole steps */
};

/*
 * Tukey's fences of the whole steps: an outlier is more than one and a half times the distance of
 * the quartiles beyond one of them, and 5 % of the median at least.  False: there are less than
 * four whole steps.
 */
bool steps_spread(const struct facts *facts, struct step_spread *spread);

#endif
