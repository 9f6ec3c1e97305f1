#include "analysis/call_times.h"

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
		       ? derived_work_row(selection->derived, activity)
		       : NO_ROW;
}

/* Counting sort of the work by its launcher. */
static bool sort_work(struct call_times *times, const struct selection *selection,
		      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	times->launchers = marks_new(profile->spans);
	times->activity = mem_alloc(((size_t)profile->activities + 1) * sizeof *times->activity);
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t span = launcher(selection, i);
		if (span != NO_ROW)
			marks_set(&times->launchers, span);
	}
	uint32_t count = marks_count(&times->launchers);
	uint32_t *first = times->first = mem_zalloc((size_t)count + 2, sizeof *first);
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t span = launcher(selection, i);
		if (span != NO_ROW)
			first[marks_before(&times->launchers, span) + 2]++;
	}
	for (uint32_t i = 2; i < count + 2; i++)
		first[i] += first[i - 1];
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t span = launcher(selection, i);
		if (span != NO_ROW)
			times->activity[first[marks_before(&times->launchers, span) + 1]++] = i;
	}
	return ok;
}

static bool sum_runtime(struct call_times *times, const struct progress *progress)
{
	const struct profile *profile = times->profile;
	times->calls = marks_new(profile->spans);
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage)
		if (is_outermost_runtime(profile, i))
			marks_set(&times->calls, i);
	size_t count = marks_count(&times->calls), at = 0;
	times->runtime = mem_zalloc(count + 1, sizeof *times->runtime);
	for_rows (ok, i, profile->spans, progress, stage) {
		if (!marks_has(&times->calls, i))
			continue;
		times->runtime[at + 1] = times->runtime[at] + profile->span_dur[i];
		at++;
	}
	return ok;
}

bool call_times_make(struct call_times *times, const struct selection *selection,
		     const struct progress *progress)
{
	*times = (struct call_times){ .profile = selection->profile };
	return sum_runtime(times, progress) && sort_work(times, selection, progress);
}

CLEAR_MEMBERS(call_times_free, struct call_times,
	      OWN_IN(marks_free, calls) OWN(runtime) OWN_IN(marks_free, launchers) OWN(first)
		      OWN(activity) OWN_IN(intervals_free, now))

/* A call may end after its parent: never below zero. */
static int64_t positive(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

int64_t call_overhead(const struct call_times *times, uint32_t span)
{
	uint32_t end = span + times->profile->span_size[span];
	return positive(times->profile->span_dur[span] -
			(times->runtime[marks_before(&times->calls, end)] -
			 times->runtime[marks_before(&times->calls, span)]));
}

int64_t call_idle(struct call_times *times, uint32_t span)
{
	const struct profile *profile = times->profile;
	uint32_t from = times->first[marks_before(&times->launchers, span)];
	uint32_t end = span + profile->span_size[span];
	uint32_t to = times->first[marks_before(&times->launchers, end)];
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
