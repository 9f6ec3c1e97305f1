/*
 * On-CPU intervals and call stack samples of host threads.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

/* The on-CPU intervals of a track, by time; *COUNT of them. */
const struct thread_run *thread_runs(const struct profile *profile, uint32_t track, size_t *count);

/* The samples of a track, likewise. */
const struct stack_sample *thread_samples(const struct profile *profile, uint32_t track,
					  size_t *count);

/* On-CPU time of a track in [FROM, TO), ns; NO_VALUE when unknown. */
int64_t thread_on_cpu(const struct profile *profile, uint32_t track, int64_t from, int64_t to);

/* ---- for profile_finish ---- */

struct builder;

/*
 * Time range of intervals and samples before the time zero is set; false when there are none, or
 * events say when the program ran.
 */
bool threads_range(const struct profile *profile, int64_t *first, int64_t *last);

/*
 * Sort intervals and samples, shift them to the time zero, drop those more than a day from TYPICAL,
 * and move the frames to the profile. False when cancelled.
 */
bool threads_finish(struct builder *builder, int64_t typical, const struct progress *progress);
