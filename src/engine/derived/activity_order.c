#include "derived/activity_order.h"

#include "base/merge_runs.h"
#include "derived/derived.h"
#include "derived/derived_cache.h"

/* Merges the tracks, each of which is sorted. NULL when cancelled. */
static void *sort_by_start(const void *from, const struct progress *progress)
{
	const struct profile *profile = from;
	AUTO_FREE struct merge_run *heap = mem_alloc((profile->track_count + 1) * sizeof *heap);
	uint32_t *rows = mem_alloc(((size_t)profile->activities + 1) * sizeof *rows);
	size_t lanes = 0, count = 0;
	for_each (track, profile->tracks, profile->track_count) {
		if (track->activities)
			heap[lanes++] =
				(struct merge_run){ profile->activity_start, track->first_activity,
						    track->first_activity + track->activities };
	}
	merge_begin(heap, lanes);
	bool ok = true;
	while (lanes && ok) {
		ok = progress_row(progress, "sorting launches", count, profile->activities);
		rows[count++] = heap->next;
		lanes = merge_next(heap, lanes);
	}
	return mem_if(ok, rows);
}

const uint32_t *derived_by_start(const struct derived *derived, const struct progress *progress)
{
	static const struct derived_slot slot = { sort_by_start, mem_free };
	return derived_cache_get(derived, &slot, derived->profile, progress);
}
