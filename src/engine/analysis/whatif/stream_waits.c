#include "analysis/whatif/stream_waits.h"

#include "base/any_of.h"
#include "base/compare.h"
#include "base/binary_search.h"
#include "base/hash.h"

#include <stdlib.h>

static const char stage[] = "matching events of streams";

static int64_t find_int(const struct profile *profile, uint32_t activity, uint32_t key)
{
	const char *text =
		profile_string(profile, profile_activity_attribute(profile, activity, key));
	char *end;
	long long value = strtoll(text, &end, 10);
	return end != text && !*end ? value : NO_VALUE;
}

/* The call with this correlation id in the process of TRACK, or NO_ROW. */
static uint32_t find_call(const struct profile *profile, const struct hash *calls, uint32_t track,
			  int64_t correlation)
{
	return correlation <= 0 ? NO_ROW
				: hash_last(calls, profile_call_key(profile, track, correlation));
}

static int64_t call_start(const struct profile *profile, const struct hash *calls, uint32_t track,
			  int64_t correlation)
{
	uint32_t span = find_call(profile, calls, track, correlation);
	return span == NO_ROW ? NO_VALUE : profile->span_start[span];
}

/* The stream of the same process and device with this id, or NO_ROW. */
static uint32_t track_of_stream(const struct profile *profile, uint32_t track, int64_t stream)
{
	const struct track *own = &profile->tracks[track];
	return row_where(t, 0, profile->track_count,
			 profile->tracks[t].device == own->device &&
				 profile->tracks[t].tid == stream &&
				 profile->tracks[t].process == own->process &&
				 profile->tracks[t].activities);
}

COMPARE_MEMBERS(compare_waits, struct stream_wait, UP(track) UP(called))

COMPARE_MEMBERS(compare_hosts, struct host_wait, UP(span))

struct collection {
	struct stream_waits *waits;
	const struct profile *profile;
	const struct hash *calls;
	uint32_t stream_key, record_key; /* of attributes */
};

/* A wait of the host: for an event of OTHER, or for the stream of the record itself. */
static void collect_host(struct collection *collection, uint32_t activity, uint32_t other,
			 int64_t recorded)
{
	struct stream_waits *waits = collection->waits;
	const struct profile *profile = collection->profile;
	uint32_t track = profile->activity_track[activity];
	const char *name = profile_string(profile, profile->activity_name[activity]);
	bool of_event = strncmp(name, "Event Sync", 10) == 0;
	uint32_t span = find_call(profile, collection->calls, track,
				  profile->activity_correlation[activity]);
	if (span == NO_ROW || (!of_event && strncmp(name, "Stream Sync", 11) != 0) ||
	    (of_event && (other == NO_ROW || recorded == NO_VALUE)) ||
	    (!of_event && profile->tracks[track].tid < 0))
		return;
	*mem_push(waits->hosts, waits->host_count) =
		(struct host_wait){ .span = span,
				    .track = of_event ? other : track,
				    .recorded = of_event ? recorded : profile->span_start[span] };
}

static void collect_one(struct collection *collection, uint32_t activity)
{
	struct stream_waits *waits = collection->waits;
	const struct profile *profile = collection->profile;
	uint32_t track = profile->activity_track[activity];
	struct stream_wait wait = {
		.track = track,
		.other = track_of_stream(profile, track,
					 find_int(profile, activity, collection->stream_key)),
		.called = call_start(profile, collection->calls, track,
				     profile->activity_correlation[activity]),
		.recorded = call_start(profile, collection->calls, track,
				       find_int(profile, activity, collection->record_key)),
	};
	const char *name = profile_string(profile, profile->activity_name[activity]);
	collect_host(collection, activity, wait.other, wait.recorded);
	if (wait.other == NO_ROW || wait.other == track || wait.called == NO_VALUE ||
	    wait.recorded == NO_VALUE || strncmp(name, "Event Sync", 10) == 0)
		return;
	*mem_push(waits->items, waits->count) = wait;
}

static bool stream_waits_collect(struct collection *collection, const struct progress *progress)
{
	const struct profile *profile = collection->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage)
		if (profile->activity_kind[i] == ACTIVITY_SYNC)
			collect_one(collection, i);
	return ok;
}

bool stream_waits_find(struct stream_waits *waits, const struct profile *profile,
		       const struct progress *progress)
{
	struct collection collection = { .waits = waits,
					 .profile = profile,
					 .stream_key = profile_find(profile, ACTIVITY_WAIT_STREAM),
					 .record_key =
						 profile_find(profile, ACTIVITY_WAIT_RECORD) };
	*waits = (struct stream_waits){ 0 };
	if (!profile->activities ||
	    !memchr(profile->activity_kind, ACTIVITY_SYNC, profile->activities))
		return true;
	AUTO_HASH struct hash *calls = profile_index_calls(profile, stage, progress);
	collection.calls = calls;
	bool ok = calls && stream_waits_collect(&collection, progress);
	if (ok && waits->count)
		qsort(waits->items, waits->count, sizeof *waits->items, compare_waits);
	if (ok && waits->host_count)
		qsort(waits->hosts, waits->host_count, sizeof *waits->hosts, compare_hosts);
	if (!ok)
		stream_waits_free(waits);
	return ok;
}

void stream_waits_free(struct stream_waits *waits)
{
	mem_free_all(waits->items, waits->hosts);
	*waits = (struct stream_waits){ 0 };
}

static bool is_launched_before(const struct profile *profile, uint32_t activity, int64_t time)
{
	uint32_t launch = profile->activity_launch[activity];
	return launch != NO_ROW && profile->span_start[launch] < time;
}

/* Rows without a recorded launch that the search looks past. */
enum { UNLINKED_MAX = 64 };

/* The last work of a stream launched before TIME; a stream runs its work in the order of launches.
 */
static uint32_t last_launched(const struct profile *profile, uint32_t track, int64_t time)
{
	const struct track *lane = &profile->tracks[track];
	uint32_t low = lane->first_activity, high = low + lane->activities;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2, at = middle;
		while (at < high && at - middle < UNLINKED_MAX &&
		       profile->activity_launch[at] == NO_ROW)
			at++;
		if (at < high && is_launched_before(profile, at, time))
			low = at + 1;
		else
			high = middle;
	}
	while (low > lane->first_activity && (profile->activity_kind[low - 1] == ACTIVITY_SYNC ||
					      !is_launched_before(profile, low - 1, time)))
		low--;
	return low > lane->first_activity ? low - 1 : NO_ROW;
}

uint32_t stream_waits_of(const struct stream_waits *waits, const struct profile *profile,
			 uint32_t activity, int64_t from)
{
	uint32_t launch = profile->activity_launch[activity], best = NO_ROW;
	uint32_t track = profile->activity_track[activity];
	if (!waits->count || launch == NO_ROW)
		return NO_ROW;
	int64_t end_max = INT64_MIN;
	size_t first =
		search_first(i, 0, waits->count,
			     waits->items[i].track > track || (waits->items[i].track == track &&
							       waits->items[i].called > from));
	for (size_t i = first; i < waits->count && waits->items[i].track == track &&
			       waits->items[i].called < profile->span_start[launch];
	     i++) {
		uint32_t other =
			last_launched(profile, waits->items[i].other, waits->items[i].recorded);
		int64_t end = other == NO_ROW ? INT64_MIN : profile_activity_end(profile, other);
		if (end > end_max && end <= profile->activity_start[activity]) {
			end_max = end;
			best = other;
		}
	}
	return best;
}

bool stream_waits_recorded(const struct stream_waits *waits, uint32_t track)
{
	size_t first = search_first(i, 0, waits->count, waits->items[i].track >= track);
	return first < waits->count && waits->items[first].track == track;
}

uint32_t stream_waits_of_host(const struct stream_waits *waits, const struct profile *profile,
			      uint32_t span)
{
	size_t at = search_first(i, 0, waits->host_count, waits->hosts[i].span >= span);
	if (at >= waits->host_count || waits->hosts[at].span != span)
		return NO_ROW;
	const struct host_wait *wait = &waits->hosts[at];
	uint32_t last = last_launched(profile, wait->track, wait->recorded);
	int64_t end = last == NO_ROW ? INT64_MIN : profile_activity_end(profile, last);
	bool held = end > profile->span_start[span] && end <= profile_span_end(profile, span);
	return held ? last : NO_ROW;
}
