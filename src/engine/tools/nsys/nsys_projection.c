#include "tools/nsys/nsys_projection.h"

#include "base/compare.h"
#include "base/sort.h"

/* ---- pairs in ranges ---- */

struct by_range {
	const struct nsys_pair *pairs;
	uint8_t *in_range; /* by pair */
	nsys_take_pair *take;
	void *context;
};

static void parse_range(void *context, const struct nsys_interval *call, uint32_t range)
{
	struct by_range *by_range = context;
	by_range->in_range[call->id] = 1;
	by_range->take(by_range->context, &by_range->pairs[call->id], range);
}

bool nsys_pairs_by_range(const struct profile *profile, const struct nsys_ranges *ranges,
			 const struct nsys_pair *pairs, size_t count, nsys_take_pair *take,
			 void *context, const struct progress *progress)
{
	struct by_range by_range = { pairs, mem_zalloc(count + 1, 1), take, context };
	AUTO_FREE struct nsys_interval *calls = mem_alloc((count + 1) * sizeof *calls);
	size_t call_count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t call = pairs[i].call;
		if (call == NO_ROW)
			continue;
		int64_t start = profile->span_start[call];
		calls[call_count++] =
			(struct nsys_interval){ start, start + profile->span_dur[call],
						profile->span_track[call], (uint32_t)i };
	}
	bool ok = nsys_ranges_around(ranges, calls, call_count, parse_range, &by_range, progress);
	for_rows (ok, i, count, progress, "summarizing")
		if (!by_range.in_range[i])
			take(context, &pairs[i], NO_ROW);
	mem_free(by_range.in_range);
	return ok;
}

/* ---- projecting ---- */

struct launch { /* a correlation id seen in a projection, without padding */
	int64_t correlation;
	uint32_t projection, space;
};

struct projecting {
	const struct profile *profile;
	struct nsys_projection *outside; /* item 0; a range has item 1 + its index */
	struct intern *launches;
};

static void project(void *context, const struct nsys_pair *pair, uint32_t range)
{
	struct projecting *projecting = context;
	const struct profile *profile = projecting->profile;
	uint32_t at = range == NO_ROW ? 0 : range + 1;
	if (pair->call == NO_ROW)
		return;
	struct nsys_projection *item = &projecting->outside[at];
	int64_t start = profile->activity_start[pair->activity];
	int64_t end = start + profile->activity_dur[pair->activity];
	uint32_t track = profile->span_track[pair->call];
	const struct call_info *info = profile_call_info(profile, pair->call);
	struct launch launch = { .correlation = info ? info->correlation : pair->call,
				 .projection = at,
				 .space = info ? 0 : 1 };
	uint32_t known = intern_count(projecting->launches);
	item->start = start < item->start ? start : item->start;
	if (end > item->end)
		item->track = track;
	item->end = end > item->end ? end : item->end;
	item->operations +=
		intern_add(projecting->launches, (const char *)&launch, sizeof launch) >= known;
}

/* ---- items ---- */

struct nsys_projection_order {
	uint32_t record, at;
};

COMPARE_MEMBERS(compare_orders, struct nsys_projection_order, UP(record))

static void count_children(const struct nsys_ranges *ranges, struct nsys_projection *items)
{
	for (size_t i = 0; i < ranges->count; i++) {
		uint32_t parent = ranges->range[i].parent;
		if (parent != NO_ROW && items[i + 1].end != INT64_MIN)
			items[parent + 1].children++;
	}
}

/* Keep the items with work, in the order of their row numbers. */
static bool keep_items(struct nsys_projections *projections, struct nsys_projection *items,
		       const struct progress *progress)
{
	size_t all = projections->ranges.count + 1;
	AUTO_FREE struct nsys_projection_order *orders = mem_alloc(all * sizeof *orders);
	size_t count = 0;
	for (size_t i = 0; i < all; i++)
		if (items[i].end != INT64_MIN)
			orders[count++] = (struct nsys_projection_order){
				i ? projections->ranges.range[i - 1].time.id : 0, (uint32_t)i
			};
	bool ok = sort_runs(orders, count, sizeof *orders, compare_orders, progress);
	projections->item = mem_alloc((count + 1) * sizeof *projections->item);
	for (size_t i = 0; i < count; i++)
		projections->item[i] = items[orders[i].at];
	projections->count = count;
	return ok;
}

bool nsys_projections_make(struct nsys_projections *projections, const struct selection *selection,
			   const struct progress *progress)
{
	enum { WORK = 1 << ACTIVITY_KERNEL | 1 << ACTIVITY_MEMCPY | 1 << ACTIVITY_MEMSET };
	struct projecting projecting = { .profile = selection->profile, .launches = intern_new() };
	size_t pair_count;
	AUTO_FREE struct nsys_pair *pairs = nsys_pairs(selection, WORK, &pair_count, progress);
	*projections = (struct nsys_projections){ 0 };
	bool ok = pairs &&
		  nsys_ranges_make(&projections->ranges, selection, NSYS_ALL_STYLES, progress);
	size_t all = projections->ranges.count + 1;
	projecting.outside = mem_alloc(all * sizeof *projecting.outside);
	for (size_t i = 0; i < all; i++)
		projecting.outside[i] =
			(struct nsys_projection){ .range = i ? (uint32_t)i - 1 : NO_ROW,
						  .track = NO_ROW,
						  .start = INT64_MAX,
						  .end = INT64_MIN };
	ok = ok && nsys_pairs_by_range(selection->profile, &projections->ranges, pairs, pair_count,
				       project, &projecting, progress);
	count_children(&projections->ranges, projecting.outside);
	ok = ok && keep_items(projections, projecting.outside, progress);
	intern_free(projecting.launches);
	mem_free(projecting.outside);
	if (!ok)
		nsys_projections_free(projections);
	return ok;
}

CLEAR_MEMBERS(nsys_projections_free, struct nsys_projections,
	      OWN_IN(nsys_ranges_free, ranges) OWN(item))
