#include "derived/launch_records.h"

#include "derived/derived.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/hash.h"

#include <stdlib.h>

/* By track with work: its device, as one of those with work, and its stream. */
static uint64_t *key_tracks(const struct profile *profile, const bool *works)
{
	size_t count;
	AUTO_FREE int32_t *devices = profile_devices_of(profile, works, &count);
	uint64_t *keys = mem_zalloc(profile->track_count + 1, sizeof *keys);
	for (size_t t = 0; t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		const int32_t *at = works[t] ? bsearch(&track->device, devices, count,
						       sizeof *devices, compare_int32)
					     : NULL;
		if (at)
			keys[t] = (uint64_t)(at - devices) << 32 | (uint32_t)track->tid;
	}
	return keys;
}

static uint32_t stream_index(const struct stream_sequences *sequences, uint64_t key)
{
	const uint64_t *at = bsearch(&key, sequences->streams, sequences->stream_count, sizeof key,
				     compare_uint64);
	return (uint32_t)(at - sequences->streams);
}

static int64_t step_number(const struct derived *derived, uint32_t activity)
{
	uint32_t step = derived->activity_step[activity];
	return step == NO_ROW || !derived->steps_from_profile ? NO_VALUE
							      : derived->steps[step].number;
}

/* Start the next sequence of a stream. */
static void stream_sequences_begin(struct stream_sequences *sequences, struct hash *parts,
				   uint32_t stream, int64_t step)
{
	uint64_t key = hash_pair(stream, (uint64_t)step);
	uint32_t before = hash_last(parts, key);
	const struct stream_sequence *last = before == NO_ROW ? NULL : &sequences->items[before];
	uint32_t part = last ? last->part + 1 : 0;
	hash_add(parts, key, (uint32_t)sequences->count);
	*mem_push(sequences->items, sequences->count) =
		(struct stream_sequence){ stream, part, step, sequences->work, 0 };
}

static bool stream_sequences_add_track(struct stream_sequences *sequences, struct hash *parts,
				       const struct derived *derived, const struct track *track,
				       uint64_t key, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	uint32_t stream = stream_index(sequences, key);
	bool begun = false;
	for (uint32_t i = track->first_activity; i < track->first_activity + track->activities;
	     i++) {
		if (!progress_row(progress, "ordering device work", i, profile->activities))
			return false;
		if (!profile_is_work(profile, i))
			continue;
		int64_t step = step_number(derived, i);
		if (!begun || sequences->items[sequences->count - 1].step != step)
			stream_sequences_begin(sequences, parts, stream, step);
		begun = true;
		sequences->activities[sequences->work++] = i;
		sequences->items[sequences->count - 1].count++;
	}
	return true;
}

bool stream_sequences_find(struct stream_sequences *sequences, const struct derived *derived,
			   const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	size_t tracks = profile->track_count;
	bool *works = mem_zalloc(tracks + 1, sizeof *works), ok = true;
	AUTO_HASH struct hash *parts = hash_new(64);
	*sequences = (struct stream_sequences){ 0 };
	sequences->streams = mem_zalloc(tracks + 1, sizeof *sequences->streams);
	sequences->activities =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *sequences->activities);
	for (size_t t = 0; t < tracks; t++)
		works[t] = any_of(i, profile->tracks[t].activities,
				  profile_is_work(profile, profile->tracks[t].first_activity + i));
	AUTO_FREE uint64_t *keys = key_tracks(profile, works);
	for (size_t t = 0; t < tracks; t++)
		if (works[t])
			sequences->streams[sequences->stream_count++] = keys[t];
	qsort(sequences->streams, sequences->stream_count, sizeof *keys, compare_uint64);
	for (size_t t = 0; t < tracks && ok; t++)
		if (works[t])
			ok = stream_sequences_add_track(sequences, parts, derived,
							&profile->tracks[t], keys[t], progress);
	mem_free(works);
	return ok;
}

CLEAR_MEMBERS(stream_sequences_free, struct stream_sequences,
	      OWN(streams) OWN(items) OWN(activities))

void stream_sequences_join(struct stream_sequences *whole, const struct stream_sequences *sequences)
{
	for (size_t i = 0; i < sequences->count; i++) {
		struct stream_sequence item = sequences->items[i];
		struct stream_sequence *last =
			whole->count ? &whole->items[whole->count - 1] : NULL;
		if (last && last->stream == item.stream) {
			last->count += item.count;
			continue;
		}
		item.step = NO_VALUE;
		item.part = 0;
		*mem_push(whole->items, whole->count) = item;
	}
}
