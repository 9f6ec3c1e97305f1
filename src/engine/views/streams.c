/*
 * The streams view: utilization of device streams and host threads.
 */
#include "derived/intervals.h"
#include "analysis/samples.h"
#include "model/python_stats.h"
#include "model/threads.h"
#include "views/views.h"

/* Work of a lane: no instants, and no labels or steps of a device, which only frame its work. */
static bool is_span_work(const struct profile *profile, const struct track *track, uint32_t span)
{
	uint8_t kind = profile->span_kind[span];
	bool frames =
		kind == SPAN_GPU_ANNOTATION || (track->device >= 0 && kind == SPAN_ANNOTATION);
	return !frames && kind != SPAN_INSTANT;
}

static void add_busy(struct intervals *busy, int64_t start, int64_t dur, int64_t from, int64_t to)
{
	int64_t end = start + dur;
	intervals_add(busy, start < from ? from : start, end > to ? to : end);
}

static const char stage[] = "measuring lanes";

/* Busy intervals and number of events of a lane, without waits and marks. False: cancelled. */
static bool streams_collect(const struct selection *selection, const struct track *track,
			    int64_t from, int64_t to, struct intervals *busy, uint64_t *events,
			    const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	*events = 0;
	bool ok = true;
	for_rows (ok, i, track->activities, progress, stage) {
		uint32_t row = track->first_activity + i;
		if (!selection_has_activity(selection, row) || !profile_is_work(profile, row))
			continue;
		++*events;
		add_busy(busy, profile->activity_start[row], profile->activity_dur[row], from, to);
	}
	for_rows (ok, i, track->spans, progress, stage) {
		uint32_t row = track->first_span + i;
		if (!selection_has_span(selection, row) || !is_span_work(profile, track, row))
			continue;
		++*events;
		add_busy(busy, profile->span_start[row], profile->span_dur[row], from, to);
	}
	return ok;
}

/* Scheduling and samples of a thread; false if there are none. */
static bool add_thread(struct table *table, size_t row, const struct selection *selection,
		       uint32_t track, int64_t from, int64_t to)
{
	const struct profile *profile = selection->profile;
	size_t runs, samples;
	const struct thread_run *run = thread_runs(profile, track, &runs);
	const struct stack_sample *sample = thread_samples(profile, track, &samples);
	int64_t switches = 0, preempted = 0, looked = 0;
	for (size_t i = 0; i < runs; i++) {
		int64_t end = run[i].start + run[i].dur;
		switches += run[i].start >= from && run[i].start < to;
		preempted += run[i].left == THREAD_RUNNABLE && end >= from && end < to;
	}
	for (size_t i = 0; i < samples; i++)
		looked += sample_is_selected(selection, &sample[i]);
	int64_t weighted = python_track_samples(profile->python, track);
	looked += weighted;
	if (row == SIZE_MAX)
		return switches || looked;
	if (runs) {
		int64_t on_cpu = thread_on_cpu(profile, track, from, to);
		table_set(table, row, "on_cpu_ns", value_int(on_cpu));
		table_set(table, row, "on_cpu_pct", cell_share(on_cpu, to - from));
		table_set(table, row, "switches", value_int(switches));
		table_set(table, row, "preempted", value_int(preempted));
	}
	if (samples || weighted)
		table_set(table, row, "samples", value_int(looked));
	return true;
}

static bool streams_add_track(struct table *table, const struct selection *selection,
			      uint32_t index, int64_t from, int64_t to,
			      const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	const struct track *track = &profile->tracks[index];
	AUTO_INTERVALS struct intervals busy = { 0 };
	uint64_t events;
	bool ok = streams_collect(selection, track, from, to, &busy, &events, progress);
	bool host = ok && samples_lane_is_selected(selection, index);
	if ((ok && events) || (host && add_thread(table, SIZE_MAX, selection, index, from, to))) {
		intervals_merge(&busy);
		int64_t ns = intervals_length(&busy);
		size_t row = table_add_row(table, (struct ref){ REF_TRACK, index, 0, 0 });
		table_set(table, row, "track", cell_track(table, profile, index));
		table_set(table, row, "device", cell_device(table, track->device));
		if (events) { /* else it was only sampled or switched */
			table_set(table, row, "events", value_int((int64_t)events));
			table_set(table, row, "busy_ns", value_int(ns));
			table_set(table, row, "idle_ns", value_int(to - from - ns));
			table_set(table, row, "util_pct", cell_share(ns, to - from));
		}
		if (host)
			add_thread(table, row, selection, index, from, to);
	}
	return ok;
}

bool build_streams(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	int64_t from = 0, to = selection->profile->end_ns;
	if (query->scope->has_steps || query->scope->has_time) {
		from = selection->window_start;
		to = selection->window_end > from ? selection->window_end : from;
	}
	for (uint32_t i = 0; i < selection->profile->track_count; i++)
		if (!streams_add_track(table, selection, i, from, to, query->progress))
			return false;
	return table_note_none(table, "No events on any thread or stream.");
}
