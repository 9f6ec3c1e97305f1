/*
 * What host threads did as the system saw it: when they had a processor, and samples of their
 * stacks.
 */
#ifndef STRATA_MODEL_THREADS_H
#define STRATA_MODEL_THREADS_H

#include "base/progress.h"
#include "model/profile.h"

/* The runs of one lane, in order of time; *COUNT of them. */
const struct thread_run *thread_runs(const struct profile *profile, uint32_t track, size_t *count);

/* The samples of one lane, likewise. */
const struct stack_sample *thread_samples(const struct profile *profile, uint32_t track,
					  size_t *count);

/* How long the lane had a processor in [FROM, TO), in ns; NO_VALUE when nothing is known of it. */
int64_t thread_on_cpu(const struct profile *profile, uint32_t track, int64_t from, int64_t to);

/* ---- for profile_finish ---- */

struct builder;

/* The range of time of runs and samples before the zero is set; false when there are none. */
bool threads_range(const struct profile *profile, int64_t *first, int64_t *last);

/*
 * Put runs and samples in order, move them to the profile's zero, set aside those more than a day
 * from TYPICAL, and take over the frames.  False when cancelled.
 */
bool threads_finish(struct builder *builder, int64_t typical, const struct progress *progress);

#endif
