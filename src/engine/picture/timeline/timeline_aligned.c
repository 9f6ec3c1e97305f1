/*
 * The streams of the base run in the time of this run: work begins where the work in its place of
 * the sequence does, and has its own length, up to the next.
 */
#include "picture/timeline/timeline_private.h"

#include <stdlib.h>

uint32_t timeline_base_name(const struct timeline *timeline, uint32_t row)
{
	const struct intern *own = timeline->rank->profile->strings;
	const struct profile *base = timeline->base->rank->profile;
	uint32_t name = base->activity_name[row];
	return intern_find(own, INTERNED(base->strings, name));
}

/* By row of BASE, its time between the neighbors FIRST and LAST (events) that have one. */
static void place_between(const struct timeline *timeline, const struct lane *base, uint32_t first,
			  uint32_t last)
{
	int64_t *placed = timeline->placed;
	bool before = first != NO_ROW, after = last < base->count;
	uint32_t anchor = before ? first : after ? last : 0;
	int64_t from = lane_start(base, anchor);
	int64_t start = before || after ? placed[lane_row(base, anchor)]
					: from - timeline_base_shift(timeline, 0);
	double scale = 1;
	if (before && after && lane_start(base, last) > from)
		scale = (double)(placed[lane_row(base, last)] - start) /
			(double)(lane_start(base, last) - from);
	for (uint32_t i = before ? first + 1 : 0; i < last; i++)
		placed[lane_row(base, i)] =
			start + (int64_t)((double)(lane_start(base, i) - from) * scale);
}

static void place_stream(const struct timeline *timeline, const struct lane *base)
{
	const struct profile *profile = timeline->base->rank->profile;
	int64_t *placed = timeline->placed, *lengths = placed + profile->activities;
	uint32_t known = NO_ROW;
	for (uint32_t i = 0; i < base->count; i++) {
		if (timeline->own_of[lane_row(base, i)] == NO_ROW)
			continue;
		place_between(timeline, base, known, i);
		known = i;
	}
	place_between(timeline, base, known, base->count);
	for (uint32_t i = 0; i < base->count; i++) {
		uint32_t row = lane_row(base, i);
		int64_t room = i + 1 < base->count ? placed[lane_row(base, i + 1)] - placed[row]
						   : INT64_MAX;
		lengths[row] = base->dur[row] < room ? base->dur[row] : room > 0 ? room : 0;
	}
}

/* How the work in its place compares: as before within a tenth, and a tick of recordings. */
static enum lane_group judge(const struct timeline *timeline, uint32_t base_row)
{
	enum { TICK_NS = 1000, PARTS = 10 };
	uint32_t row = timeline->own_of[base_row];
	if (row == NO_ROW)
		return GROUP_GONE;
	int64_t before = timeline->base->rank->profile->activity_dur[base_row];
	int64_t more = timeline->rank->profile->activity_dur[row] - before;
	if (llabs(more) <= TICK_NS || llabs(more) < before / PARTS)
		return GROUP_SAME;
	return more > 0 ? GROUP_SLOWER : GROUP_FASTER;
}

/* The lane of the base run shows its work placed and judged from now on. */
static void show_placed(const struct timeline *timeline, struct lane *lane)
{
	lane->start = timeline->placed;
	lane->dur = timeline->placed + timeline->base->rank->profile->activities;
	lane->own_group = mem_zalloc(lane->count + (size_t)1, 1);
	for (uint32_t i = 0; i < lane->count; i++)
		lane->own_group[i] = (uint8_t)judge(timeline, lane_row(lane, i));
}

static bool align_stream(struct timeline *timeline, const struct lane *own, struct lane *base,
			 const struct progress *progress)
{
	const struct profile *profile = timeline->rank->profile;
	AUTO_FREE uint32_t *keys = mem_alloc((own->count + (size_t)1) * sizeof *keys);
	AUTO_FREE uint32_t *base_keys = mem_alloc((base->count + (size_t)1) * sizeof *base_keys);
	AUTO_FREE uint32_t *partner = mem_alloc((own->count + (size_t)1) * sizeof *partner);
	for (uint32_t i = 0; i < own->count; i++)
		keys[i] = profile->activity_name[lane_row(own, i)];
	for (uint32_t i = 0; i < base->count; i++)
		base_keys[i] = timeline_base_name(timeline, lane_row(base, i));
	if (!sequences_align(base_keys, base->count, keys, own->count, partner, progress))
		return false;
	for (uint32_t i = 0; i < own->count; i++) {
		if (partner[i] == NO_ROW)
			continue;
		uint32_t row = lane_row(own, i), other = lane_row(base, partner[i]);
		timeline->base_of[row] = other;
		timeline->own_of[other] = row;
		timeline->placed[other] = lane_start(own, i);
	}
	place_stream(timeline, base);
	show_placed(timeline, base);
	return true;
}

bool timeline_base_work(const struct timeline *timeline, uint32_t row, int64_t *dur)
{
	uint32_t other = timeline->base_of ? timeline->base_of[row] : NO_ROW;
	if (other != NO_ROW)
		*dur = timeline->base->rank->profile->activity_dur[other];
	return other != NO_ROW;
}

bool timeline_align_base(struct timeline *timeline, const struct progress *progress)
{
	struct lane *lanes = timeline->base->lanes->lane;
	size_t count = timeline->base->rank->profile->activities;
	size_t both = count + timeline->rank->profile->activities;
	timeline->own_of = mem_alloc((both + 1) * sizeof *timeline->own_of);
	timeline->base_of = timeline->own_of + count;
	timeline->placed = mem_zalloc(2 * count + 1, sizeof *timeline->placed);
	memset(timeline->own_of, 0xff, both * sizeof *timeline->own_of);
	for (uint32_t i = 0; i < timeline->lanes->count; i++) {
		const struct lane *own = &timeline->lanes->lane[i];
		uint32_t base = timeline->base_lanes[i];
		if (base != NO_ROW && own->activities && !lanes[base].own_group &&
		    !align_stream(timeline, own, &lanes[base], progress))
			return false;
	}
	return true;
}
