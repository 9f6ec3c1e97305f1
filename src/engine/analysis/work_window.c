#include "analysis/work_window.h"

static const char stage[] = "finding the analysis window";

/* Device work; NO_VALUE: none. */
struct work_window_extent {
	int64_t start, end;
	int64_t linked;   /* start of the first activity with a recorded launch */
	uint32_t launch;  /* the first launch call; NO_ROW */
	int64_t launched; /* start of its first activity */
	uint64_t before;  /* activities that start before LINKED */
};

static bool is_of(const struct track *track, int32_t device)
{
	return track->activities && (device == ANY_DEVICE || track->device == device);
}

static bool find_extent(struct work_window_extent *extent, const struct profile *profile,
			int32_t device, const struct progress *progress)
{
	*extent = (struct work_window_extent){ NO_VALUE, NO_VALUE, NO_VALUE, NO_ROW, NO_VALUE, 0 };
	for_each (track, profile->tracks, profile->track_count) {
		uint32_t first = track->first_activity, count = track->activities;
		for (uint32_t i = first; is_of(track, device) && i < first + count; i++) {
			int64_t start = profile->activity_start[i];
			int64_t end = start + profile->activity_dur[i];
			uint32_t launch = profile->activity_launch[i];
			if (!progress_row(progress, stage, i, profile->activities))
				return false;
			if (profile->activity_kind[i] == ACTIVITY_SYNC)
				continue;
			if (extent->start == NO_VALUE || start < extent->start)
				extent->start = start;
			if (extent->end == NO_VALUE || end > extent->end)
				extent->end = end;
			if (launch == NO_ROW)
				continue;
			if (extent->linked == NO_VALUE || start < extent->linked)
				extent->linked = start;
			if (extent->launch == NO_ROW ||
			    profile->span_start[launch] < profile->span_start[extent->launch]) {
				extent->launch = launch;
				extent->launched = start;
			}
		}
	}
	return true;
}

/* Launched work of the window that starts before the first one with a recorded launch. */
static uint64_t count_head(const struct work_window *window, const struct derived *derived,
			   int32_t device, int64_t linked)
{
	const struct profile *profile = derived->profile;
	uint64_t count = 0;
	for_each (track, profile->tracks, profile->track_count) {
		uint32_t first = track->first_activity;
		for (uint32_t i = first; is_of(track, device) && i < first + track->activities;
		     i++) {
			if (profile->activity_start[i] >= linked)
				break;
			count += profile->activity_kind[i] != ACTIVITY_SYNC &&
				 !derived_is_migration(derived, i) &&
				 profile->activity_start[i] >= window->start;
		}
	}
	return count;
}

/*
 * The blocking call of the launching thread that ends last among those before its first launch;
 * or that launch itself, until its copy begins, if it waits longer than the host worked before. No
 * call waits beyond its end: clocks of queues that differ let the copy seem to begin later.
 */
static bool find_blocked(struct work_window *window, const struct derived *derived,
			 const struct work_window_extent *extent, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	uint32_t launch = extent->launch;
	int64_t launched = profile_span_end(profile, launch);
	const struct track *track = &profile->tracks[profile->span_track[launch]];
	for (uint32_t span = track->first_span; span < launch; span++) {
		int64_t end = profile_span_end(profile, span);
		if (!progress_row(progress, stage, span, launch))
			return false;
		if (profile->span_kind[span] == SPAN_RUNTIME && end > window->head_end &&
		    derived->role[profile->span_name[span]] & NAME_BLOCKING) {
			window->head_end = end;
			window->blocked = span;
		}
	}
	lower_to(launched, extent->launched);
	if (launched - profile->span_start[launch] > profile->span_start[launch] - window->start &&
	    launched > window->head_end &&
	    derived->role[profile->span_name[launch]] & NAME_BLOCKING) {
		window->head_end = launched;
		window->blocked = launch;
	}
	return true;
}

static bool find_head(struct work_window *window, const struct derived *derived, int32_t device,
		      const struct work_window_extent *extent, const struct progress *progress)
{
	window->head_end = window->start;
	if (extent->launch == NO_ROW || window->start == window->end)
		return true;
	if (extent->linked > window->start)
		window->unlinked = count_head(window, derived, device, extent->linked);
	if (window->unlinked)
		window->head_end = extent->linked;
	if (!find_blocked(window, derived, extent, progress))
		return false;
	lower_to(window->head_end, window->end);
	return true;
}

/* From the first to the last step in scope. */
static void steps_extent(struct work_window *window, const struct derived *derived,
			 const struct scope *scope)
{
	bool any = false;
	for_each (step, derived->steps, derived->step_count) {
		if (scope->has_steps &&
		    (step->number < scope->step_first || step->number > scope->step_last))
			continue;
		if (!any || step->start < window->start)
			window->start = step->start;
		if (!any || step->end > window->end)
			window->end = step->end;
		any = true;
	}
}

/* One iteration of a server repeats nothing: what comes before its work may be start-up. */
static bool steps_frame_work(const struct derived *derived)
{
	return derived->steps_from_profile &&
	       (derived->step_source != STEPS_SERVER || derived->step_count > 1);
}

/* The start of the data loader's call that the first work follows within its length; else START. */
static int64_t loader_before(const struct derived *derived, int64_t start)
{
	const struct profile *profile = derived->profile;
	int64_t from = start;
	for (uint32_t i = 0; i < profile->spans; i++)
		if (derived->role[profile->span_name[i]] & NAME_DATALOADER &&
		    profile_span_end(profile, i) <= start &&
		    start - profile_span_end(profile, i) < profile->span_dur[i])
			from = profile->span_start[i];
	return from;
}

bool work_window(struct work_window *window, const struct derived *derived,
		 const struct scope *scope, int32_t device, const struct progress *progress)
{
	struct work_window_extent extent;
	*window =
		(struct work_window){ .blocked = NO_ROW, .from_steps = steps_frame_work(derived) };
	if (!find_extent(&extent, derived->profile, device, progress))
		return false;
	if (extent.start == NO_VALUE)
		return true;
	window->start = loader_before(derived, extent.start);
	window->end = extent.end;
	if (window->from_steps)
		steps_extent(window, derived, scope);
	if (scope->has_time && scope->time_first > window->start)
		window->start = scope->time_first;
	if (scope->has_time && scope->time_last < window->end)
		window->end = scope->time_last;
	raise_to(window->end, window->start);
	return find_head(window, derived, device, &extent, progress);
}
