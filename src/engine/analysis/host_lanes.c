#include "analysis/host_lanes.h"

#include "analysis/host_walk.h"
#include "base/binary_search.h"
#include "base/parallel.h"

static const char stage[] = "explaining idle time";

int64_t segment_end_long(const struct host_lane *lane, size_t i)
{
	size_t at = search_first(k, 0, lane->end_count - 1, lane->ends[k].segment >= i);
	return lane->ends[at].end;
}

static void end_last(struct host_lane *lane, int64_t end)
{
	size_t last = lane->count - 1;
	struct host_segment *segment = segment_at(lane, last);
	uint64_t ns = (uint64_t)end - (uint64_t)segment->start;
	segment->ns = ns < SEGMENT_LONG ? (uint32_t)ns : SEGMENT_LONG;
	if (ns < SEGMENT_LONG)
		return;
	if (!lane->end_count || lane->ends[lane->end_count - 1].segment != last) {
		mem_grow(lane->ends, lane->end_count + 1);
		lane->ends[lane->end_count++].segment = last;
	}
	lane->ends[lane->end_count - 1].end = end;
}

static struct host_segment *append(struct host_lane *lane)
{
	size_t block = lane->count / SEGMENTS, at = lane->count % SEGMENTS;
	if (!at) {
		mem_grow(lane->blocks, block + 1);
		lane->blocks[block] = block ? mem_alloc(SEGMENTS * sizeof **lane->blocks) : NULL;
	}
	if (!block)
		mem_grow(lane->blocks[0], at + 1);
	lane->count++;
	return &lane->blocks[block][at];
}

static void add_segment(void *context, uint32_t span, int64_t start, int64_t end)
{
	struct host_lane *lane = context;
	uint8_t cause = lane->span_cause[span];
	if (cause == CAUSE_UNKNOWN)
		return;
	struct host_segment *last = lane->count ? segment_at(lane, lane->count - 1) : NULL;
	if (last && lane->span_cause[last->span] == cause &&
	    segment_end(lane, lane->count - 1) == start) {
		end_last(lane, end);
		if (end - start > lane->longest) {
			lane->longest = end - start;
			last->span = span;
		}
		return;
	}
	*append(lane) = (struct host_segment){ .start = start, .span = span };
	end_last(lane, end);
	lane->longest = end - start;
}

size_t segment_after(const struct host_lane *lane, int64_t time, size_t near)
{
	size_t low = near, high = near, step = 1;
	for (; low && segment_end(lane, low - 1) > time; step *= 2) {
		high = low - 1;
		low = high > step ? high - step : 0;
	}
	for (; high < lane->count && segment_end(lane, high) <= time; step *= 2) {
		low = high + 1;
		high += step;
	}
	high = high < lane->count ? high : lane->count;
	return search_first(i, low, high, segment_end(lane, i) > time);
}

struct lanes_wanted {
	const struct derived *derived;
	const uint8_t *span_cause;
	const struct intervals *within;
	struct host_lanes *lanes;
};

static bool make_lane(void *context, size_t t, const struct progress *progress)
{
	const struct lanes_wanted *wanted = context;
	struct host_lane *lane = &wanted->lanes->lanes[t];
	lane->span_cause = wanted->span_cause;
	return wanted->derived->profile->tracks[t].device >= 0 ||
	       host_walk(wanted->derived, (uint32_t)t, wanted->within, add_segment, lane, progress);
}

struct host_lanes *host_lanes_make(const struct derived *derived, const uint8_t *span_cause,
				   const struct intervals *within, const struct progress *progress)
{
	struct host_lanes *lanes = mem_zalloc(1, sizeof *lanes);
	struct lanes_wanted wanted = { derived, span_cause, within, lanes };
	lanes->count = derived->profile->track_count;
	lanes->lanes = mem_zalloc(lanes->count + 1, sizeof *lanes->lanes);
	if (parallel_try_rows(profile_rows(derived->profile), lanes->count, make_lane, &wanted,
			      stage, progress, NULL))
		return lanes;
	host_lanes_free(lanes);
	return NULL;
}

void host_lanes_free(struct host_lanes *lanes)
{
	for (size_t t = 0; lanes && t < lanes->count; t++) {
		for (size_t i = 0; i * SEGMENTS < lanes->lanes[t].count; i++)
			mem_free(lanes->lanes[t].blocks[i]);
		mem_free_all(lanes->lanes[t].blocks, lanes->lanes[t].ends);
	}
	if (lanes)
		mem_free(lanes->lanes);
	mem_free(lanes);
}

bool host_lanes_pool(const struct host_lanes *lanes, struct intervals pooled[TIME_CAUSES],
		     const struct progress *progress)
{
	for (size_t t = 0; t < lanes->count; t++)
		for (size_t i = 0; i < lanes->lanes[t].count; i++) {
			const struct host_lane *lane = &lanes->lanes[t];
			const struct host_segment *segment = segment_at(lane, i);
			if (!progress_row(progress, stage, i, lane->count))
				return false;
			intervals_add(&pooled[lane->span_cause[segment->span]], segment->start,
				      segment_end(lane, i));
		}
	for (int cause = 0; cause < TIME_CAUSES; cause++)
		intervals_merge(&pooled[cause]);
	return progress_update(progress, stage, 0, 0, 0);
}
