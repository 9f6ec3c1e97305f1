/*
 * The lanes of the base run below those of a timeline. Ids of threads, devices and streams differ
 * from run to run: see is_same.
 */
#include "base/error.h"
#include "picture/timeline/timeline_private.h"

const char *timeline_track_of(const struct timeline *timeline, uint32_t lane)
{
	while (lane && !timeline->names[lane])
		lane--;
	return timeline->names[lane];
}

static bool is_compared(const struct lane *lane)
{
	return lane->kind == LANE_DEVICE || lane->kind == LANE_LOAD ||
	       (lane->kind == LANE_WORK && lane->level == 0);
}

/* Which of its like a lane is: its number, and how many of all are below it. */
struct numbered_place {
	int64_t number;
	size_t index, count;
};

/* What lanes of two runs have in common if they are the same. */
struct identity {
	const char *thread; /* what the thread is called but for its id: "(python3)"; NULL: none */
	struct numbered_place device, track;
};

static const char *thread_name(const struct timeline *timeline, uint32_t lane)
{
	const char *track = timeline_track_of(timeline, lane), *open = strchr(track, '(');
	return open ? open : "";
}

/* Among the devices, or the streams of its device or the threads of its name. */
static struct numbered_place place_of(const struct timeline *timeline, uint32_t index, bool device)
{
	const struct lane *lanes = timeline->lanes->lane, *lane = &lanes[index];
	const struct track *tracks = timeline->lanes->profile->tracks;
	struct numbered_place place = { device ? lane->device : tracks[lane->track].tid, 0, 0 };
	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		const struct lane *other = &lanes[i];
		bool alike = device ? other->kind == LANE_DEVICE
				    : other->kind == LANE_WORK && !other->level &&
					      other->device == lane->device;
		if (!alike || (lane->device < 0 &&
			       strcmp(thread_name(timeline, i), thread_name(timeline, index)) != 0))
			continue;
		int64_t number = device ? other->device : tracks[other->track].tid;
		place.count++;
		place.index += number < place.number;
	}
	return place;
}

/* By lane, of those that are compared. The caller frees. */
static struct identity *identify(const struct timeline *timeline)
{
	const struct lanes *lanes = timeline->lanes;
	struct identity *all = mem_zalloc((size_t)lanes->count + 1, sizeof *all);
	for (uint32_t i = 0; i < lanes->count; i++) {
		if (!is_compared(&lanes->lane[i]))
			continue;
		if (lanes->lane[i].kind == LANE_WORK)
			all[i].track = place_of(timeline, i, false);
		if (lanes->lane[i].device < 0)
			all[i].thread = thread_name(timeline, i);
		else
			all[i].device = place_of(timeline, i, true);
	}
	return all;
}

/* Runs with as many devices (streams) number them as they like, others leave some out. */
static bool is_same_place(const struct numbered_place *a, const struct numbered_place *b)
{
	return a->count == b->count ? a->index == b->index : a->number == b->number;
}

static bool is_same_lane(const struct identity *a, const struct identity *b)
{
	if (a->thread && b->thread)
		return a->track.index == b->track.index && !strcmp(a->thread, b->thread);
	return !a->thread && !b->thread && is_same_place(&a->device, &b->device) &&
	       is_same_place(&a->track, &b->track);
}

static void pair_lanes(struct timeline *timeline)
{
	const struct lanes *lanes = timeline->lanes, *others = timeline->base->lanes;
	AUTO_FREE struct identity *own = identify(timeline), *base = identify(timeline->base);
	timeline->base_lanes = mem_alloc((lanes->count + (size_t)1) * sizeof *timeline->base_lanes);
	for (uint32_t i = 0; i < lanes->count; i++) {
		uint32_t found = NO_ROW;
		for (uint32_t j = 0;
		     is_compared(&lanes->lane[i]) && found == NO_ROW && j < others->count; j++)
			if (is_compared(&others->lane[j]) &&
			    lanes->lane[i].kind == others->lane[j].kind &&
			    is_same_lane(&own[i], &base[j]))
				found = j;
		timeline->base_lanes[i] = found;
	}
}

bool timeline_add_base(struct timeline *timeline, const struct scope *of,
		       const struct progress *progress, struct error *cause)
{
	const struct run *base = timeline->run->base;
	struct error error = { 0 };
	AUTO(scope_clear) struct scope scope = { 0 };
	if (!base || !base->rank_count)
		return true;
	scope_init(&scope);
	scope.rank = (int)(base->rank_count == 1 ? base->ranks[0].number : timeline->rank->number);
	scope.shortest = of->shortest;
	scope_set_text(&scope.filter, of->filter);
	timeline->base = timeline_new(base, &scope, progress, &error);
	if (timeline->base) {
		pair_lanes(timeline);
		if (!timeline_align_base(timeline, progress))
			error_cancelled(&error);
	}
	if (error.code != ERROR_CANCELLED)
		return true;
	if (cause)
		*cause = error;
	return false;
}

bool timeline_base_lane(const struct timeline *timeline, uint32_t lane, uint32_t *base)
{
	*base = timeline->base ? timeline->base_lanes[lane] : NO_ROW;
	return *base != NO_ROW;
}

/* The step that has begun at TIME, else the first; NULL: there are none. */
static const struct step *step_at(const struct derived *derived, int64_t time)
{
	uint32_t at = 0;
	while (at + 1 < derived->step_count && derived->steps[at + 1].start <= time)
		at++;
	return derived->step_count ? &derived->steps[at] : NULL;
}

const struct step *timeline_base_step(const struct timeline *timeline, int64_t at,
				      const struct step **step)
{
	const struct derived *derived = timeline->rank->derived,
			     *base = timeline->base->rank->derived;
	*step = step_at(derived, at);
	if (!*step || !base->step_count)
		return NULL;
	uint32_t index = (uint32_t)(*step - derived->steps);
	const struct step *same =
		&base->steps[index < base->step_count ? index : base->step_count - 1];
	for (uint32_t i = 0; i < base->step_count; i++)
		if (base->steps[i].number == (*step)->number)
			same = &base->steps[i];
	return same;
}

int64_t timeline_base_shift(const struct timeline *timeline, int64_t at)
{
	const struct step *step, *same = timeline_base_step(timeline, at, &step);
	return same ? same->start - step->start : 0;
}
