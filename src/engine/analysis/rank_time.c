#include "analysis/rank_time.h"

#include "analysis/rank_matches.h"
#include "derived/intervals.h"
#include "model/run.h"

static const char stage[] = "placing ranks in time";

enum { CELLS_MAX = 1 << 21, BUCKETS_MIN = 16 };

/* Recordings this much shorter than the time from the first start to the last end share no clock.
 */
enum { APART_FACTOR = 100 };

int64_t rank_time_start(const struct rank_time *time, size_t bucket)
{
	int64_t count = (int64_t)time->bucket_count, at = (int64_t)bucket;
	return time->length / count * at + time->length % count * at / count;
}

/* ---- the clock ---- */

/* Of the clock that ranks share; false if a number does not fit. */
static bool times_of(const struct rank_time *time, const struct run *run, size_t i, int64_t *start,
		     int64_t *end)
{
	const struct rank_summary *summary = run->ranks[time->ranks[i]].summary;
	int64_t offset = run->matches ? run->matches->clock_offset[time->ranks[i]] : 0;
	return !__builtin_sub_overflow(summary->start, offset, start) &&
	       !__builtin_sub_overflow(summary->end, offset, end);
}

/* The first start; sets the length, and whether ranks are apart. */
static int64_t find_range(struct rank_time *time, const struct run *run)
{
	int64_t first = INT64_MAX, last = INT64_MIN, longest = 0, start, end;
	for (size_t i = 0; i < time->rank_count; i++) {
		const struct rank_summary *summary = run->ranks[time->ranks[i]].summary;
		int64_t length = summary->end - summary->start;
		longest = length > longest ? length : longest;
		if (!times_of(time, run, i, &start, &end)) {
			time->apart = true;
			continue;
		}
		first = start < first ? start : first;
		last = end > last ? end : last;
	}
	if (!time->apart && (__builtin_sub_overflow(last, first, &time->length) ||
			     time->length / APART_FACTOR > longest))
		time->apart = true;
	if (time->apart)
		time->length = longest;
	return time->apart ? 0 : first;
}

/* ---- buckets ---- */

struct rank_time_placing {
	struct rank_time *time;
	const struct run *run;
	int64_t first;
};

/* Add slice SLICE, from START to END of the common clock, to the buckets it lies in. */
static void add_slice(const struct rank_time *time, struct rank_bucket *buckets,
		      const struct rank_slice *slice, int64_t start, int64_t end)
{
	size_t bucket = (size_t)((double)start / (double)time->length * (double)time->bucket_count);
	bucket -= bucket > 0;
	for (; bucket < time->bucket_count && rank_time_start(time, bucket) < end; bucket++) {
		int64_t from = rank_time_start(time, bucket);
		int64_t to = rank_time_start(time, bucket + 1);
		from = from > start ? from : start;
		to = to < end ? to : end;
		if (to <= from)
			continue;
		float ns = (float)(to - from), part = ns / RANK_SLICE_WHOLE;
		buckets[bucket].recorded += ns;
		buckets[bucket].computation += part * (float)slice->computation;
		buckets[bucket].communication += part * (float)slice->communication;
		buckets[bucket].overlap += part * (float)slice->overlap;
		buckets[bucket].busy += part * (float)slice->busy;
	}
}

/* At most the communication of the bucket: operations may be on another device. */
static void add_waits(const struct rank_time_placing *placing, size_t i,
		      struct rank_bucket *buckets, int64_t origin)
{
	const struct rank_time *time = placing->time;
	size_t rank = time->ranks[i];
	AUTO_INTERVALS struct intervals waits = { 0 };
	bool known = placing->run->matches && placing->run->matches->matched[rank];
	if (known)
		rank_waits(placing->run, rank, &waits);
	for (size_t b = 0; b < time->bucket_count; b++) {
		int64_t from, to;
		float wait = -1;
		if (known && !__builtin_add_overflow(rank_time_start(time, b), origin, &from) &&
		    !__builtin_add_overflow(rank_time_start(time, b + 1), origin, &to))
			wait = (float)intervals_length_in(&waits, from, to);
		buckets[b].wait = wait < buckets[b].communication ? wait : buckets[b].communication;
	}
}

static void place_rank(const struct rank_time_placing *placing, size_t i)
{
	struct rank_time *time = placing->time;
	const struct rank_summary *summary = placing->run->ranks[time->ranks[i]].summary;
	struct rank_bucket *buckets = &time->buckets[i * time->bucket_count];
	int64_t start, end, late = 0; /* after the buckets begin */
	if (!time->apart && times_of(time, placing->run, i, &start, &end))
		late = start - placing->first;
	for (size_t slice = 0; slice < summary->slice_count; slice++)
		add_slice(time, buckets, &summary->slices[slice],
			  rank_slice_start(summary, slice) - summary->start + late,
			  rank_slice_start(summary, slice + 1) - summary->start + late);
	int64_t origin; /* the rank's clock where the buckets begin */
	if (!__builtin_sub_overflow(summary->start, late, &origin))
		add_waits(placing, i, buckets, origin);
}

bool rank_time_make(struct rank_time *time, const struct run *run, const struct scope_list *ranks,
		    const struct progress *progress)
{
	bool ok = true;
	*time = (struct rank_time){ .bucket_count = RANK_SLICES };
	time->ranks = mem_alloc((run->rank_count + 1) * sizeof *time->ranks);
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].summary->slice_count &&
		    scope_list_has(ranks, run->ranks[i].number))
			time->ranks[time->rank_count++] = i;
	if (!time->rank_count)
		return true;
	while (time->bucket_count > BUCKETS_MIN &&
	       time->rank_count * time->bucket_count > CELLS_MAX)
		time->bucket_count /= 2;
	struct rank_time_placing placing = { time, run, find_range(time, run) };
	time->buckets = mem_zalloc(time->rank_count * time->bucket_count, sizeof *time->buckets);
	for_heavy_rows (ok, i, time->rank_count, progress, stage, 256)
		place_rank(&placing, i);
	return ok;
}

CLEAR_MEMBERS(rank_time_free, struct rank_time, OWN(ranks) OWN(buckets))
