#include "base/any_of.h"
#include "session/join.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t minute = INT64_C(60000000000), year_2000 = INT64_C(946684800000000000);

/* A range of Unix time in ns. */
struct telemetry_range {
	int64_t from, to;
};

static struct telemetry_range range_of(const struct profile *profile)
{
	struct telemetry_range range = { 0, 0 };
	if (!__builtin_add_overflow(profile->epoch_ns, profile->base_ns, &range.from) &&
	    range.from > year_2000 &&
	    !__builtin_add_overflow(range.from, profile->end_ns, &range.to))
		return range;
	return (struct telemetry_range){ 0, 0 };
}

static int64_t overlap(struct telemetry_range a, struct telemetry_range b, int64_t zone)
{
	int64_t from = a.from > b.from - zone ? a.from : b.from - zone;
	int64_t to = a.to < b.to - zone ? a.to : b.to - zone;
	return to - from;
}

/*
 * The minutes by which local times are ahead of UTC; INT_MIN: in no zone do they overlap. Of zones
 * alike the one of whole hours next to UTC.
 */
static int zone_of(struct telemetry_range trace, struct telemetry_range samples, bool local)
{
	enum { QUARTER = 15, ZONE_MAX = 14 * 60 };
	int best = INT32_MIN;
	int64_t longest = -1;
	for (int hours = 1; hours >= 0; hours--)
		for (int at = 0; at <= (local ? ZONE_MAX : 0); at += hours ? 60 : QUARTER)
			for (int sign = 1; sign >= -1; sign -= 2) {
				int64_t both = overlap(trace, samples, sign * at * minute);
				if (both < 0 || both <= longest)
					continue;
				longest = both;
				best = sign * at;
			}
	return best;
}

/* The only device with work, or -1. */
static int32_t only_device(const struct profile *profile, bool with_work)
{
	int32_t only = -1;
	for_each (track, profile->tracks, profile->track_count) {
		if (track->device < 0 || (with_work && !track->activities))
			continue;
		if (only >= 0 && only != track->device)
			return -1;
		only = track->device;
	}
	return only;
}

/* A lane of TIMELINE like that of the samples, on DEVICE. */
static uint32_t add_lane(struct profile *timeline, const struct profile *samples,
			 const struct track *from, int32_t device)
{
	struct track lane = *from;
	lane.process = 0;
	for (size_t t = 0; t < timeline->track_count; t++)
		if (timeline->tracks[t].device == device)
			lane.process = timeline->tracks[t].process;
	lane.label = join_text(timeline, samples, from->label);
	lane.name = join_text(timeline, samples, from->name);
	lane.device = device;
	lane.first_span = timeline->spans;
	lane.first_activity = timeline->activities;
	*mem_push(timeline->tracks, timeline->track_count) = lane;
	return (uint32_t)timeline->track_count - 1;
}

/* The mean distance of samples of one counter. */
static int64_t distance_of(const struct profile *samples)
{
	int64_t count =
		count_where(i, samples->counter_count,
			    samples->counters[i].name == samples->counters[0].name &&
				    samples->counters[i].track == samples->counters[0].track);
	return count > 1 ? samples->end_ns / (count - 1) : 0;
}

/* Returns how many counters are in the timeline; SHIFT: from their times to its times. */
static size_t add_counters(struct profile *timeline, const struct profile *samples, int64_t shift)
{
	AUTO_FREE uint32_t *lane_of = mem_no_rows(samples->track_count + 1);
	int32_t only = only_device(samples, false) >= 0 ? only_device(timeline, true) : -1;
	int64_t margin = 2 * distance_of(samples);
	size_t within = 0;
	for (size_t i = 0; i < samples->counter_count; i++) {
		struct counter counter = samples->counters[i];
		const struct track *from = &samples->tracks[counter.track];
		if (counter.time == NO_VALUE)
			continue;
		counter.time += shift;
		if (counter.time < -margin || counter.time > timeline->end_ns + margin)
			continue;
		uint32_t *lane = &lane_of[counter.track];
		if (*lane == NO_ROW)
			*lane = add_lane(timeline, samples, from, only >= 0 ? only : from->device);
		counter.track = *lane;
		counter.name = join_text(timeline, samples, counter.name);
		counter.series = join_text(timeline, samples, counter.series);
		within += counter.time >= 0 && counter.time <= timeline->end_ns;
		*mem_push(timeline->counters, timeline->counter_count) = counter;
	}
	return within;
}

void join_telemetry(struct profile *timeline, const struct profile *samples)
{
	struct telemetry_range trace = range_of(timeline), taken = range_of(samples);
	const char *clock = profile_metadata(samples, TELEMETRY_CLOCK);
	const char *slash = strrchr(samples->path, '/');
	const char *file = slash ? slash + 1 : samples->path;
	bool local = clock && strcmp(clock, TELEMETRY_UNIX) != 0;
	char note[320];
	int zone = trace.from && taken.from ? zone_of(trace, taken, local) : INT32_MIN;
	if (!trace.from)
		snprintf(note, sizeof note, "%.100s not added: the trace has no time of day", file);
	else if (!taken.from)
		snprintf(note, sizeof note, "%.100s not added: its clock is %.100s", file, clock);
	else if (zone == INT32_MIN)
		snprintf(note, sizeof note, "%.100s not added: taken at another time", file);
	else {
		size_t count =
			add_counters(timeline, samples, taken.from - zone * minute - trace.from);
		snprintf(note, sizeof note, "%zu values of %.100s%s", count, file,
			 local ? "; local time without a zone" : "");
		if (local)
			snprintf(note + strlen(note), sizeof note - strlen(note),
				 ", taken for UTC%c%02d:%02d, where it overlaps the trace longest",
				 zone < 0 ? '-' : '+', abs(zone) / 60, abs(zone) % 60);
	}
	join_note(timeline, TELEMETRY_JOINED, note);
}
