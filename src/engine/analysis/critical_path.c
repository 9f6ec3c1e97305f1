/*
 * Walks the critical path backwards (see critical_path.h).
 *
 * The position is the end of device work (walk_device) or a time on a thread (walk_host). A move
 * adds the segment that it passes, or switches to other work or another thread at the same time.
 * The ends of all work are sorted once; ends and spans are looked for near those found before.
 * Inconsistent times could send the walk in circles: switches without progress are limited.
 */
#include "analysis/critical_path.h"

#include "analysis/stream_waits.h"
#include "analysis/work_window.h"
#include "derived/derived.h"
#include "derived/selection.h"
#include "base/check.h"
#include "base/radix.h"
#include "base/binary_search.h"
#include "model/recording.h"
#include "text_tables.h"

/*
 * Device work that starts within this many ns after other work ended is assumed to have waited for
 * it.
 */
enum { STREAM_SLACK = 10000 };

/* Work that starts within this many ns after earlier work on its stream waited for nothing else. */
enum { STREAM_LATENCY = 3000 };

static const char stage[] = "finding the critical path";

/*
 * Switches between tracks at one instant: after SWITCHES_MAX the walk stays on the host if
 * possible; at CYCLE_SWITCHES it is in a cycle.
 */
enum { SWITCHES_MAX = 8, CYCLE_SWITCHES = 10000 };

static const char *const kind_names[PATH_KINDS] = { PATH_KIND_ROWS };

const char *path_kind_name(enum path_kind kind)
{
	require(kind < PATH_KINDS, "kind %d", (int)kind);
	return kind_names[kind];
}

const char *path_why_text(enum path_why why)
{
	static const char *const texts[] = { PATH_WHY_ROWS };
	return texts[why];
}

struct critical_path_walk {
	const struct selection *selection;
	const struct profile *profile;
	const struct derived *derived;
	int64_t from;      /* start of the window */
	int64_t *end_time; /* of device work, ascending */
	uint32_t *end_activity;
	size_t end_count;
	size_t end_near;     /* the number of ends counted last: the next is near it */
	uint32_t *span_near; /* by track: likewise, the spans that began */
	struct stream_waits waits;
	uint32_t *threads; /* tracks the path may switch to */
	size_t thread_count;

	/* current position: the end of ACTIVITY, or TIME on thread TRACK */
	int64_t time;
	uint32_t activity, track;
	enum path_why why;
	int switches;
	int stuck; /* moves without progress: inconsistent times of a damaged profile */

	struct path_segment segment; /* the one found last, to be handed on */
	int64_t segment_end;
	bool any_segment;
	struct critical_path *path;
	size_t capacity;
};

static bool is_work(const struct critical_path_walk *walk, uint32_t activity)
{
	return walk->profile->activity_kind[activity] != ACTIVITY_SYNC &&
	       selection_has_activity(walk->selection, activity);
}

/* ---- the path ---- */

enum { FURTHER_MAX = (1 << 26) - 1 };

_Static_assert(PATH_KINDS <= 8 && PATH_WHY_UNKNOWN < 8, "kinds and reasons have three bits");

/* Keep the segment before those there are. */
static void hand_on(struct critical_path_walk *walk)
{
	const struct path_segment *segment = &walk->segment;
	struct critical_path *path = walk->path;
	if (!walk->any_segment)
		return;
	path->end = path->count ? path->end : walk->segment_end;
	uint64_t before = (uint64_t)path->end - (uint64_t)segment->start;
	*mem_push(path->items, path->count, walk->capacity) =
		(struct path_item){ .row = segment->row,
				    .before = (uint32_t)before,
				    .further = before >> 32 & FURTHER_MAX,
				    .kind = segment->kind,
				    .why = segment->why };
}

/* Add the segment of ROW from START to the current position, and move to START. */
static void critical_path_add(struct critical_path_walk *walk, enum path_kind kind, int64_t start,
			      uint32_t row)
{
	struct path_segment *next = &walk->segment;
	if (start < walk->from)
		start = walk->from;
	if (start >= walk->time) {
		walk->stuck++;
		return;
	}
	if (walk->any_segment && next->kind == kind && next->row == row) {
		next->start = start;
	} else {
		hand_on(walk);
		*next = (struct path_segment){ start, row, (uint8_t)kind, (uint8_t)walk->why };
		walk->segment_end = walk->time;
		walk->any_segment = true;
	}
	walk->time = start;
	walk->switches = 0;
	walk->stuck = 0;
}

static void switch_to_activity(struct critical_path_walk *walk, uint32_t activity,
			       enum path_why why)
{
	walk->activity = activity;
	walk->why = why;
	walk->switches++;
}

static void switch_to_thread(struct critical_path_walk *walk, uint32_t track, enum path_why why)
{
	walk->activity = NO_ROW;
	walk->track = track;
	walk->why = why;
	walk->switches++;
}

/* ---- device ---- */

/* Number of ends at or before TIME. */
static size_t ends_until(struct critical_path_walk *walk, int64_t time)
{
	struct ascending ends = ASCENDING_ARRAY(walk->end_time, walk->end_count);
	return walk->end_near = search_near(ends, time + 1, walk->end_near);
}

/* The preceding work on the same stream if it ended in (AFTER, start]; or NO_ROW. */
static uint32_t preceding_on_stream(const struct critical_path_walk *walk, uint32_t activity,
				    int64_t after)
{
	const struct profile *profile = walk->profile;
	const struct track *lane = &profile->tracks[profile->activity_track[activity]];
	for (uint32_t i = activity; i-- > lane->first_activity;) {
		if (!is_work(walk, i))
			continue;
		int64_t end = profile_activity_end(profile, i);
		return end > after && end <= profile->activity_start[activity] ? i : NO_ROW;
	}
	return NO_ROW;
}

/* Work of another stream of the device that ended after AFTER and within the slack before. */
static uint32_t waited_for(struct critical_path_walk *walk, uint32_t activity, int64_t after)
{
	const struct profile *profile = walk->profile;
	int64_t start = profile->activity_start[activity];
	uint32_t track = profile->activity_track[activity];
	if (after < start - STREAM_SLACK)
		after = start - STREAM_SLACK;
	for (size_t i = ends_until(walk, start); i-- && walk->end_time[i] > after;) {
		uint32_t other = walk->end_activity[i];
		if (profile->activity_track[other] != track &&
		    profile->activity_start[other] < start &&
		    profile_activity_device(profile, other) ==
			    profile_activity_device(profile, activity))
			return other;
	}
	return NO_ROW;
}

/*
 * The work of another stream that ACTIVITY waited for, rather than for SAME on its own: by a
 * recorded event, else by time.
 */
static uint32_t waited_on_stream(struct critical_path_walk *walk, uint32_t activity, uint32_t same,
				 int64_t launched)
{
	const struct profile *profile = walk->profile;
	int64_t start = profile->activity_start[activity];
	int64_t after = same == NO_ROW ? launched : profile_activity_end(profile, same);
	uint32_t recorded = stream_waits_of(&walk->waits, profile, activity);
	if (recorded != NO_ROW && profile_activity_end(profile, recorded) > after &&
	    is_work(walk, recorded))
		return recorded;
	bool at_once = same != NO_ROW && start - after <= STREAM_LATENCY;
	return at_once || stream_waits_recorded(&walk->waits, profile->activity_track[activity])
		       ? NO_ROW
		       : waited_for(walk, activity, after);
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
	int64_t launched = launch == NO_ROW ? profile->activity_start[activity] - STREAM_SLACK - 1
					    : profile->span_start[launch];
	critical_path_add(walk, critical_path_kind_of(walk, activity),
			  profile->activity_start[activity], activity);
	uint32_t same = preceding_on_stream(walk, activity, launched);
	uint32_t other = waited_on_stream(walk, activity, same, launched);
	uint32_t before = other == NO_ROW ? same : other;
	enum path_why why = other == NO_ROW ? PATH_WHY_STREAM : PATH_WHY_OTHER_STREAM;
	if (before != NO_ROW) {
		walk->why = why;
		critical_path_add(walk, PATH_QUEUE, profile_activity_end(profile, before),
				  activity);
		switch_to_activity(walk, before, why);
	} else if (launch != NO_ROW) {
		walk->why = PATH_WHY_LAUNCHED;
		critical_path_add(walk, PATH_LAUNCH, launched, launch);
		switch_to_thread(walk, profile->span_track[launch], PATH_WHY_THREAD);
	} else {
		switch_to_thread(walk, walk->track, PATH_WHY_UNKNOWN);
	}
}

/* ---- host ---- */

/* State of a thread just before a time. */
struct critical_path_moment {
	uint32_t span; /* innermost; NO_ROW: none */
	int64_t since; /* when it became the innermost */
};

static bool is_doing(const struct profile *profile, uint32_t span)
{
	return profile->span_kind[span] != SPAN_GPU_ANNOTATION &&
	       profile->span_kind[span] != SPAN_INSTANT;
}

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
		if (change > moment.since)
			moment.since = change;
		if (end >= time && is_doing(profile, span)) {
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

/* The device work whose end a call apparently waited for, or NO_ROW. */
static uint32_t released_by(struct critical_path_walk *walk, uint32_t call)
{
	const struct profile *profile = walk->profile;
	if (profile->span_kind[call] != SPAN_RUNTIME)
		return NO_ROW;
	bool recorded, blocks = walk->derived->role[profile->span_name[call]] & NAME_BLOCKING;
	uint32_t awaited = stream_waits_of_host(&walk->waits, profile, call, &recorded);
	if (recorded)
		return awaited != NO_ROW && is_work(walk, awaited) &&
				       profile_activity_end(profile, awaited) <= walk->time
			       ? awaited
			       : NO_ROW;
	int64_t start = profile->span_start[call], end = profile_span_end(profile, call);
	size_t count = ends_until(walk, walk->time < end ? walk->time : end);
	if (!count || walk->end_time[count - 1] <= start)
		return NO_ROW;
	uint32_t activity = walk->end_activity[count - 1];
	bool own_copy = profile->activity_launch[activity] == call &&
			profile->activity_kind[activity] == ACTIVITY_MEMCPY;
	return blocks || own_copy ? activity : NO_ROW;
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
		if (moment.since > others.latest)
			others.latest = moment.since;
	}
	return others;
}

/* No activity recorded: move back to the latest. */
static void walk_idle(struct critical_path_walk *walk, int64_t latest)
{
	size_t count = ends_until(walk, walk->time - 1);
	uint32_t before = count ? walk->end_activity[count - 1] : NO_ROW;
	walk->why = PATH_WHY_UNKNOWN;
	if (latest >= walk->time) /* only in a damaged profile */
		latest = walk->from;
	if (before != NO_ROW && walk->end_time[count - 1] >= latest) {
		critical_path_add(walk, PATH_IDLE, walk->end_time[count - 1], NO_ROW);
		switch_to_activity(walk, before, PATH_WHY_UNKNOWN);
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
		switch_to_thread(walk, to, PATH_WHY_OTHER_THREAD);
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
		switch_to_activity(walk, released, PATH_WHY_BLOCKED);
	} else if (is_busy(walk->derived, moment.span)) {
		critical_path_add(walk, PATH_HOST, moment.since,
				  outermost_operator(walk->derived, moment.span));
		walk->why = PATH_WHY_THREAD;
	} else {
		walk_waiting(walk, &moment);
	}
}

/* ---- the walk ---- */

/* By time, then row. */
static bool collect_ends(struct critical_path_walk *walk, const struct progress *progress)
{
	const struct profile *profile = walk->profile;
	struct keys ends = keys_new((size_t)profile->activities + 1);
	bool ok = true;
	for (uint32_t i = 0; i < profile->activities && ok; i++) {
		ok = progress_row(progress, stage, i, profile->activities);
		if (is_work(walk, i))
			keys_add(&ends, key_of_int(profile_activity_end(profile, i)), i);
	}
	ok = ok && radix_sort(&ends, progress);
	walk->end_count = ends.count;
	walk->end_activity = ends.place;
	walk->end_time = (int64_t *)ends.key; /* in place: keys are as wide as times */
	for (size_t i = 0; i < ends.count; i++)
		walk->end_time[i] = int_of_key(ends.key[i]);
	return ok;
}

/* The threads that launch work, or without launches those with operators; busiest first. */
static bool collect_threads(struct critical_path_walk *walk, const struct progress *progress)
{
	const struct profile *profile = walk->profile;
	AUTO_FREE uint32_t *launches = mem_zalloc(profile->track_count + 1, sizeof *launches);
	bool any = false, ok = true;
	for (uint32_t i = 0; i < profile->activities && ok; i++) {
		ok = progress_row(progress, stage, i, profile->activities);
		if (profile->activity_launch[i] != NO_ROW && is_work(walk, i)) {
			launches[profile->span_track[profile->activity_launch[i]]]++;
			any = true;
		}
	}
	for (uint32_t i = 0; !any && i < profile->spans && ok; i++) {
		ok = progress_row(progress, stage, i, profile->spans);
		launches[profile->span_track[i]] += profile->span_kind[i] == SPAN_OPERATOR &&
						    selection_has_span(walk->selection, i);
	}
	walk->threads = mem_alloc((profile->track_count + 1) * sizeof *walk->threads);
	walk->span_near = mem_zalloc(profile->track_count + 1, sizeof *walk->span_near);
	for (uint32_t i = 0; i < profile->track_count; i++)
		if (launches[i]) {
			size_t at = walk->thread_count++;
			for (; at && launches[walk->threads[at - 1]] < launches[i]; at--)
				walk->threads[at] = walk->threads[at - 1];
			walk->threads[at] = i;
		}
	return ok;
}

/* Start at device work that spans the end, else on the busiest thread. */
static void start_walk(struct critical_path_walk *walk, int64_t to)
{
	size_t count = ends_until(walk, to - 1);
	walk->time = to;
	walk->track = walk->thread_count ? walk->threads[0] : NO_ROW;
	for (size_t i = count; i < walk->end_count; i++)
		if (walk->profile->activity_start[walk->end_activity[i]] < to) {
			switch_to_activity(walk, walk->end_activity[i], PATH_WHY_LAST);
			return;
		}
	walk->activity = NO_ROW;
	walk->why = PATH_WHY_LAST;
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
	struct work_window window;
	*to = walk->profile->end_ns;
	if (scope->has_steps || scope->has_time) {
		walk->from = walk->selection->window_start;
		*to = walk->selection->window_end;
		return true;
	}
	if (profile_recording(walk->profile)->user_window)
		return true;
	if (!work_window(&window, walk->derived, scope, ANY_DEVICE, progress))
		return false;
	if (window.start < window.end) {
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
	bool ok = find_window(&walk, &to, progress) &&
		  stream_waits_find(&walk.waits, walk.profile, progress) &&
		  collect_ends(&walk, progress) && collect_threads(&walk, progress);
	if (ok) {
		start_walk(&walk, to);
		ok = walk_back(&walk, progress);
		hand_on(&walk);
	}
	stream_waits_free(&walk.waits);
	mem_free_all(walk.end_time, walk.end_activity, walk.threads, walk.span_near);
	if (!ok)
		critical_path_free(path);
	return ok;
}

void critical_path_free(struct critical_path *path)
{
	mem_free(path->items);
	*path = (struct critical_path){ 0 };
}
