/*
 * Lanes of events that are no rows: steps, and what devices and other ranks do.
 */
#include "analysis/device_metrics.h"
#include "base/compare.h"
#include "analysis/lanes_private.h"
#include "analysis/pyramid.h"
#include "derived/intervals.h"
#include "model/recording.h"

#include <stdlib.h>

/* Give a lane COUNT unnamed events that are not rows. */
static void own_events(struct lane *lane, size_t count)
{
	lane->start = lane->own_start = mem_alloc((count + 1) * sizeof *lane->own_start);
	lane->dur = lane->own_dur = mem_alloc((count + 1) * sizeof *lane->own_dur);
	lane->count = (uint32_t)count;
}

static struct lane *add_own_lane(struct lanes *lanes, enum lane_kind kind, int32_t device,
				 size_t count)
{
	struct lane *lane = lanes_add(lanes, kind, NO_ROW, device, 0);
	own_events(lane, count);
	return lane;
}

void lanes_add_steps(struct lanes *lanes)
{
	const struct derived *derived = lanes->derived;
	if (!derived->steps_from_profile)
		return;
	struct lane *lane = add_own_lane(lanes, LANE_STEPS, -1, derived->step_count);
	for (uint32_t i = 0; i < derived->step_count; i++) {
		lane->own_start[i] = derived->steps[i].start;
		lane->own_dur[i] = derived->steps[i].end - derived->steps[i].start;
	}
}

/* ---- GPU busy ---- */

/* Unite pairwise: a row is visited log(streams) times. */
static void unite_pairwise(struct intervals *sets, size_t count)
{
	for (size_t gap = 1; gap < count; gap *= 2) {
		for (size_t i = 0; i + gap < count; i += 2 * gap) {
			intervals_unite(&sets[i], &sets[i + gap], &sets[i]);
			intervals_free(&sets[i + gap]);
		}
	}
}

static void add_kernels(const struct selection *selection, const struct track *track,
			struct intervals *set)
{
	const struct profile *profile = selection->profile;
	for (uint32_t i = 0; i < track->activities; i++) {
		uint32_t row = track->first_activity + i;
		if (profile->activity_kind[row] == ACTIVITY_KERNEL &&
		    selection_has_activity(selection, row))
			intervals_add(set, profile->activity_start[row],
				      profile_activity_end(profile, row));
	}
	intervals_merge(set);
}

/* The load of a device, if it is known; false when cancelled. */
static bool add_load(struct lanes *lanes, const struct selection *selection, int32_t device,
		     const struct progress *progress)
{
	size_t count;
	AUTO_FREE struct device_load *loads = device_loads(selection, device, &count, progress);
	if (!loads || count == 0 || count >= UINT32_MAX)
		return loads != NULL;
	struct lane *lane = add_own_lane(lanes, LANE_LOAD, device, count);
	lane->load = mem_alloc((count + 1) * sizeof *lane->load);
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		lane->own_start[i] = loads[i].start;
		lane->own_dur[i] = loads[i].end - loads[i].start;
		lane->load[i] = sum;
		sum += loads[i].load * (double)lane->own_dur[i];
	}
	lane->load[count] = sum;
	return true;
}

/* The integral of the load from the beginning until TIME. */
static double load_until(const struct lane *lane, int64_t time)
{
	uint32_t before = lane_events_before(lane, time);
	if (before == 0)
		return 0;
	int64_t start = lane->start[before - 1], dur = lane->dur[before - 1];
	double part = dur > 0 && time - start < dur ? (double)(time - start) / (double)dur : 1;
	return lane->load[before - 1] + part * (lane->load[before] - lane->load[before - 1]);
}

double lane_load(const struct lane *lane, int64_t from, int64_t to)
{
	return to > from ? (load_until(lane, to) - load_until(lane, from)) / (double)(to - from)
			 : 0;
}

/* TRACKS are the COUNT streams of one device. */
static void lanes_own_add_device(struct lanes *lanes, const struct selection *selection,
				 const uint32_t *tracks, size_t count)
{
	const struct profile *profile = selection->profile;
	AUTO_FREE struct intervals *sets = mem_zalloc(count, sizeof *sets);
	for (size_t i = 0; i < count; i++)
		add_kernels(selection, &profile->tracks[tracks[i]], &sets[i]);
	unite_pairwise(sets, count);
	if (sets[0].count) {
		struct lane *lane = add_own_lane(lanes, LANE_DEVICE,
						 profile->tracks[tracks[0]].device, sets[0].count);
		for (size_t i = 0; i < sets[0].count; i++) {
			lane->own_start[i] = sets[0].item[i].start;
			lane->own_dur[i] = sets[0].item[i].end - sets[0].item[i].start;
		}
	}
	intervals_free(&sets[0]);
}

bool lanes_add_devices(struct lanes *lanes, const struct selection *selection,
		       const struct progress *progress)
{
	bool ok = true;
	const struct profile *profile = selection->profile;
	size_t count = 0;
	AUTO_FREE int64_t *pairs = mem_alloc((profile->track_count + 1) * sizeof *pairs);
	AUTO_FREE uint32_t *tracks = mem_alloc((profile->track_count + 1) * sizeof *tracks);
	for (uint32_t t = 0; t < profile->track_count; t++)
		if (profile->tracks[t].device >= 0 && profile->tracks[t].activities)
			pairs[count++] = (int64_t)profile->tracks[t].device << 32 | t;
	qsort(pairs, count, sizeof *pairs, compare_int64);
	for (size_t i = 0; i < count; i++)
		tracks[i] = (uint32_t)pairs[i];
	for (size_t i = 0, end; i < count && ok; i = end) {
		for (end = i + 1; end < count && pairs[end] >> 32 == pairs[i] >> 32; end++)
			;
		lanes_own_add_device(lanes, selection, tracks + i, end - i);
		ok = profile_times_modeled(profile) ||
		     add_load(lanes, selection, (int32_t)(pairs[i] >> 32), progress);
	}
	return ok;
}

/* ---- other ranks ---- */

void lanes_add_rank(struct lanes *lanes, int64_t rank, const char *why)
{
	struct lane *lane = lanes_add(lanes, LANE_RANK, NO_ROW, -1, 0);
	lane->rank = rank;
	lane->why = why ? mem_strdup(why) : NULL;
}

/* Of an attempt that was cancelled or ran out of memory. */
static void forget_events(struct lane *lane)
{
	mem_free_all(lane->own_start, lane->own_dur, lane->own_group);
	lane->own_start = lane->own_dur = NULL;
	lane->own_group = NULL;
	lane->count = 0;
}

/* Merge two disjoint sets by start. */
static void fill_two(struct lane *lane, const struct intervals *work,
		     const struct intervals *communication, int64_t shift)
{
	size_t count = work->count + communication->count, a = 0, b = 0;
	own_events(lane, count < UINT32_MAX ? count : UINT32_MAX - 1);
	lane->own_group = mem_alloc(count + 1);
	for (uint32_t i = 0; i < lane->count; i++) {
		bool first =
			b == communication->count ||
			(a < work->count && work->item[a].start < communication->item[b].start);
		const struct interval *next = first ? &work->item[a++] : &communication->item[b++];
		lane->own_start[i] = next->start + shift;
		lane->own_dur[i] = next->end - next->start;
		lane->own_group[i] = first ? GROUP_KERNEL : GROUP_COMMUNICATION;
	}
}

bool lane_fill_rank(struct lane *lane, const struct derived *derived, int64_t shift,
		    const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	AUTO_INTERVALS struct intervals work = { 0 }, communication = { 0 };
	bool ok = true;
	forget_events(lane);
	for_rows (ok, i, profile->activities, progress, "building lanes") {
		bool talks = derived_is_communication(derived, i);
		int64_t start = profile->activity_start[i];
		if (talks || profile->activity_kind[i] == ACTIVITY_KERNEL)
			intervals_add(talks ? &communication : &work, start,
				      start + profile->activity_dur[i]);
	}
	intervals_merge(&work);
	intervals_merge(&communication);
	intervals_subtract(&communication, &work, &communication);
	if (ok)
		fill_two(lane, &work, &communication, shift);
	return ok;
}
