#include "analysis/pyramid.h"

#include "base/error.h"

enum { BLOCK = 32, LEVELS_MAX = 32 };

/* State at the start of a block of events. */
struct pyramid_block {
	int64_t start; /* of its first event */
	int64_t busy;  /* union of all events before */
	int64_t end;   /* latest end before; INT64_MIN: none */
	uint32_t last; /* the event with that end */
};

struct pyramid {
	uint32_t blocks;
	struct pyramid_block *block;
	int64_t *gap;                  /* by block: the longest idle gap before one of its events */
	int64_t longest_gap;           /* of all */
	int groups;                    /* number present in the lane */
	uint8_t group[LANE_GROUPS];    /* by slot */
	uint8_t slot[LANE_GROUPS];     /* by group */
	int64_t *group_busy;           /* [blocks * groups]: share of `busy` by group */
	uint32_t *longest[LEVELS_MAX]; /* [blocks >> level, rounded up] */
	uint32_t longest_count[LEVELS_MAX];
	int levels;
};

void pyramid_free(struct pyramid *pyramid)
{
	if (!pyramid)
		return;
	mem_free_each(pyramid->longest, pyramid->levels);
	mem_free_all(pyramid->block, pyramid->gap, pyramid->group_busy, pyramid);
}

size_t pyramid_size(const struct pyramid *pyramid)
{
	if (!pyramid)
		return 0;
	size_t size = sizeof *pyramid;
	size += pyramid->blocks * (sizeof *pyramid->block + sizeof *pyramid->gap);
	size += pyramid->blocks * (size_t)pyramid->groups * sizeof *pyramid->group_busy;
	for (int i = 0; i < pyramid->levels; i++)
		size += pyramid->longest_count[i] * sizeof *pyramid->longest[i];
	return size;
}

/* ---- prefix sums at a time ---- */

struct pyramid_cut {
	uint32_t index;                  /* number of events that start before */
	int64_t busy;                    /* busy time before */
	int64_t end;                     /* latest end of those events; INT64_MIN: none */
	uint32_t last;                   /* the event with that end */
	int64_t group_busy[LANE_GROUPS]; /* by slot; approximate when events overlap */
};

/* What an event adds to the union of earlier ones. */
static int64_t added(int64_t start, int64_t end, int64_t before)
{
	int64_t from = start > before ? start : before;
	return end > from ? end - from : 0;
}

static void cut_add(struct pyramid_cut *cut, uint32_t event, int64_t start, int64_t end)
{
	cut->busy += added(start, end, cut->end);
	if (end >= cut->end) {
		cut->end = end;
		cut->last = event;
	}
	cut->index = event + 1;
}

/* The cut at the start of a block. */
static void cut_at_block(const struct pyramid *pyramid, uint32_t block, struct pyramid_cut *cut)
{
	const struct pyramid_block *at = &pyramid->block[block];
	cut->index = block * BLOCK;
	MEMBERS(cut, at, TAKE(busy) TAKE(end) TAKE(last));
	memcpy(cut->group_busy, pyramid->group_busy + (size_t)block * (size_t)pyramid->groups,
	       (size_t)pyramid->groups * sizeof *cut->group_busy);
}

/* What lasts beyond TIME does not count yet; LATER: it does, as it did before. */
static void cut_end(const struct lanes *lanes, const struct lane *lane, int64_t time, bool later,
		    struct pyramid_cut *cut)
{
	const struct pyramid *pyramid = lane_pyramid(lane);
	if (cut->end <= time)
		return;
	int64_t beyond = later ? time - cut->end : cut->end - time;
	cut->busy -= beyond;
	if (lanes && pyramid->groups > 1)
		cut->group_busy[pyramid->slot[lane_event_group(lanes, lane, cut->last)]] -= beyond;
}

/* From the cut at BEFORE on to the one at TIME. LANES NULL: without groups. */
static void move_cut(const struct lanes *lanes, const struct lane *lane, int64_t before,
		     int64_t time, struct pyramid_cut *cut)
{
	const struct pyramid *pyramid = lane_pyramid(lane);
	uint32_t near = cut->index / BLOCK + 1; /* the block after the one that it is in */
	bool far = near < pyramid->blocks && pyramid->block[near].start < time;
	uint32_t block =
		far ? search_first(i, near, pyramid->blocks, pyramid->block[i].start >= time) : 0;
	if (far)
		cut_at_block(pyramid, block - 1, cut);
	else
		cut_end(lanes, lane, before, true, cut);
	bool grouped = lanes && pyramid->groups > 1;
	for (uint32_t event = cut->index; event < lane->count; event++) {
		int64_t start = lane_start(lane, event);
		if (start >= time)
			break;
		int64_t busy = cut->busy;
		cut_add(cut, event, start, lane_end(lane, event));
		if (grouped)
			cut->group_busy[pyramid->slot[lane_event_group(lanes, lane, event)]] +=
				cut->busy - busy;
	}
	cut_end(lanes, lane, time, false, cut);
}

static void make_cut(const struct lanes *lanes, const struct lane *lane, int64_t time,
		     struct pyramid_cut *cut)
{
	*cut = (struct pyramid_cut){ .end = INT64_MIN, .last = NO_ROW };
	move_cut(lanes, lane, INT64_MIN, time, cut);
}

/* ---- building ---- */

static void find_groups(const struct lanes *lanes, const struct lane *lane, struct pyramid *pyramid)
{
	bool seen[LANE_GROUPS] = { 0 };
	for (uint32_t i = 0; i < lane->count; i++)
		seen[lane_event_group(lanes, lane, i)] = true;
	for (int group = 0; group < LANE_GROUPS; group++) {
		pyramid->slot[group] = (uint8_t)pyramid->groups;
		if (seen[group])
			pyramid->group[pyramid->groups++] = (uint8_t)group;
	}
}

static bool sum_blocks(const struct lanes *lanes, const struct lane *lane, struct pyramid *pyramid,
		       const struct progress *progress)
{
	struct pyramid_cut cut = { .end = INT64_MIN, .last = NO_ROW };
	bool ok = true;
	for_rows (ok, i, lane->count, progress, "summing lanes") {
		uint32_t block = i / BLOCK;
		int64_t start = lane_start(lane, i), end = lane_end(lane, i), busy = cut.busy;
		if (i % BLOCK == 0) {
			pyramid->block[block] =
				(struct pyramid_block){ start, cut.busy, cut.end, cut.last };
			memcpy(pyramid->group_busy + (size_t)block * (size_t)pyramid->groups,
			       cut.group_busy, (size_t)pyramid->groups * sizeof *cut.group_busy);
			pyramid->longest[0][block] = i;
		}
		int64_t idle = cut.end == INT64_MIN ? 0 : start - cut.end;
		raise_to(pyramid->gap[block], idle);
		if (idle > pyramid->longest_gap)
			pyramid->longest_gap = idle;
		if (end - start > lane_end(lane, pyramid->longest[0][block]) -
					  lane_start(lane, pyramid->longest[0][block]))
			pyramid->longest[0][block] = i;
		cut_add(&cut, i, start, end);
		cut.group_busy[pyramid->slot[lane_event_group(lanes, lane, i)]] += cut.busy - busy;
	}
	return ok;
}

static void build_levels(const struct lane *lane, struct pyramid *pyramid)
{
	while (pyramid->longest_count[pyramid->levels - 1] > 1) {
		const uint32_t *below = pyramid->longest[pyramid->levels - 1];
		uint32_t count = pyramid->longest_count[pyramid->levels - 1];
		uint32_t *above = mem_alloc(((size_t)count + 1) / 2 * sizeof *above);
		for (uint32_t i = 0; i < count; i += 2) {
			bool second = i + 1 < count && lane->dur[lane_row(lane, below[i + 1])] >
							       lane->dur[lane_row(lane, below[i])];
			above[i / 2] = below[i + second];
		}
		pyramid->longest_count[pyramid->levels] = (count + 1) / 2;
		pyramid->longest[pyramid->levels++] = above;
	}
}

struct preparing {
	struct lanes *lanes;
	struct lane *lane;
	struct pyramid *pyramid;
	const struct progress *progress;
	struct error *error;
};

static bool pyramid_build(void *context)
{
	struct preparing *self = context;
	struct pyramid *pyramid = self->pyramid = mem_zalloc(1, sizeof *pyramid);
	size_t blocks = ((size_t)self->lane->count + BLOCK - 1) / BLOCK;
	pyramid->blocks = (uint32_t)blocks;
	find_groups(self->lanes, self->lane, pyramid);
	pyramid->block = mem_zalloc(blocks + 1, sizeof *pyramid->block);
	pyramid->gap = mem_zalloc(blocks + 1, sizeof *pyramid->gap);
	pyramid->group_busy = mem_zalloc((blocks + 1) * (size_t)(pyramid->groups + 1),
					 sizeof *pyramid->group_busy);
	pyramid->longest[0] = mem_zalloc(blocks + 1, sizeof *pyramid->longest[0]);
	pyramid->longest_count[0] = pyramid->blocks;
	pyramid->levels = 1;
	if (!sum_blocks(self->lanes, self->lane, pyramid, self->progress))
		return error_cancelled(self->error);
	build_levels(self->lane, pyramid);
	return true;
}

bool lane_prepare(struct lanes *lanes, uint32_t index, const struct progress *progress,
		  struct error *error)
{
	struct lane *lane = &lanes->lane[index];
	struct preparing self = { lanes, lane, NULL, progress, error };
	if (lane_is_prepared(lane))
		return true;
	if (!mem_guard(pyramid_build, &self, error)) {
		pyramid_free(self.pyramid);
		return false;
	}
	atomic_store_explicit(&lane->pyramid, self.pyramid, memory_order_release);
	return true;
}

/* ---- cells ---- */

static enum lane_group dominant(const struct pyramid *pyramid, const struct pyramid_cut *from,
				const struct pyramid_cut *to)
{
	int best = 0;
	int64_t max = INT64_MIN;
	for (int i = 0; i < pyramid->groups; i++) {
		int64_t time = to->group_busy[i] - from->group_busy[i];
		if (time > max) {
			max = time;
			best = i;
		}
	}
	return (enum lane_group)pyramid->group[best];
}

/* Fill a cell from the cuts at its edges. */
static void fill_cell(const struct lanes *lanes, const struct lane *lane,
		      const struct pyramid_cut *a, const struct pyramid_cut *b, int64_t from,
		      int64_t to, struct lane_cell *cell)
{
	const struct pyramid *pyramid = lane_pyramid(lane);
	bool goes_on = a->end > from;
	*cell = (struct lane_cell){
		.busy = b->busy - a->busy,
		.events = b->index - a->index + goes_on,
		.event = NO_ROW,
	};
	if (!cell->events)
		return;
	if (goes_on && a->end >= to)
		cell->event = a->last;
	else if (cell->events == 1)
		cell->event = goes_on ? a->last : a->index;
	else if (b->end >= to && b->last != NO_ROW && lane_start(lane, b->last) <= from)
		cell->event = b->last; /* follows one without duration */
	cell->whole = cell->event != NO_ROW && lane_start(lane, cell->event) <= from &&
		      lane_end(lane, cell->event) >= to;
	if (pyramid->groups <= 1)
		cell->group = (enum lane_group)pyramid->group[0];
	else if (cell->event != NO_ROW)
		cell->group = lane_event_group(lanes, lane, cell->event);
	else if (cell->busy)
		cell->group = dominant(pyramid, a, b);
	else
		cell->group = lane_event_group(lanes, lane, a->index);
}

void lane_cells(const struct lanes *lanes, const struct lane *lane, int64_t from, int64_t to,
		int columns, struct lane_cell *cells)
{
	struct pyramid_cut cuts[2];
	make_cut(lanes, lane, from, &cuts[0]);
	for (int i = 0; i < columns; i++) {
		int64_t begin = lane_edge(from, to, columns, i);
		int64_t end = lane_edge(from, to, columns, i + 1);
		struct pyramid_cut *a = &cuts[i % 2], *b = &cuts[(i + 1) % 2];
		*b = *a;
		move_cut(lanes, lane, begin, end, b);
		fill_cell(lanes, lane, a, b, begin, end, &cells[i]);
	}
}

/* Without groups. */
static struct pyramid_cut cut_at(const struct lane *lane, int64_t time)
{
	struct pyramid_cut cut;
	make_cut(NULL, lane, time, &cut);
	return cut;
}

int64_t lane_busy(const struct lane *lane, int64_t from, int64_t to)
{
	return cut_at(lane, to).busy - cut_at(lane, from).busy;
}

/* ---- single events ---- */

uint32_t lane_events_before(const struct lane *lane, int64_t time)
{
	return cut_at(lane, time).index;
}

uint32_t lane_event_at(const struct lane *lane, int64_t time)
{
	struct pyramid_cut cut = cut_at(lane, time);
	if (cut.index < lane->count && lane_start(lane, cut.index) == time)
		return cut.index;
	return cut.last != NO_ROW && cut.end > time ? cut.last : NO_ROW;
}

/* The part of [FROM, TO) an event covers; -1 when outside. */
static int64_t share(const struct lane *lane, uint32_t event, int64_t from, int64_t to)
{
	int64_t start = lane_start(lane, event), end = lane_end(lane, event);
	if (start >= to || end < from || (end == from && start < from))
		return -1;
	return (end < to ? end : to) - (start > from ? start : from);
}

static void consider(const struct lane *lane, uint32_t event, int64_t from, int64_t to,
		     uint32_t *best, int64_t *max)
{
	int64_t time = share(lane, event, from, to);
	if (time > *max) {
		*max = time;
		*best = event;
	}
}

uint32_t lane_longest(const struct lane *lane, int64_t from, int64_t to)
{
	const struct pyramid *pyramid = lane_pyramid(lane);
	uint32_t best = NO_ROW;
	int64_t max = -1;
	struct pyramid_cut a = cut_at(lane, from), b = cut_at(lane, to);
	if (a.last != NO_ROW)
		consider(lane, a.last, from, to, &best, &max);
	if (b.index > a.index) /* the only one that may extend past TO */
		consider(lane, b.index - 1, from, to, &best, &max);
	uint32_t first = a.index, end = b.index ? b.index - 1 : 0;
	uint32_t low = (first + BLOCK - 1) / BLOCK, high = end / BLOCK;
	if (low >= high) {
		for (uint32_t i = first; i < end; i++)
			consider(lane, i, from, to, &best, &max);
		return best;
	}
	for (uint32_t i = first; i < low * BLOCK; i++)
		consider(lane, i, from, to, &best, &max);
	for (uint32_t i = high * BLOCK; i < end; i++)
		consider(lane, i, from, to, &best, &max);
	for (int level = 0; low < high; level++, low /= 2, high /= 2) {
		if (low % 2)
			consider(lane, pyramid->longest[level][low++], from, to, &best, &max);
		if (high % 2)
			consider(lane, pyramid->longest[level][--high], from, to, &best, &max);
	}
	return best;
}

uint32_t lane_nearest(const struct lane *lane, int64_t time)
{
	uint32_t at = lane_event_at(lane, time);
	if (at != NO_ROW)
		return at;
	uint32_t after = lane_events_before(lane, time);
	if (after == lane->count)
		return after ? after - 1 : NO_ROW;
	if (!after)
		return 0;
	return time - lane_end(lane, after - 1) <= lane_start(lane, after) - time ? after - 1
										  : after;
}

/* The latest end of the events before EVENT. */
static int64_t end_before(const struct lane *lane, uint32_t event)
{
	struct pyramid_cut cut;
	const struct pyramid *pyramid = lane_pyramid(lane);
	cut_at_block(pyramid, event / BLOCK, &cut);
	for (uint32_t i = cut.index; i < event; i++)
		cut_add(&cut, i, lane_start(lane, i), lane_end(lane, i));
	return cut.end;
}

int64_t lane_longest_gap(const struct lane *lane)
{
	return lane_pyramid(lane)->longest_gap;
}

uint32_t lane_gap(const struct lane *lane, uint32_t event, int64_t least, bool backward)
{
	const struct pyramid *pyramid = lane_pyramid(lane);
	int64_t step = backward ? -1 : 1;
	for (int64_t i = (int64_t)event + step; i > 0 && i < lane->count; i += step) {
		if (pyramid->gap[i / BLOCK] < least) {
			/* skip to the next block */
			i = backward ? i - i % BLOCK : i - i % BLOCK + BLOCK - 1;
			continue;
		}
		uint32_t at = (uint32_t)i;
		if (lane_start(lane, at) - end_before(lane, at) >= least)
			return at;
	}
	return NO_ROW;
}

int lane_group_count(const struct lane *lane)
{
	return lane_pyramid(lane)->groups;
}

unsigned lane_groups(const struct lane *lane)
{
	const struct pyramid *pyramid = lane_pyramid(lane);
	unsigned groups = 0;
	for (int i = 0; i < pyramid->groups; i++)
		groups |= 1U << pyramid->group[i];
	return groups;
}
