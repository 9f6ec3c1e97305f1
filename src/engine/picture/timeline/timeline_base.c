/*
 * The lanes of the base run below those of a timeline.
 */
#include "base/error.h"
#include "picture/timeline/timeline_private.h"

#include <string.h>

/* Name of the track of a lane; NULL: none. */
static const char *track_of(const struct timeline *timeline, uint32_t lane)
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

/* What a thread is called but for its id, which differs from run to run: "(python3)". */
static const char *thread_name(const char *track)
{
	const char *open = strchr(track, '(');
	return open ? open : "";
}

/* Which thread of its name a track is, those with most events first. */
static size_t thread_place(const struct timeline *timeline, uint32_t lane)
{
	const struct lanes *lanes = timeline->lanes;
	const char *name = thread_name(track_of(timeline, lane));
	size_t place = 0;
	for (size_t i = 0; i < timeline->track_count; i++) {
		uint32_t first = timeline->tracks[i].first;
		if (lanes->lane[first].track == lanes->lane[lane].track)
			return place;
		place += lanes->lane[first].device < 0 &&
			 !strcmp(thread_name(timeline->names[first]), name);
	}
	return place;
}

/* By lane: the place of the thread whose outermost work it is; 0 for streams. */
static size_t *thread_places(const struct timeline *timeline)
{
	const struct lanes *lanes = timeline->lanes;
	size_t *places = mem_zalloc((size_t)lanes->count + 1, sizeof *places);
	for (uint32_t i = 0; i < lanes->count; i++)
		if (lanes->lane[i].device < 0 && is_compared(&lanes->lane[i]))
			places[i] = thread_place(timeline, i);
	return places;
}

/* Is it the same device or stream, or a thread of the same name? */
static bool is_same_lane(const struct timeline *timeline, uint32_t lane,
			 const struct timeline *other, uint32_t at)
{
	const struct lane *a = &timeline->lanes->lane[lane], *b = &other->lanes->lane[at];
	if (a->kind != b->kind || a->device != b->device || !is_compared(b))
		return false;
	if (a->kind != LANE_WORK)
		return true;
	if (a->device >= 0)
		return !strcmp(track_of(timeline, lane), track_of(other, at));
	return !strcmp(thread_name(track_of(timeline, lane)), thread_name(track_of(other, at)));
}

/* The lane of that device, or the outermost work of the same stream or thread; NO_ROW. */
static uint32_t find_base_lane(const struct timeline *timeline, uint32_t lane, const size_t *places,
			       const size_t *base_places)
{
	const struct timeline *other = timeline->base;
	for (uint32_t i = 0; i < other->lanes->count; i++)
		if (is_compared(&timeline->lanes->lane[lane]) && places[lane] == base_places[i] &&
		    is_same_lane(timeline, lane, other, i))
			return i;
	return NO_ROW;
}

static void pair_lanes(struct timeline *timeline)
{
	uint32_t count = timeline->lanes->count;
	timeline->base_lanes = mem_alloc((count + (size_t)1) * sizeof *timeline->base_lanes);
	size_t *places = thread_places(timeline), *base_places = thread_places(timeline->base);
	for (uint32_t i = 0; i < count; i++)
		timeline->base_lanes[i] = find_base_lane(timeline, i, places, base_places);
	mem_free(places);
	mem_free(base_places);
}

bool timeline_add_base(struct timeline *timeline, const struct scope *of,
		       const struct progress *progress, struct error *cause)
{
	const struct run *base = timeline->run->base;
	struct error error = { 0 };
	struct scope scope;
	if (!base || !base->rank_count)
		return true;
	scope_init(&scope);
	scope.rank = (int)(base->rank_count == 1 ? base->ranks[0].number : timeline->rank->number);
	scope.shortest = of->shortest;
	scope_set_text(&scope.filter, of->filter);
	timeline->base = timeline_new(base, &scope, progress, &error);
	scope_clear(&scope);
	if (timeline->base)
		pair_lanes(timeline);
	if (timeline->base || error.code != ERROR_CANCELLED)
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
static const struct step *step_at(const struct facts *facts, int64_t time)
{
	uint32_t at = 0;
	while (at + 1 < facts->step_count && facts->steps[at + 1].start <= time)
		at++;
	return facts->step_count ? &facts->steps[at] : NULL;
}

int64_t timeline_base_shift(const struct timeline *timeline, int64_t at)
{
	const struct facts *facts = timeline->rank->facts, *base = timeline->base->rank->facts;
	const struct step *step = step_at(facts, at);
	if (!step || !base->step_count)
		return 0;
	uint32_t index = (uint32_t)(step - facts->steps);
	const struct step *same =
		&base->steps[index < base->step_count ? index : base->step_count - 1];
	for (uint32_t i = 0; i < base->step_count; i++)
		if (base->steps[i].number == step->number)
			same = &base->steps[i];
	return same->start - step->start;
}
