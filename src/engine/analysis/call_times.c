#include "analysis/call_times.h"

#include "base/mem.h"

static const char stage[] = "timing calls";

/* A driver call inside a runtime call is part of it. */
static bool is_outermost_runtime(const struct profile *profile, uint32_t span)
{
	uint32_t parent = profile->span_parent[span];
	return profile->span_kind[span] == SPAN_RUNTIME &&
	       (parent == NO_ROW || profile->span_kind[parent] != SPAN_RUNTIME);
}

static uint32_t launcher(const struct selection *selection, uint32_t activity)
{
	return selection_has_activity(selection, activity) &&
			       profile_is_work(selection->profile, activity)
		       ? facts_work_row(selection->facts, activity)
		       : NO_ROW;
}

/* Counting sort of the work by its launcher. */
static bool sort_work(struct call_times *times, const struct selection *selection,
		      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	times->first = mem_zalloc((size_t)profile->spans + 2, sizeof *times->first);
	times->activity = mem_alloc(((size_t)profile->activities + 1) * sizeof *times->activity);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t span = launcher(selection, i);
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (span != NO_ROW)
			times->first[span + 2]++;
	}
	for (uint32_t i = 2; i < profile->spans + 2; i++)
		times->first[i] += times->first[i - 1];
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t span = launcher(selection, i);
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		if (span != NO_ROW)
			times->activity[times->first[span + 1]++] = i;
	}
	return true;
}

bool call_times_make(struct call_times *times, const struct selection *selection,
		     const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	*times = (struct call_times){ .profile = profile };
	times->runtime = mem_zalloc((size_t)profile->spans + 1, sizeof *times->runtime);
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		times->runtime[i + 1] =
			times->runtime[i] +
			(is_outermost_runtime(profile, i) ? profile->span_dur[i] : 0);
	}
	return sort_work(times, selection, progress);
}

void call_times_free(struct call_times *times)
{
	mem_free(times->runtime);
	mem_free(times->first);
	mem_free(times->activity);
	intervals_free(&times->now);
	*times = (struct call_times){ 0 };
}

/* A call may end after its parent: never below zero. */
static int64_t positive(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

int64_t call_overhead(const struct call_times *times, uint32_t span)
{
	uint32_t end = span + times->profile->span_size[span];
	return positive(times->profile->span_dur[span] -
			(times->runtime[end] - times->runtime[span]));
}

int64_t call_idle(struct call_times *times, uint32_t span)
{
	const struct profile *profile = times->profile;
	uint32_t from = times->first[span];
	uint32_t to = times->first[span + profile->span_size[span]];
	struct intervals *now = &times->now;
	if (to - from < 2)
		return 0;
	now->count = 0;
	for (uint32_t i = from; i < to; i++) {
		int64_t start = profile->activity_start[times->activity[i]];
		intervals_add(now, start, start + profile->activity_dur[times->activity[i]]);
	}
	intervals_merge(now);
	return intervals_gaps(now);
}

int64_t call_self(const struct call_times *times, uint32_t span)
{
	const struct profile *profile = times->profile;
	int64_t self = profile->span_dur[span];
	uint32_t end = span + profile->span_size[span];
	for (uint32_t child = span + 1; child < end; child += profile->span_size[child])
		self -= profile->span_dur[child];
	return positive(self);
}
