#include "tools/nsys/nsys_pairs.h"

#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"

static const char stage[] = "linking";

uint32_t nsys_record(const struct profile *profile, uint32_t span)
{
	uint32_t record = profile->span_records ? profile->span_record[span] : 0;
	return record ? record : profile_span_id(profile, span) + 1;
}

struct nsys_pairs_item {
	uint32_t order, activity;
};

COMPARE_MEMBERS(compare_items, struct nsys_pairs_item, UP(order))

/* The activities in file order; NULL when cancelled. */
static struct nsys_pairs_item *find_activities(const struct selection *selection, unsigned kinds,
					       size_t *count, const struct progress *progress)
{
	const struct profile *profile = selection->profile;
	struct nsys_pairs_item *items =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *items);
	bool ok = true;
	*count = 0;
	for_rows (ok, i, profile->activities, progress, stage)
		if (kinds >> profile->activity_kind[i] & 1 && selection_has_activity(selection, i))
			items[(*count)++] =
				(struct nsys_pairs_item){ profile->activity_order[i], i };
	return mem_if(ok && sort_runs(items, *count, sizeof *items, compare_items, progress),
		      items);
}

struct nsys_pairs_joining {
	const struct profile *profile;
	const struct hash *calls;
	GROWING(struct nsys_pair, pairs, count);
};

/* Of an activity's pairs, from FIRST on: keep the calls in file order. */
static void add_pair(struct nsys_pairs_joining *joining, size_t first, uint32_t activity,
		     uint32_t call)
{
	const struct profile *profile = joining->profile;
	mem_grow(joining->pairs, joining->count + 1);
	size_t at = joining->count++;
	for (; at > first &&
	       nsys_record(profile, joining->pairs[at - 1].call) > nsys_record(profile, call);
	     at--)
		joining->pairs[at] = joining->pairs[at - 1];
	joining->pairs[at] = (struct nsys_pair){ activity, call };
}

static void nsys_pairs_join(struct nsys_pairs_joining *joining, uint32_t activity)
{
	enum { CALLS_MAX = 64 }; /* limit: calls of one correlation id */
	const struct profile *profile = joining->profile;
	int64_t correlation = profile->activity_correlation[activity];
	uint32_t track = profile->activity_track[activity];
	size_t cursor, first = joining->count;
	uint32_t call = correlation == NO_VALUE
				? NO_ROW
				: hash_find(joining->calls,
					    profile_call_key(profile, track, correlation), &cursor);
	while (call != NO_ROW && joining->count - first < CALLS_MAX) {
		add_pair(joining, first, activity, call);
		call = hash_next(joining->calls, &cursor);
	}
	if (joining->count == first) /* linked by other means, or not at all */
		add_pair(joining, first, activity, profile->activity_launch[activity]);
}

struct nsys_pair *nsys_pairs(const struct selection *selection, unsigned kinds, size_t *count,
			     const struct progress *progress)
{
	size_t items;
	AUTO_FREE struct nsys_pairs_item *item =
		find_activities(selection, kinds, &items, progress);
	AUTO_HASH struct hash *calls =
		item ? profile_index_calls(selection->profile, stage, progress) : NULL;
	struct nsys_pairs_joining joining = { .profile = selection->profile, .calls = calls };
	bool ok = calls != NULL;
	mem_grow(joining.pairs, items + 1);
	for_rows (ok, i, items, progress, stage)
		nsys_pairs_join(&joining, item[i].activity);
	*count = joining.count;
	return mem_if(ok, joining.pairs);
}
