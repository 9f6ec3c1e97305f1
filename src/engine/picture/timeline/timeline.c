#include "base/compare.h"
#include "base/any_of.h"
#include "picture/timeline/timeline_private.h"

#include "session/load.h"
#include "base/error.h"
#include "model/device_label.h"
#include "views/views.h"

#include <stdlib.h>

/* ---- the scope ---- */

/* Make rows selectable one by one; without this all are selected. */
static void choose_rows(struct selection *selection)
{
	const struct profile *profile = selection->profile;
	if (selection->span)
		return;
	selection->span = mem_alloc((size_t)profile->spans + 1);
	memset(selection->span, 1, (size_t)profile->spans + 1);
	selection->activity = mem_alloc((size_t)profile->activities + 1);
	memset(selection->activity, 1, (size_t)profile->activities + 1);
}

/* Deselect rows shorter than SHORTEST ns. */
static void drop_short(struct selection *selection, int64_t shortest)
{
	const struct profile *profile = selection->profile;
	choose_rows(selection);
	for (uint32_t i = 0; i < profile->spans; i++)
		selection->span[i] &= profile->span_dur[i] >= shortest;
	for (uint32_t i = 0; i < profile->activities; i++)
		selection->activity[i] &= profile->activity_dur[i] >= shortest;
}

/* Deselect rows whose name does not match. */
static bool apply_filter(struct selection *selection, const char *filter, struct error *error)
{
	const struct profile *profile = selection->profile;
	AUTO_PATTERN struct pattern *pattern = pattern_new(filter, error);
	if (!pattern)
		return false;
	uint32_t names = intern_count(profile->strings);
	AUTO_FREE uint8_t *known = mem_zalloc((size_t)names + 1, 1); /* 1: no, 2: yes */
	choose_rows(selection);
	for (uint64_t i = 0; i < (uint64_t)profile->spans + profile->activities; i++) {
		bool span = i < profile->spans;
		uint8_t *chosen =
			span ? &selection->span[i] : &selection->activity[i - profile->spans];
		uint32_t name =
			span ? profile->span_name[i] : profile->activity_name[i - profile->spans];
		if (*chosen && !known[name])
			known[name] = 1 + pattern_match(pattern, INTERNED(profile->strings, name),
							NULL, NULL);
		*chosen = *chosen && known[name] == 2;
	}
	return pattern_completed(pattern, error);
}

/* Stream annotations belong to their stream. */
static void leave_out_streams(struct selection *selection, const struct scope *scope)
{
	const struct profile *profile = selection->profile;
	for (uint32_t t = 0; selection->span && t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		if (track->device >= 0 && (!scope_list_has(&scope->devices, track->device) ||
					   !scope_list_has(&scope->streams, track->tid) ||
					   (scope->track != NO_ROW && scope->track != t)))
			memset(selection->span + track->first_span, 0, track->spans);
	}
}

static bool bound_by_steps(const struct rank *rank, const struct scope *scope, int64_t *begin,
			   int64_t *end, struct error *error)
{
	const struct derived *derived = rank->derived;
	bool any = false;
	for_each (step, derived->steps, derived->step_count) {
		if (step->number < scope->step_first || step->number > scope->step_last)
			continue;
		*begin = !any || step->start < *begin ? step->start : *begin;
		*end = !any || step->end > *end ? step->end : *end;
		any = true;
	}
	return selection_exists(rank, scope, error);
}

/* The end is after the last event, even one without duration. */
bool timeline_bounds(const struct timeline *timeline, const struct scope *scope, int64_t *begin,
		     int64_t *end, struct error *error)
{
	*begin = 0;
	*end = timeline->rank->profile->end_ns + 1;
	if (scope->has_steps && !bound_by_steps(timeline->rank, scope, begin, end, error))
		return false;
	if (scope->has_time && scope->time_first > *begin)
		*begin = scope->time_first;
	if (scope->has_time && scope->time_last < *end)
		*end = scope->time_last;
	return *end > *begin || error_set(error, ERROR_USAGE, "no events in that time");
}

/* Copy a scope without its time and step bounds. */
static void without_bounds(struct scope *to, const struct scope *from)
{
	scope_copy(to, from);
	to->has_steps = to->has_time = false;
	to->step_first = to->step_last = to->time_first = to->time_last = 0;
}

bool timeline_same(const struct scope *a, const struct scope *b)
{
	AUTO(scope_clear) struct scope x = { 0 }, y = { 0 };
	without_bounds(&x, a);
	without_bounds(&y, b);
	return scope_equal(&x, &y);
}

/* ---- tracks ---- */

/* What a stream is for, by most of its time: "compute", "NCCL", "copies". */
static const char *stream_use(const struct derived *derived, uint32_t index)
{
	const struct profile *profile = derived->profile;
	const struct track *track = &profile->tracks[index];
	int64_t talk = 0, copy = 0, all = 0;
	const char *first = NULL; /* of communication */
	for (uint32_t i = track->first_activity; i < track->first_activity + track->activities;
	     i++) {
		int64_t ns = profile->activity_dur[i];
		bool talks = derived_is_communication(derived, i);
		if (talks && !first)
			first = profile_string(profile, profile->activity_name[i]);
		talk += talks ? ns : 0;
		copy += profile->activity_kind[i] == ACTIVITY_MEMCPY ||
					profile->activity_kind[i] == ACTIVITY_MEMSET
				? ns
				: 0;
		all += profile_is_work(profile, i) ? ns : 0;
	}
	return !all              ? NULL
	       : 2 * talk > all  ? strncmp(first, "nccl", 4) ? "communication" : "NCCL"
	       : 2 * copy >= all ? "copies"
				 : "compute";
}

/* NAME from the device on, "[pid 83] GPU3 stream 7", unless other processes use it. */
static const char *without_process(const struct profile *profile, uint32_t index, const char *name)
{
	const struct track *tracks = profile->tracks;
	const char *end = strncmp(name, "[pid ", 5) ? NULL : strstr(name, "] ");
	if (!end || tracks[index].device < 0 ||
	    any_of(i, profile->track_count,
		   tracks[i].device == tracks[index].device && tracks[i].activities &&
			   tracks[i].process != tracks[index].process))
		return name;
	return end + 2;
}

/* "GPU3 compute stream 7": what it is for comes before its number. */
static void name_use(const struct timeline *timeline, uint32_t track, struct buffer *name)
{
	const char *stream = strstr(buffer_text(name), " stream ");
	const char *use = stream ? stream_use(timeline->rank->derived, track) : NULL;
	AUTO_FREE char *end = use ? mem_strdup(stream) : NULL;
	if (!use)
		return;
	name->length -= strlen(stream);
	buffer_printf(name, " %s%s", use, end);
}

static void name_lanes(struct timeline *timeline)
{
	const struct lanes *lanes = timeline->lanes;
	AUTO_BUFFER struct buffer name = { 0 };
	char label[DEVICE_LABEL_MAX];
	timeline->names = mem_zalloc((size_t)lanes->count + 1, sizeof *timeline->names);
	for (uint32_t i = 0; i < lanes->count; i++) {
		const struct lane *lane = &lanes->lane[i];
		if (lane->track != NO_ROW && i && lanes->lane[i - 1].track == lane->track)
			continue;
		buffer_clear(&name);
		if (lane->kind == LANE_STEPS)
			buffer_puts(&name, "steps");
		else if (lane->kind == LANE_DEVICE)
			buffer_printf(&name, "%s busy", device_label(label, lane->device));
		else if (lane->kind == LANE_LOAD)
			buffer_printf(&name, "%s SM eff.", device_label(label, lane->device));
		else if (lane->kind == LANE_RANK)
			buffer_printf(&name, "rank %" PRId64, lane->rank);
		else
			track_name(lanes->profile, lane->track, &name);
		if (lane->track != NO_ROW && lane->device >= 0)
			name_use(timeline, lane->track, &name);
		timeline->names[i] = mem_strdup(
			without_process(lanes->profile, lane->track, buffer_text(&name)));
	}
}

struct sorted_track {
	struct timeline_track track;
	int32_t device; /* INT32_MAX: a thread */
	int64_t rank;
	bool copies; /* a stream of them */
	uint64_t events;
	size_t place;
};

/* Streams by device, then threads; each by rank; copies last, else most events first. */
COMPARE_MEMBERS(compare_tracks, struct sorted_track,
		UP(device) UP(rank) UP(copies) DOWN(events) UP(place))

static void sort_tracks(struct timeline *timeline)
{
	const struct lanes *lanes = timeline->lanes;
	size_t count = timeline->track_count;
	AUTO_FREE struct sorted_track *sorted = mem_zalloc(count + 1, sizeof *sorted);
	for (size_t i = 0; i < count; i++) {
		const struct timeline_track *track = &timeline->tracks[i];
		const char *name = timeline->names[track->first];
		int32_t device = lanes->lane[track->first].device;
		sorted[i] =
			(struct sorted_track){ .track = *track,
					       .device = device < 0 ? INT32_MAX : device,
					       .rank = timeline_rank_of(timeline, track->first),
					       .copies = strstr(name, " copies stream ") != NULL,
					       .place = i };
		for (uint32_t k = 0; k < track->count; k++)
			sorted[i].events += lanes->lane[track->first + k].count;
	}
	qsort(sorted, count, sizeof *sorted, compare_tracks);
	for (size_t i = 0; i < count; i++)
		timeline->tracks[i] = sorted[i].track;
}

/* Has it, among its first events of each lane, one that is of a known kind? */
static bool has_known_kind(const struct lanes *lanes, const struct timeline_track *track)
{
	enum { LOOK = 8 };
	for (uint32_t i = track->first; i < track->first + track->count; i++)
		for (uint32_t k = 0; k < lanes->lane[i].count && k < LOOK; k++)
			if (lane_event_group(lanes, &lanes->lane[i], k) != GROUP_OTHER)
				return true;
	return false;
}

/*
 * Does a track of the host hold nothing but marks of the profiler itself: few, of no kind or on no
 * thread?
 */
static bool is_of_profiler(const struct lanes *lanes, const struct timeline_track *track)
{
	enum { MARKS_MAX = 4 };
	uint64_t events = 0;
	for (uint32_t i = track->first; i < track->first + track->count; i++)
		events += lanes->lane[i].count;
	const struct lane *first = &lanes->lane[track->first];
	bool thread = lanes->profile->tracks[first->track].tid != NO_VALUE;
	return first->device < 0 && events <= MARKS_MAX &&
	       !(thread && has_known_kind(lanes, track));
}

/* Is there work on another stream of the device, and none but waits on this one? */
static bool is_of_waits(const struct timeline *timeline, const struct timeline_track *track)
{
	const struct lane *lane = timeline->lanes->lane, *first = &lane[track->first];
	return first->device >= 0 && first->kind == LANE_SYNC && track->count == 1 &&
	       any_of(i, timeline->lanes->count,
		      lane[i].kind == LANE_WORK && lane[i].device == first->device);
}

/*
 * A thread without operators that calls functions less than once a millisecond, or whose stack
 * never changes, waits in them, as one that updates a progress bar does.
 */
static bool only_waits(const struct lanes *lanes, const struct timeline_track *track)
{
	enum { CALL_NS = 1000000 };
	const struct lane *outer = &lanes->lane[track->first];
	int64_t calls = 0;
	for (uint32_t i = 0; i < track->count; i++) {
		if (outer[i].kind != LANE_PYTHON)
			return false;
		calls += outer[i].count;
	}
	return calls <= track->count ||
	       lane_end(outer, outer->count - 1) - lane_start(outer, 0) > calls * CALL_NS;
}

/* Streams and the thread with most events are initially open, as are tracks named in the scope. */
static void make_tracks(struct timeline *timeline, const struct scope *scope)
{
	const struct lanes *lanes = timeline->lanes;
	bool named = scope->threads.count || scope->track != NO_ROW, threads = false, known = false;
	timeline->tracks = mem_zalloc((size_t)lanes->count + 1, sizeof *timeline->tracks);
	for (uint32_t i = 0; i < lanes->count; i++) {
		if (lanes->lane[i].track == NO_ROW)
			continue;
		if (timeline->names[i])
			timeline->tracks[timeline->track_count++].first = i;
		timeline->tracks[timeline->track_count - 1].count++;
	}
	sort_tracks(timeline);
	for_each_mutable (track, timeline->tracks, timeline->track_count) {
		bool stream = lanes->lane[track->first].device >= 0;
		track->fold = named                ? TIMELINE_ALL
			      : stream || !threads ? TIMELINE_OPEN
						   : TIMELINE_FOLDED;
		if (threads && !stream && only_waits(lanes, track))
			for (uint32_t k = 0; k < track->count; k++)
				lanes->lane[track->first + k].waits = true;
		threads |= !stream;
		known |= has_known_kind(lanes, track);
		track->hidden = !named && ((known && is_of_profiler(lanes, track)) ||
					   is_of_waits(timeline, track));
	}
}

/* ---- creation ---- */

static bool fill(struct timeline *timeline, const struct scope *scope,
		 const struct progress *progress, struct error *error)
{
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO(scope_clear) struct scope rows = { 0 };
	without_bounds(&rows, scope);
	bool good = selection_exists(timeline->rank, &rows, error) &&
		    selection_make(&selection, timeline->run, &rows, progress, error) &&
		    (!scope->filter || apply_filter(&selection, scope->filter, error));
	if (good && scope->shortest > 0)
		drop_short(&selection, scope->shortest);
	if (good) {
		leave_out_streams(&selection, scope);
		timeline->lanes = lanes_new(&selection, progress, error);
	}
	if (!timeline->lanes)
		return false;
	timeline_add_ranks(timeline, scope);
	name_lanes(timeline);
	make_tracks(timeline, scope);
	timeline->pictures = mem_zalloc(TIMELINE_PICTURES + 1, sizeof *timeline->pictures);
	return true;
}

struct timeline_making {
	struct timeline *timeline;
	const struct scope *scope;
	const struct progress *progress;
	struct error *error;
};

static bool timeline_make(void *context)
{
	struct timeline_making *making = context;
	struct timeline *timeline = making->timeline;
	timeline->rank =
		run_acquire(timeline->run, making->scope->rank, making->progress, making->error);
	return timeline->rank && fill(timeline, making->scope, making->progress, making->error) &&
	       timeline_find_gaps(timeline, making->scope, making->progress, making->error) &&
	       timeline_find_links(timeline, making->progress, making->error) &&
	       timeline_add_base(timeline, making->scope, making->progress, making->error);
}

/* Count the lanes' memory as the rank's. */
static void charge(struct timeline *timeline, size_t bytes)
{
	if (timeline->rank)
		run_charge(timeline->run, timeline->charged, bytes);
	timeline->charged = bytes;
}

struct timeline *timeline_new(const struct run *run, const struct scope *scope,
			      const struct progress *progress, struct error *error)
{
	struct timeline *timeline = mem_zalloc(1, sizeof *timeline);
	struct timeline_making making = { timeline, scope, progress, error };
	timeline->run = run;
	if (mem_guard(timeline_make, &making, error)) {
		charge(timeline, lanes_size(timeline->lanes));
		return timeline;
	}
	timeline_free(timeline);
	return NULL;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	timeline_free(timeline->base);
	mem_free(timeline->base_lanes);
	charge(timeline, 0);
	for (uint32_t i = 0; timeline->names && i < timeline->lanes->count; i++)
		mem_free(timeline->names[i]);
	for (uint32_t i = 0; timeline->pictures && i <= TIMELINE_PICTURES; i++)
		mem_free(timeline->pictures[i].cells);
	mem_free_all(timeline->names, timeline->pictures, timeline->tracks, timeline->launched,
		     timeline->own_of, timeline->placed);
	stream_waits_free(&timeline->waits);
	lanes_free(timeline->lanes);
	causes_free(&timeline->own_causes);
	run_release(timeline->run, timeline->rank);
	mem_free(timeline);
}

static bool prepare_lane(struct timeline *timeline, uint32_t lane, const struct progress *progress,
			 struct error *error)
{
	uint32_t base;
	return timeline_load_rank(timeline, lane, progress, error) &&
	       lane_prepare(timeline->lanes, lane, progress, error) &&
	       (!timeline_base_lane(timeline, lane, &base) ||
		timeline_prepare(timeline->base, &base, 1, progress, error));
}

bool timeline_prepare(struct timeline *timeline, const uint32_t *lanes, size_t count,
		      const struct progress *progress, struct error *error)
{
	for (size_t i = 0; i < count; i++)
		if (!prepare_lane(timeline, lanes[i], progress, error))
			return false;
	charge(timeline, lanes_size(timeline->lanes));
	return true;
}

/* ---- lines ---- */

struct line_list {
	struct timeline_line *item;
	size_t count;
};

static void timeline_add_line(struct line_list *list, uint32_t lane, uint32_t track)
{
	bool head = !list->count || track == NO_ROW || list->item[list->count - 1].track != track;
	*mem_push(list->item, list->count) = (struct timeline_line){ lane, track, head };
}

uint32_t timeline_folded_lane(const struct timeline *timeline, const struct timeline_track *track)
{
	for (uint32_t i = track->first; i < track->first + track->count; i++)
		if (timeline->lanes->lane[i].kind == LANE_WORK)
			return i;
	return track->first;
}

static bool has_kind(const struct timeline *timeline, const struct timeline_track *track,
		     bool python)
{
	const struct lane *lanes = &timeline->lanes->lane[track->first];
	return any_of(i, track->count, (lanes[i].kind == LANE_PYTHON) == python);
}

static void timeline_add_track(struct line_list *list, const struct timeline *timeline,
			       const struct timeline_track *track, uint32_t index)
{
	bool python = track->fold == TIMELINE_ALL || !has_kind(timeline, track, false);
	if (track->fold == TIMELINE_FOLDED) {
		timeline_add_line(list, timeline_folded_lane(timeline, track), index);
		return;
	}
	for (uint32_t i = track->first; i < track->first + track->count; i++)
		if (python || timeline->lanes->lane[i].kind != LANE_PYTHON)
			timeline_add_line(list, i, index);
}

static size_t count_ranks(const struct timeline *timeline)
{
	return count_where(i, timeline->lanes->count, timeline->lanes->lane[i].kind == LANE_RANK);
}

static void add_ranks(struct line_list *list, const struct timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		if (timeline->lanes->lane[i].kind == LANE_RANK)
			timeline_add_line(list, i, NO_ROW);
}

/* As many other ranks are above the tracks; more would hide them. */
enum { RANKS_FIRST = 7 };

struct timeline_line *timeline_lines(const struct timeline *timeline,
				     const struct timeline_track *tracks, size_t count,
				     size_t *line_count, size_t *fixed)
{
	struct line_list list = { 0 };
	for (uint32_t i = 0; i < timeline->lanes->count; i++)
		if (timeline->lanes->lane[i].track == NO_ROW &&
		    timeline->lanes->lane[i].kind != LANE_RANK)
			timeline_add_line(&list, i, NO_ROW);
	size_t ranks = count_ranks(timeline);
	for (int pinned = 1; pinned >= 0; pinned--) {
		if (!pinned && ranks <= RANKS_FIRST)
			add_ranks(&list, timeline);
		for (size_t i = 0; i < count; i++)
			if (tracks[i].pinned == pinned && !tracks[i].hidden)
				timeline_add_track(&list, timeline, &tracks[i], (uint32_t)i);
		if (pinned)
			*fixed = list.count;
	}
	if (ranks > RANKS_FIRST)
		add_ranks(&list, timeline);
	*line_count = list.count;
	return list.item ? list.item : mem_zalloc(1, sizeof *list.item);
}

const char *timeline_label(const struct timeline *timeline, const struct timeline_line *line)
{
	static const char *const kinds[LANE_KINDS] = { LANE_LABELS };
	const struct lane *lane = &timeline->lanes->lane[line->lane];
	if (line->head) {
		uint32_t at = line->lane;
		while (at > 0 && !timeline->names[at])
			at--;
		return timeline->names[at];
	}
	return lane->level ? "" : kinds[lane->kind];
}

char timeline_letter(const struct timeline *timeline, uint32_t index)
{
	const struct lane *lane = &timeline->lanes->lane[index];
	if (!lane_is_prepared(lane) || lane_is_union(lane) || lane_group_count(lane) != 1)
		return ' ';
	return lane_group_letter(lane_event_group(timeline->lanes, lane, 0));
}

static unsigned groups_of(const struct timeline *timeline, uint32_t index)
{
	const struct lane *lane = &timeline->lanes->lane[index];
	return lane_is_prepared(lane) ? lane_groups(lane) : 0;
}

unsigned timeline_groups(const struct timeline *timeline, const struct timeline_line *lines,
			 size_t count)
{
	unsigned groups = 0;
	uint32_t base;
	for (size_t i = 0; i < count; i++) {
		groups |= groups_of(timeline, lines[i].lane);
		if (timeline_base_lane(timeline, lines[i].lane, &base))
			groups |= groups_of(timeline->base, base);
	}
	return groups;
}
