#include "analysis/energy.h"

#include "base/any_of.h"
#include "base/compare.h"
#include "base/sort.h"

#include <math.h>

enum { GAP = 5 }; /* times the median distance of samples: between them nothing is known */

/* A sample of power. */
struct power_sample {
	int64_t time, covered; /* COVERED: ns from the first sample that are known */
	double watts, joules;  /* JOULES: since the first sample */
	int32_t device;
	bool gap; /* nothing is known between it and the next */
};

struct energy_device {
	int32_t id;
	size_t first, count;
};

struct energy {
	GROWING(struct power_sample, samples, count); /* by device and time */
	struct energy_device *devices;                /* with power and work */
	size_t device_count;
};

COMPARE_MEMBERS(compare_power, struct power_sample, UP(device) UP(time))

static int64_t median_distance(const struct power_sample *samples, size_t count)
{
	AUTO_FREE int64_t *distances = mem_alloc(count * sizeof *distances);
	for (size_t i = 0; i + 1 < count; i++)
		distances[i] = samples[i + 1].time - samples[i].time;
	qsort(distances, count - 1, sizeof *distances, compare_int64);
	return count > 1 ? distances[(count - 1) / 2] : 0;
}

/* Sum up the samples of a device. */
static void add_up(struct power_sample *samples, size_t count)
{
	int64_t far = GAP * median_distance(samples, count);
	for (size_t i = 0; i + 1 < count; i++) {
		struct power_sample *from = &samples[i], *to = &samples[i + 1];
		int64_t ns = to->time - from->time;
		from->gap = ns > far;
		to->covered = from->covered + (from->gap ? 0 : ns);
		to->joules = from->joules +
			     (from->gap ? 0 : (from->watts + to->watts) / 2 * (double)ns / 1e9);
	}
}

struct energy *energy_new(const struct profile *profile)
{
	struct energy *energy = mem_zalloc(1, sizeof *energy);
	uint32_t power = profile_find(profile, COUNTER_POWER);
	for (size_t i = 0; power != NO_ROW && i < profile->counter_count; i++) {
		const struct counter *at = &profile->counters[i];
		if (at->name != power || at->time == NO_VALUE || !isfinite(at->value))
			continue;
		*mem_push(energy->samples, energy->count) =
			(struct power_sample){ .time = at->time,
					       .watts = at->value,
					       .device = profile->tracks[at->track].device };
	}
	sort_items(energy->samples, energy->count, compare_power);
	for (size_t first = 0, end; first < energy->count; first = end) {
		int32_t id = energy->samples[first].device;
		for (end = first; end < energy->count && energy->samples[end].device == id;)
			end++;
		add_up(energy->samples + first, end - first);
		if (any_of(t, profile->track_count,
			   profile->tracks[t].device == id && profile->tracks[t].activities))
			*mem_push(energy->devices, energy->device_count) =
				(struct energy_device){ id, first, end - first };
	}
	return keep_if(energy->device_count, energy, energy_free);
}

FREE_OBJECT(energy_free, struct energy, OWN(samples) OWN(devices))

/* What is known up to TIME. */
static struct power_sample at_time(const struct power_sample *samples, size_t count, int64_t time)
{
	size_t low = 0, high = count; /* the last sample not after TIME */
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		*(samples[middle].time <= time ? &low : &high) = middle;
	}
	struct power_sample at = samples[low];
	if (time <= at.time || at.gap || low + 1 == count)
		return at;
	const struct power_sample *next = &samples[low + 1];
	double ns = (double)(time - at.time);
	double watts = at.watts + (next->watts - at.watts) * ns / (double)(next->time - at.time);
	at.joules += (at.watts + watts) / 2 * ns / 1e9;
	at.covered += time - at.time;
	return at;
}

void energy_add(const struct energy *energy, int32_t device, int64_t from, int64_t to,
		struct energy_sum *sum)
{
	for_each (of, energy->devices, energy->device_count) {
		const struct power_sample *samples = energy->samples + of->first;
		if (device >= 0 && of->id != device)
			continue;
		struct power_sample start = at_time(samples, of->count, from);
		struct power_sample end = at_time(samples, of->count, to);
		sum->joules += end.joules - start.joules;
		sum->covered += end.covered - start.covered;
		sum->all += to - from;
	}
}

/* ---- by activity ---- */

struct energy_place {
	int64_t start;
	int32_t device;
	uint32_t activity;
};

COMPARE_MEMBERS(compare_places, struct energy_place, UP(device) UP(start) UP(activity))

bool energy_divide(const struct energy *energy, const struct profile *profile, energy_taker *take,
		   void *context, const struct progress *progress)
{
	AUTO_FREE struct energy_place *places =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *places);
	size_t count = 0;
	for (uint32_t i = 0; i < profile->activities; i++)
		if (profile_is_work(profile, i))
			places[count++] =
				(struct energy_place){ profile->activity_start[i],
						       profile_activity_device(profile, i), i };
	bool ok = sort_runs(places, count, sizeof *places, compare_places, progress);
	int64_t until = INT64_MIN;
	for_rows (ok, i, count, progress, "dividing energy") {
		int64_t end = profile_activity_end(profile, places[i].activity);
		struct energy_sum sum = { 0 };
		if (i && places[i].device != places[i - 1].device)
			until = INT64_MIN;
		int64_t from = places[i].start > until ? places[i].start : until;
		if (from >= end)
			continue;
		until = end;
		energy_add(energy, places[i].device, from, end, &sum);
		take(context, places[i].activity, &sum);
	}
	return ok;
}
