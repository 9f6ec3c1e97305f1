#include "analysis/lanes.h"

#include "analysis/lanes_private.h"
#include "analysis/pyramid.h"
#include "analysis/samples.h"
#include "base/check.h"
#include "base/error.h"
#include "model/frames.h"
#include "model/threads.h"

/* ---- groups ---- */

static const struct {
	char letter;
	const char *name;
} groups[GROUPS_PLAIN] = { LANE_GROUP_ROWS(LISTED_ROW) };

char lane_group_letter(enum lane_group group)
{
	char letter = groups[lane_group_plain(group)].letter;
	return group < GROUP_KERNEL_BACKWARD ? letter : (char)(letter - 'a' + 'A');
}

const char *lane_group_name(enum lane_group group)
{
	require(group < LANE_GROUPS, "group %d", (int)group);
	return groups[lane_group_plain(group)].name;
}

enum lane_group lane_group_of_family(enum kernel_family family)
{
	static const uint8_t by_family[KERNEL_FAMILIES] = { GROUP_BY_FAMILY_ROWS };
	return (enum lane_group)by_family[family];
}

static enum lane_group span_group(const struct derived *derived, uint32_t span)
{
	static const uint8_t by_kind[SPAN_KINDS] = { KIND_GROUP_ROWS };
	const struct profile *profile = derived->profile;
	uint8_t kind = profile->span_kind[span];
	if (kind != SPAN_OPERATOR)
		return (enum lane_group)by_kind[kind];
	if (derived->role[profile->span_name[span]] & NAME_COMMUNICATION)
		return GROUP_COMMUNICATION;
	return derived->span_flags[span] & SPAN_BACKWARD ? GROUP_BACKWARD : GROUP_FORWARD;
}

/* A kernel has its family, and the pass of its launching operator. */
static enum lane_group activity_group(const struct lanes *lanes, uint32_t activity)
{
	const struct derived *derived = lanes->derived;
	const struct profile *profile = derived->profile;
	switch (profile->activity_kind[activity]) {
	case ACTIVITY_MEMCPY:
	case ACTIVITY_MEMSET: return GROUP_COPY;
	case ACTIVITY_SYNC: return GROUP_SYNC;
	case ACTIVITY_COLLECTIVE: return GROUP_COMMUNICATION;
	default: break;
	}
	if (derived_is_communication(derived, activity))
		return GROUP_COMMUNICATION;
	uint32_t at = derived_work_row(derived, activity);
	enum lane_group group = lane_group_of_family(
		(enum kernel_family)lanes->kernels[profile->activity_name[activity]].family);
	if (at == NO_ROW || !(derived->span_flags[at] & SPAN_BACKWARD) || group < GROUP_KERNEL ||
	    group > GROUP_REDUCTION)
		return group;
	return (enum lane_group)(group - GROUP_KERNEL + GROUP_KERNEL_BACKWARD);
}

enum lane_group lane_event_group(const struct lanes *lanes, const struct lane *lane, uint32_t event)
{
	if (lane->own_group)
		return (enum lane_group)lane->own_group[event];
	if (lane->activities)
		return activity_group(lanes, lane_row(lane, event));
	if (lane_is_union(lane))
		return GROUP_KERNEL;
	if (lane->kind == LANE_STEPS)
		return GROUP_ANNOTATION;
	if (lane->kind == LANE_SAMPLES)
		return GROUP_OTHER;
	return span_group(lanes->derived, lane_row(lane, event));
}

uint32_t lane_event_name(const struct lanes *lanes, const struct lane *lane, uint32_t event)
{
	if (lane->activities)
		return lanes->profile->activity_name[lane_row(lane, event)];
	if (lane_is_union(lane))
		return NO_ROW;
	if (lane->kind == LANE_STEPS)
		return lanes->derived->steps[event].name;
	if (lane->kind == LANE_SAMPLES) {
		uint32_t frame = lane->samples[lane_row(lane, event)].frame;
		return frame == NO_ROW ? 0 : lanes->profile->frames[frame].name;
	}
	return lanes->profile->span_name[lane_row(lane, event)];
}

/* ---- building lanes ---- */

struct lane *lanes_add(struct lanes *lanes, enum lane_kind kind, uint32_t track, int32_t device,
		       uint32_t level)
{
	struct lane *lane = mem_push(lanes->lane, lanes->count);
	memset(lane, 0, sizeof *lane);
	lane->kind = kind;
	lane->track = track;
	lane->device = device;
	lane->level = level;
	return lane;
}

/* ---- the lanes of a track ---- */

struct open_row {
	uint32_t end_row; /* of its subtree */
	uint32_t level;
};

/* The levels of one kind, while scanning a track. */
struct lanes_stack {
	struct lanes_level {
		GROWING(uint32_t, rows, count);
		int64_t end;
	} * level;
	size_t levels;
	GROWING(struct open_row, open, depth);
};

/* Put a row on the first free level from LEVEL on; returns the level. */
static uint32_t stack_put(struct lanes_stack *stack, size_t level, uint32_t row, int64_t start,
			  int64_t dur)
{
	while (level < stack->levels && level + 1 < LANE_LEVELS_MAX &&
	       stack->level[level].end > start)
		level++;
	if (level >= LANE_LEVELS_MAX)
		level = LANE_LEVELS_MAX - 1;
	while (stack->levels <= level) {
		*mem_push(stack->level, stack->levels) = (struct lanes_level){ .end = INT64_MIN };
	}
	struct lanes_level *at = &stack->level[level];
	*mem_push(at->rows, at->count) = row;
	at->end = start + dur > at->end ? start + dur : at->end;
	return (uint32_t)level;
}

/* Nest a span below the nearest enclosing one of its kind. */
static void stack_nest(struct lanes_stack *stack, const struct profile *profile, uint32_t span)
{
	while (stack->depth && stack->open[stack->depth - 1].end_row <= span)
		stack->depth--;
	size_t level = stack->depth ? stack->open[stack->depth - 1].level + 1 : 0;
	uint32_t got =
		stack_put(stack, level, span, profile->span_start[span], profile->span_dur[span]);
	*mem_push(stack->open, stack->depth) =
		(struct open_row){ .end_row = span + profile->span_size[span], .level = got };
}

/* Turn the levels into lanes and empty the stack. */
static void stack_finish(struct lanes_stack *stack, struct lanes *lanes, enum lane_kind kind,
			 uint32_t track, bool activities)
{
	const struct profile *profile = lanes->profile;
	uint32_t level = 0;
	for (size_t i = 0; i < stack->levels; i++) {
		if (!stack->level[i].count)
			continue;
		struct lane *lane =
			lanes_add(lanes, kind, track, profile->tracks[track].device, level++);
		lane->activities = activities;
		lane->start = activities ? profile->activity_start : profile->span_start;
		lane->dur = activities ? profile->activity_dur : profile->span_dur;
		lane->count = (uint32_t)stack->level[i].count;
		lane->rows = mem_realloc(stack->level[i].rows, lane->count, sizeof *lane->rows);
	}
	mem_free_all(stack->level, stack->open);
	*stack = (struct lanes_stack){ 0 };
}

static enum lane_kind kind_of_span(uint8_t kind)
{
	switch (kind) {
	case SPAN_ANNOTATION:
	case SPAN_GPU_ANNOTATION:
	case SPAN_INSTANT: return LANE_ANNOTATION;
	case SPAN_MODULE:
	case SPAN_PYTHON: return LANE_PYTHON;
	default: return LANE_WORK;
	}
}

static const char stage[] = "building lanes";

static bool nest_spans(const struct selection *selection, const struct track *track,
		       struct lanes_stack host[LANE_KINDS], const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	for (uint32_t i = track->first_span; i < track->first_span + track->spans; i++) {
		if (selection_has_span(selection, i))
			stack_nest(&host[kind_of_span(profile->span_kind[i])], profile, i);
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
	}
	return true;
}

static bool put_activities(const struct selection *selection, const struct track *track,
			   struct lanes_stack device[LANE_KINDS], const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	for (uint32_t i = track->first_activity; i < track->first_activity + track->activities;
	     i++) {
		bool sync = !profile_is_work(profile, i);
		if (selection_has_activity(selection, i))
			stack_put(&device[sync ? LANE_SYNC : LANE_WORK], 0, i,
				  profile->activity_start[i], profile->activity_dur[i]);
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
	}
	return true;
}

/* Duration represented by a sample. */
static int64_t sample_length(const struct profile *profile, const struct stack_sample *samples,
			     size_t count, size_t at)
{
	int64_t length = profile->sample_period, next;
	if (at + 1 < count &&
	    !__builtin_sub_overflow(samples[at + 1].time, samples[at].time, &next) &&
	    (next < length || !length))
		length = next;
	return length > 0 ? length : 1;
}

/* Samples have no rows: omit them in a selection of some rows. */
static bool add_samples(struct lanes *lanes, const struct selection *selection, uint32_t track,
			const struct progress *progress)
{
	const struct profile *profile = lanes->profile;
	size_t count;
	const struct stack_sample *samples = thread_samples(profile, track, &count);
	if (!count || count >= INT32_MAX || selection->scope->filter)
		return true;
	uint32_t *rows = mem_alloc(count * sizeof *rows), kept = 0;
	bool whole = true;
	for_rows (whole, i, count, progress, stage)
		if (sample_is_selected(selection, &samples[i]))
			rows[kept++] = (uint32_t)i;
	if (!kept || !whole) {
		mem_free(rows);
		return whole;
	}
	struct lane *lane = lanes_add(lanes, LANE_SAMPLES, track, -1, 0);
	lane->rows = rows;
	lane->count = kept;
	lane->samples = samples;
	lane->start = lane->own_start = mem_alloc(count * sizeof *lane->own_start);
	lane->dur = lane->own_dur = mem_alloc(count * sizeof *lane->own_dur);
	for (size_t i = 0; i < count; i++) {
		lane->own_start[i] = samples[i].time;
		lane->own_dur[i] = sample_length(profile, samples, count, i);
	}
	return true;
}

/* False when cancelled; finished lanes are kept. */
static bool lanes_add_track(struct lanes *lanes, const struct selection *selection, uint32_t index,
			    const struct progress *progress)
{
	const struct track *track = &lanes->profile->tracks[index];
	struct lanes_stack host[LANE_KINDS] = { 0 }, device[LANE_KINDS] = { 0 };
	bool whole = nest_spans(selection, track, host, progress) &&
		     put_activities(selection, track, device, progress);
	for (int kind = 0; kind < LANE_KINDS; kind++) {
		if (kind == LANE_SAMPLES)
			whole = whole && add_samples(lanes, selection, index, progress);
		stack_finish(&host[kind], lanes, (enum lane_kind)kind, index, false);
		stack_finish(&device[kind], lanes, (enum lane_kind)kind, index, true);
	}
	return whole;
}

/* ---- all lanes ---- */

struct lanes_making {
	struct lanes *lanes;
	const struct selection *selection;
	const struct progress *progress;
	struct error *error;
};

static bool lanes_make(void *context)
{
	struct lanes_making *making = context;
	struct lanes *lanes = making->lanes;
	const struct profile *profile = lanes->profile;
	lanes->kernels = derived_kernel_names(lanes->derived, making->progress);
	lanes_add_steps(lanes);
	if (!lanes->kernels || !lanes_add_devices(lanes, making->selection, making->progress))
		return error_cancelled(making->error);
	for (uint32_t t = 0; t < profile->track_count; t++) {
		if (!lanes_add_track(lanes, making->selection, t, making->progress))
			return error_cancelled(making->error);
	}
	return true;
}

struct lanes *lanes_new(const struct selection *selection, const struct progress *progress,
			struct error *error)
{
	struct lanes *lanes = mem_zalloc(1, sizeof *lanes);
	lanes->profile = selection->profile;
	lanes->derived = selection->derived;
	struct lanes_making making = { lanes, selection, progress, error };
	return keep_if(mem_guard(lanes_make, &making, error), lanes, lanes_free);
}

void lanes_free(struct lanes *lanes)
{
	if (!lanes)
		return;
	for (uint32_t i = 0; i < lanes->count; i++) {
		pyramid_free(atomic_load(&lanes->lane[i].pyramid));
		mem_free_all(lanes->lane[i].rows, lanes->lane[i].own_start, lanes->lane[i].own_dur,
			     lanes->lane[i].load, lanes->lane[i].own_group, lanes->lane[i].why);
	}
	mem_free_all(lanes->lane, lanes);
}

size_t lanes_size(const struct lanes *lanes)
{
	size_t size = sizeof *lanes + mem_rows(lanes->lane, lanes->count);
	for_each (lane, lanes->lane, lanes->count) {
		size += lane->count * (lane->rows ? sizeof *lane->rows : 0);
		size += lane->count * (lane->own_start ? 2 * sizeof *lane->own_start : 0);
		size += lane->count * (lane->load ? sizeof *lane->load : 0);
		size += lane->count * (lane->own_group ? sizeof *lane->own_group : 0);
		size += pyramid_size(atomic_load(&lane->pyramid));
	}
	return size;
}

static bool find_row(const struct lane *lane, uint32_t row, uint32_t *event)
{
	*event = search_first(i, 0, lane->count, lane->rows[i] >= row);
	return *event < lane->count && lane->rows[*event] == row;
}

bool lanes_find(const struct lanes *lanes, bool activity, uint32_t row, uint32_t *lane,
		uint32_t *event)
{
	const struct profile *profile = lanes->profile;
	uint32_t track = activity ? profile->activity_track[row] : profile->span_track[row];
	for (uint32_t i = 0; i < lanes->count; i++) {
		*lane = i;
		if (lanes->lane[i].track == track && lanes->lane[i].activities == activity &&
		    lanes->lane[i].kind != LANE_SAMPLES && find_row(&lanes->lane[i], row, event))
			return true;
	}
	return false;
}
