/*
 * Links between events: launches, waits, passes.
 */
#include "base/error.h"
#include "picture/timeline/timeline_private.h"

bool timeline_find_links(struct timeline *timeline, const struct progress *progress,
			 struct error *error)
{
	const struct profile *profile = timeline->rank->profile;
	size_t size = ((size_t)profile->spans + 1) * sizeof *timeline->launched;
	timeline->launched = memset(mem_alloc(size), 0xff, size); /* NO_ROW */
	for (uint32_t i = profile->activities; i-- > 0;)
		if (profile->activity_launch[i] != NO_ROW)
			timeline->launched[profile->activity_launch[i]] = i;
	return stream_waits_find(&timeline->waits, profile, progress) || error_cancelled(error);
}

/* COUNT and, if it is on a lane, the end ROW, which may be NO_ROW. */
static size_t add_end(const struct timeline *timeline, struct timeline_event *ends, size_t count,
		      bool activity, uint32_t row)
{
	return count + (row != NO_ROW && lanes_find(timeline->lanes, activity, row,
						    &ends[count].lane, &ends[count].event));
}

size_t timeline_links(const struct timeline *timeline, struct ref row,
		      struct timeline_event ends[TIMELINE_LINKS])
{
	const struct derived *derived = timeline->rank->derived;
	const struct profile *profile = derived->profile;
	const struct stream_waits *waits = &timeline->waits;
	size_t count = 0;
	uint32_t links;
	if (row.kind == REF_LAUNCH) {
		count = add_end(timeline, ends, 0, false, profile->activity_launch[row.a]);
		return add_end(timeline, ends, count, true,
			       stream_waits_of(waits, profile, row.a, INT64_MIN));
	}
	if (row.kind != REF_CALL)
		return 0;
	count = add_end(timeline, ends, 0, true, timeline->launched[row.a]);
	count = add_end(timeline, ends, count, true, stream_waits_of_host(waits, profile, row.a));
	for (int forward = 0; forward < 2; forward++) {
		const struct link *link = links_of(derived, row.a, forward, &links);
		if (links)
			count = add_end(timeline, ends, count, false,
					forward ? link->backward : link->forward);
	}
	return count;
}
