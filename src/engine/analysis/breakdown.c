#include "analysis/breakdown.h"

#include "base/compare.h"
#include "base/merge_runs.h"
#include "base/sort.h"
#include "derived/selection.h"

static const char stage[] = "summing time";

LISTED_NAMES(time_class_column, enum time_class, TIME_CLASS_ROWS)

/* The class of a host span, or TIME_OTHER when it explains nothing. PYTHON: functions do. */
static enum time_class class_of_span(const struct derived *derived, uint32_t span, bool python)
{
	const struct profile *profile = derived->profile;
	uint16_t role = derived->role[profile->span_name[span]];
	switch (profile->span_kind[span]) {
	case SPAN_RUNTIME: return TIME_RUNTIME;
	case SPAN_OPERATOR:
	case SPAN_ANNOTATION:
		if (role & NAME_STEPS)
			return TIME_OTHER;
		if (role & NAME_DATALOADER)
			return TIME_DATALOADER;
		if (role & NAME_COMMUNICATION && !profile->activities)
			return TIME_COMMUNICATION;
		return TIME_CPU_EXEC;
	case SPAN_MODULE:
	case SPAN_PYTHON: return python ? TIME_CPU_EXEC : TIME_OTHER;
	default: return TIME_OTHER;
	}
}

static enum time_class class_of_activity(const struct derived *derived, uint32_t activity)
{
	switch (derived->profile->activity_kind[activity]) {
	case ACTIVITY_KERNEL:
		return derived_is_communication(derived, activity) ? TIME_COMMUNICATION
								   : TIME_KERNEL;
	case ACTIVITY_COLLECTIVE: return TIME_COMMUNICATION;
	case ACTIVITY_MEMCPY: return TIME_MEMCPY;
	case ACTIVITY_MEMSET: return TIME_MEMSET;
	default: return TIME_OTHER;
	}
}

/* ---- the sweep ---- */

struct breakdown_piece {
	int64_t start, end;
	uint32_t step;
};

/* All rows by start: at every instant, until when each class is active. */
struct sweep {
	const struct selection *selection;
	struct breakdown *result;
	struct breakdown_piece *steps; /* by start */
	size_t count, first;           /* those before the first have ended */
	int64_t at, until[TIME_OTHER];
};

/* The time from AT to END is of CLASS. */
static void breakdown_take(struct sweep *sweep, enum time_class of, int64_t end)
{
	int64_t start = sweep->at;
	while (sweep->first < sweep->count && sweep->steps[sweep->first].end <= start)
		sweep->first++;
	for (size_t i = sweep->first; i < sweep->count && sweep->steps[i].start < end; i++) {
		const struct breakdown_piece *step = &sweep->steps[i];
		int64_t from = step->start > start ? step->start : start;
		int64_t to = step->end < end ? step->end : end;
		if (from >= to)
			continue;
		sweep->result[step->step].ns[of] += to - from;
		sweep->result[step->step].ns[TIME_OTHER] -= to - from;
	}
}

/* Go on to TIME, until when no row starts. */
static void advance(struct sweep *sweep, int64_t time)
{
	while (sweep->at < time) {
		int of = 0;
		while (of < TIME_OTHER && sweep->until[of] <= sweep->at)
			of++;
		int64_t end = of == TIME_OTHER || sweep->until[of] > time ? time : sweep->until[of];
		if (of != TIME_OTHER)
			breakdown_take(sweep, (enum time_class)of, end);
		sweep->at = end;
	}
}

static void breakdown_add_row(struct sweep *sweep, enum time_class of, int64_t start, int64_t dur)
{
	if (of == TIME_OTHER || start + dur <= sweep->until[of])
		return;
	advance(sweep, start);
	sweep->until[of] = start + dur;
}

static bool breakdown_add_rows(struct sweep *sweep, struct merge_run *lanes, size_t count,
			       const struct progress *progress)
{
	const struct selection *selection = sweep->selection;
	const struct profile *profile = selection->profile;
	const struct derived *derived = selection->derived;
	bool python = !profile_all_spans(profile, SPAN_OPERATOR) &&
		      !profile_all_spans(profile, SPAN_ANNOTATION);
	uint64_t rows = 0;
	for (merge_begin(lanes, count); count; count = merge_next(lanes, count)) {
		uint32_t row = lanes->next;
		if (!progress_row(progress, stage, rows++, 0))
			return false;
		/* columns without rows may share an address */
		bool of_host = profile->spans && lanes->values == profile->span_start;
		if (of_host && selection_has_span(selection, row))
			breakdown_add_row(sweep, class_of_span(derived, row, python),
					  profile->span_start[row], profile->span_dur[row]);
		else if (!of_host && selection_has_activity(selection, row))
			breakdown_add_row(sweep, class_of_activity(derived, row),
					  profile->activity_start[row], profile->activity_dur[row]);
	}
	advance(sweep, INT64_MAX);
	return true;
}

COMPARE_MEMBERS(compare_pieces, struct breakdown_piece, UP(start))

/* The steps; each is other time until rows are known. */
static bool breakdown_begin(struct sweep *sweep, const struct progress *progress)
{
	const struct derived *derived = sweep->selection->derived;
	sweep->at = INT64_MIN;
	for (int of = 0; of < TIME_OTHER; of++)
		sweep->until[of] = INT64_MIN;
	for (uint32_t i = 0; i < derived->step_count; i++) {
		int64_t start = derived->steps[i].start, end = derived->steps[i].end;
		if (end <= start)
			continue;
		sweep->steps[sweep->count++] = (struct breakdown_piece){ start, end, i };
		sweep->result[i].ns[TIME_OTHER] = end - start;
	}
	return sort_runs(sweep->steps, sweep->count, sizeof *sweep->steps, compare_pieces,
			 progress);
}

struct breakdown *breakdown_of_steps(const struct selection *selection,
				     const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	uint32_t steps = selection->derived->step_count;
	AUTO_FREE struct merge_run *lanes =
		mem_alloc((2 * profile->track_count + 1) * sizeof *lanes);
	struct sweep sweep = {
		.selection = selection,
		.result = mem_zalloc(steps, sizeof *sweep.result),
		.steps = mem_alloc(((size_t)steps + 1) * sizeof *sweep.steps),
	};
	size_t count = 0;
	for_each (track, profile->tracks, profile->track_count) {
		uint32_t span = track->first_span, activity = track->first_activity;
		if (track->spans)
			lanes[count++] = (struct merge_run){ profile->span_start, span,
							     span + track->spans };
		if (track->activities)
			lanes[count++] = (struct merge_run){ profile->activity_start, activity,
							     activity + track->activities };
	}
	bool ok = breakdown_begin(&sweep, progress) &&
		  breakdown_add_rows(&sweep, lanes, count, progress);
	mem_free(sweep.steps);
	return mem_if(ok, sweep.result);
}
