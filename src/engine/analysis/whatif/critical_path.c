/*
 * Walks the critical path backwards (see critical_path.h).
 *
 * The position is the end of device work (walk_device) or a time on a thread (walk_host). A move
 * adds the segment that it passes, or switches to other work or another thread at the same time.
 * What work and blocking calls waited for is read from the graph of what-if; what a thread did, and
 * which other one worked while it waited, from the spans. Spans are looked for near those found
 * before. Inconsistent times could send the walk in circles: switches without progress are limited.
 */
#include "analysis/whatif/critical_path.h"

#include "analysis/whatif/whatif_replay.h"
#include "analysis/work_window.h"
#include "derived/selection.h"
#include "model/recording.h"

static const char stage[] = "finding the critical path";

/*
 * Switches between tracks at one instant: after SWITCHES_MAX the walk stays on the host if
 * possible; at CYCLE_SWITCHES it is in a cycle.
 */
enum { SWITCHES_MAX = 8, CYCLE_SWITCHES = 10000 };

LISTED_NAMES(path_kind_name, enum path_kind, PATH_KIND_ROWS)
LISTED_NAMES(path_why_text, enum path_why, PATH_WHY_ROWS)

struct critical_path_walk {
	const struct selection *selection;
	const struct profile *profile;
	const struct derived *derived;
	int64_t from; /* start of the window */
	struct whatif_graph *graph;
	struct whatif_sources origins; /* what each waited for last */
	uint32_t *point;               /* by activity, NO_ROW */
	uint32_t *awaited;             /* by span: the work that a call waited for, NO_ROW */
	uint32_t *span_near; /* by track: the spans that began before the last time looked for… */
	uint32_t *ended_near; /* …and the first activity that ended after it: times only fall */
	uint32_t *threads;    /* tracks the path may switch to */
	size_t thread_count;

	/* current position: the end of ACTIVITY, or TIME on thread TRACK */
	int64_t time;
	uint32_t activity, track;
	enum path_why why;
	int switches;
	int stuck; /* moves without progress: inconsistent times of a damaged profile */

	struct critical_path *path;
};

static bool is_work(const struct critical_path_walk *walk, uint32_t activity)
{
	return walk->profile->activity_kind[activity] != ACTIVITY_SYNC &&
	       selection_has_activity(walk->selection, activity);
}

/* ---- the path ---- */

/* Add the segment of ROW from START to the current position, and move to START. */
static void critical_path_add(struct critical_path_walk *walk, enum path_kind kind, int64_t start,
			      uint32_t row)
{
	struct critical_path *path = walk->path;
	struct path_segment *next = path->count ? &path->segments[path->count - 1] : NULL;
	raise_to(start, walk->from);
	if (start >= walk->time) {
		walk->stuck++;
		return;
	}
	if (next && next->kind == kind && next->row == row)
		next->start = start;
	else
		*mem_push(path->segments, path->count) =
			(struct path_segment){ start, row, (uint8_t)kind, (uint8_t)walk->why };
	walk->time = start;
	walk->switches = 0;
	walk->stuck = 0;
}

/* To the end of ACTIVITY, or with NO_ROW to the thread TRACK. */
static void critical_path_switch(struct critical_path_walk *walk, uint32_t activity, uint32_t track,
				 enum path_why why)
{
	walk->activity = activity;
	walk->track = track;
	walk->why = why;
	walk->switches++;
}

/* ---- device ---- */

static bool is_point_of_work(const struct critical_path_walk *walk, uint32_t point)
{
	return point != NO_ROW && (walk->graph->kind[point] & POINT_KIND) == POINT_WORK;
}

/* The work that ACTIVITY waited for last, past what is not in scope; NO_ROW: its launch, nothing.
 */
static uint32_t work_before(const struct critical_path_walk *walk, uint32_t activity)
{
	uint32_t point = walk->point[activity];
	do
		point = point == NO_ROW ? NO_ROW : whatif_source_of(&walk->origins, point);
	while (is_point_of_work(walk, point) && !is_work(walk, walk->graph->row[point]));
	return is_point_of_work(walk, point) ? walk->graph->row[point] : NO_ROW;
}

static enum path_kind critical_path_kind_of(const struct critical_path_walk *walk,
					    uint32_t activity)
{
	if (derived_is_communication(walk->derived, activity))
		return PATH_COMMUNICATION;
	return walk->profile->activity_kind[activity] == ACTIVITY_KERNEL ? PATH_COMPUTE : PATH_COPY;
}

/* From the end of an activity, move to its start and on to what it waited for. */
static void walk_device(struct critical_path_walk *walk)
{
	const struct profile *profile = walk->profile;
	uint32_t activity = walk->activity, launch = profile->activity_launch[activity];
	critical_path_add(walk, critical_path_kind_of(walk, activity),
			  profile->activity_start[activity], activity);
	uint32_t before = work_before(walk, activity);
	if (before != NO_ROW) {
		bool same = profile->activity_track[before] == profile->activity_track[activity];
		walk->why = same ? PATH_WHY_STREAM : PATH_WHY_OTHER_STREAM;
		critical_path_add(walk, PATH_QUEUE, profile_activity_end(profile, before),
				  activity);
		critical_path_switch(walk, before, walk->track, walk->why);
	} else if (launch != NO_ROW) {
		walk->why = PATH_WHY_LAUNCHED;
		critical_path_add(walk, PATH_LAUNCH, profile->span_start[launch], launch);
		critical_path_switch(walk, NO_ROW, profile->span_track[launch], PATH_WHY_THREAD);
	} else {
		critical_path_switch(walk, NO_ROW, walk->track, PATH_WHY_UNKNOWN);
	}
}

/* ---- host ---- */

/* State of a thread just before a time. */
struct critical_path_moment {
	uint32_t span; /* innermost; NO_ROW: none */
	int64_t since; /* when it became the innermost */
};

static struct critical_path_moment moment_before(struct critical_path_walk *walk, uint32_t track,
						 int64_t time)
{
	const struct profile *profile = walk->profile;
	const struct track *lane = &profile->tracks[track];
	struct ascending starts =
		ASCENDING_ARRAY(profile->span_start + lane->first_span, lane->spans);
	uint32_t begun = (uint32_t)search_near(starts, time, walk->span_near[track]);
	walk->span_near[track] = begun;
	struct critical_path_moment moment = { NO_ROW, INT64_MIN };
	uint32_t span = begun ? lane->first_span + begun - 1 : NO_ROW;
	for (; span != NO_ROW; span = profile->span_parent[span]) {
		int64_t start = profile->span_start[span], end = profile_span_end(profile, span);
		int64_t change = end < time ? end : start; /* of points, too: see what is before */
		raise_to(moment.since, change);
		if (end >= time && profile->span_kind[span] != SPAN_GPU_ANNOTATION &&
		    profile->span_kind[span] != SPAN_INSTANT) {
			moment.span = span;
			return moment;
		}
	}
	return moment;
}

/* Old traces also record steps and the like as operators. */
static bool is_operator(const struct derived *derived, uint32_t span)
{
	const struct profile *profile = derived->profile;
	return profile->span_kind[span] == SPAN_OPERATOR &&
	       !(derived->role[profile->span_name[span]] &
		 (NAME_STEP | NAME_DATALOADER | NAME_OPTIMIZER));
}

/* Is the thread working in this span, rather than merely inside it? */
static bool is_busy(const struct derived *derived, uint32_t span)
{
	return span != NO_ROW &&
	       (is_operator(derived, span) || derived->profile->span_kind[span] == SPAN_RUNTIME ||
		derived->profile->span_kind[span] == SPAN_OVERHEAD);
}

/* The outermost operator around a span, or the span itself. */
static uint32_t outermost_operator(const struct derived *derived, uint32_t span)
{
	uint32_t outermost = span;
	for (uint32_t i = span; i != NO_ROW; i = derived->profile->span_parent[i])
		if (is_operator(derived, i))
			outermost = i;
	return outermost;
}

/* The work that ended last before the current time; NO_ROW. */
static uint32_t ended_before(struct critical_path_walk *walk)
{
	const struct profile *profile = walk->profile;
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; i < profile->track_count; i++) {
		uint32_t first = profile->tracks[i].first_activity, *near = &walk->ended_near[i];
		while (*near > first && (!is_work(walk, *near - 1) ||
					 profile_activity_end(profile, *near - 1) >= walk->time))
			--*near;
		if (*near > first &&
		    (best == NO_ROW || profile_activity_end(profile, *near - 1) >
					       profile_activity_end(profile, best)))
			best = *near - 1;
	}
	return best;
}

/* The device work that a call waited for at the current time, or NO_ROW. */
static uint32_t released_by(struct critical_path_walk *walk, uint32_t span)
{
	const struct profile *profile = walk->profile;
	if (profile->span_kind[span] != SPAN_RUNTIME)
		return NO_ROW;
	uint32_t call = whatif_call_around(walk->graph, span), work = walk->awaited[call];
	/* a launch that takes long loads its kernel, rather than waiting for it */
	if (work == NO_ROW ||
	    (profile->activity_launch[work] == call &&
	     profile->activity_kind[work] == ACTIVITY_KERNEL && !walk->graph->launches_block))
		return NO_ROW;
	if (is_work(walk, work) && profile->activity_start[work] < walk->time)
		return work;
	/* in the middle of the call: what it would have waited for if it had ended here */
	work = ended_before(walk);
	return work != NO_ROW && profile_activity_end(profile, work) > profile->span_start[call]
		       ? work
		       : NO_ROW;
}

/* State of the other threads just before the current time. */
struct critical_path_others {
	uint32_t busy, somewhere; /* a working thread; one inside any span; NO_ROW */
	int64_t latest;           /* last state change of any of them */
};

static struct critical_path_others inspect_others(struct critical_path_walk *walk)
{
	struct critical_path_others others = { NO_ROW, NO_ROW, INT64_MIN };
	for (size_t i = 0; i < walk->thread_count; i++) {
		uint32_t track = walk->threads[i];
		if (track == walk->track)
			continue;
		struct critical_path_moment moment = moment_before(walk, track, walk->time);
		if (others.busy == NO_ROW && is_busy(walk->derived, moment.span))
			others.busy = track;
		if (others.somewhere == NO_ROW && moment.span != NO_ROW)
			others.somewhere = track;
		raise_to(others.latest, moment.since);
	}
	return others;
}

/* No activity recorded: move back to the latest. */
static void walk_idle(struct critical_path_walk *walk, int64_t latest)
{
	uint32_t before = ended_before(walk);
	int64_t end = before == NO_ROW ? INT64_MIN : profile_activity_end(walk->profile, before);
	walk->why = PATH_WHY_UNKNOWN;
	if (latest >= walk->time) /* only in a damaged profile */
		latest = walk->from;
	if (before != NO_ROW && end >= latest) {
		critical_path_add(walk, PATH_IDLE, end, NO_ROW);
		critical_path_switch(walk, before, walk->track, PATH_WHY_UNKNOWN);
	} else {
		critical_path_add(walk, PATH_IDLE, latest, NO_ROW);
	}
}

/* From a time at which the thread was not working. */
static void walk_waiting(struct critical_path_walk *walk, const struct critical_path_moment *moment)
{
	struct critical_path_others others = inspect_others(walk);
	int64_t latest = moment->since > others.latest ? moment->since : others.latest;
	uint32_t to = others.busy != NO_ROW    ? others.busy
		      : moment->span == NO_ROW ? others.somewhere
					       : NO_ROW;
	if (to != NO_ROW && walk->switches < SWITCHES_MAX) {
		critical_path_switch(walk, NO_ROW, to, PATH_WHY_OTHER_THREAD);
	} else if (moment->span == NO_ROW) {
		walk_idle(walk, latest);
	} else {
		critical_path_add(walk, PATH_HOST, latest, moment->span);
		walk->why = PATH_WHY_THREAD;
	}
}

/* From a time on a thread, move back to the start of what it was doing. */
static void walk_host(struct critical_path_walk *walk)
{
	const struct profile *profile = walk->profile;
	struct critical_path_moment moment = moment_before(walk, walk->track, walk->time);
	uint32_t released = moment.span == NO_ROW ? NO_ROW : released_by(walk, moment.span);
	if (released != NO_ROW && walk->switches < SWITCHES_MAX) {
		critical_path_add(walk, PATH_SYNC, profile_activity_end(profile, released),
				  moment.span);
		critical_path_switch(walk, released, walk->track, PATH_WHY_BLOCKED);
	} else if (is_busy(walk->derived, moment.span)) {
		critical_path_add(walk, PATH_HOST, moment.since,
				  outermost_operator(walk->derived, moment.span));
		walk->why = PATH_WHY_THREAD;
	} else {
		walk_waiting(walk, &moment);
	}
}

/* ---- the walk ---- */

/* The points of rows, and what each waited for. */
static bool read_graph(struct critical_path_walk *walk, const struct progress *progress)
{
	const struct profile *profile = walk->profile;
	struct whatif_graph *graph = whatif_graph_make(walk->derived, NULL, 0, progress);
	walk->graph = graph;
	bool ok = graph && whatif_find_origins(&walk->origins, graph, progress);
	walk->point = mem_no_rows(profile->activities);
	walk->awaited = mem_no_rows(profile->spans);
	for (uint32_t i = 0; ok && i < graph->count; i++) {
		bool end = (graph->kind[i] & POINT_KIND) == POINT_END;
		uint32_t source = end ? whatif_source_of(&walk->origins, i) : NO_ROW;
		if (is_point_of_work(walk, i))
			walk->point[graph->row[i]] = i;
		else if (is_point_of_work(walk, source))
			walk->awaited[graph->row[i]] = graph->row[source];
	}
	return ok;
}

/* The threads that launch work, or without launches those with operators; busiest first. */
static bool collect_threads(struct critical_path_walk *walk, const struct progress *progress)
{
	const struct profile *profile = walk->profile;
	AUTO_FREE uint32_t *launches = mem_zalloc(profile->track_count + 1, sizeof *launches);
	bool any = false, ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (profile->activity_launch[i] != NO_ROW && is_work(walk, i)) {
			launches[profile->span_track[profile->activity_launch[i]]]++;
			any = true;
		}
	for (uint32_t i = 0; !any && i < profile->spans && ok; i++) {
		ok = progress_row(progress, stage, i, profile->spans);
		launches[profile->span_track[i]] += profile->span_kind[i] == SPAN_OPERATOR &&
						    selection_has_span(walk->selection, i);
	}
	walk->threads = mem_alloc((profile->track_count + 1) * sizeof *walk->threads);
	walk->span_near = mem_zalloc(profile->track_count + 1, sizeof *walk->span_near);
	walk->ended_near = mem_zalloc(profile->track_count + 1, sizeof *walk->ended_near);
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (launches[i]) {
			size_t at = walk->thread_count++;
			for (; at && launches[walk->threads[at - 1]] < launches[i]; at--)
				walk->threads[at] = walk->threads[at - 1];
			walk->threads[at] = i;
		}
	return ok;
}

/* Start at device work that spans the end, of several what ends first; else on the busiest thread.
 */
static void start_walk(struct critical_path_walk *walk, int64_t to)
{
	const struct profile *profile = walk->profile;
	int64_t first_end = INT64_MAX;
	walk->time = to;
	walk->track = walk->thread_count ? walk->threads[0] : NO_ROW;
	walk->activity = NO_ROW;
	walk->why = PATH_WHY_LAST;
	for (uint32_t i = 0; i < profile->track_count; i++) {
		const struct track *lane = &profile->tracks[i];
		uint32_t at = lane->first_activity + lane->activities;
		walk->ended_near[i] = at;
		while (at > lane->first_activity &&
		       (!is_work(walk, at - 1) || profile->activity_start[at - 1] >= to))
			at--;
		int64_t end = at > lane->first_activity ? profile_activity_end(profile, at - 1)
							: INT64_MIN;
		if (end >= to && end < first_end) {
			first_end = end;
			walk->activity = at - 1;
		}
	}
}

/* False when cancelled. */
static bool walk_back(struct critical_path_walk *walk, const struct progress *progress)
{
	uint32_t moves = 0;
	while (walk->time > walk->from) {
		if (walk->switches > CYCLE_SWITCHES || walk->stuck > CYCLE_SWITCHES ||
		    (walk->activity == NO_ROW && walk->track == NO_ROW))
			walk_idle(walk, inspect_others(walk).latest);
		else if (walk->activity != NO_ROW)
			walk_device(walk);
		else
			walk_host(walk);
		if (!progress_heavy_row(progress, stage, ++moves, 0, 8))
			return false;
	}
	return true;
}

/*
 * The window of the scope; else of the capture if the program bounds it, or of the analysis,
 * without startup and teardown. False when cancelled.
 */
static bool find_window(struct critical_path_walk *walk, int64_t *to,
			const struct progress *progress)
{
	const struct scope *scope = walk->selection->scope;
	struct work_window window = { .start = walk->selection->window_start,
				      .end = walk->selection->window_end };
	bool chosen = scope->has_steps || scope->has_time;
	*to = walk->profile->end_ns;
	if (!chosen && profile_recording(walk->profile)->user_window)
		return true;
	if (!chosen && !work_window(&window, walk->derived, scope, ANY_DEVICE, progress))
		return false;
	if (chosen || window.start < window.end) {
		walk->from = window.start;
		*to = window.end;
	}
	return true;
}

bool critical_path_find(struct critical_path *path, const struct selection *selection,
			const struct progress *progress)
{
	struct critical_path_walk walk = { .selection = selection,
					   .profile = selection->profile,
					   .derived = selection->derived,
					   .path = path };
	int64_t to;
	*path = (struct critical_path){ 0 };
	bool ok = find_window(&walk, &to, progress) && read_graph(&walk, progress) &&
		  collect_threads(&walk, progress);
	if (ok) {
		path->end = to;
		start_walk(&walk, to);
		ok = walk_back(&walk, progress);
	}
	whatif_graph_free(walk.graph);
	mem_free_all(walk.origins.distance, walk.origins.far, walk.point, walk.awaited,
		     walk.threads, walk.span_near, walk.ended_near);
	if (!ok)
		critical_path_free(path);
	return ok;
}

void critical_path_free(struct critical_path *path)
{
	mem_free(path->segments);
	*path = (struct critical_path){ 0 };
}
