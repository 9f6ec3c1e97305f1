#include "model/fused.h"

#include "base/id_index.h"
#include "model/builder_private.h"

#include <inttypes.h>
#include <stdio.h>

static const char stage[] = "separating processes";

enum {
	OWNERS_MAX = 64,       /* limit: ranks separated in a file without labels */
	CALLS_MAX = 64,        /* calls compared per correlation id at most */
	MATCHING_PERCENT = 90, /* of a device's linked work is one process's, or it is shared */
	TIE_PERCENT = 99,
};

/* Processes that launch, and devices, each in the order of the file. */
struct fused {
	struct builder *builder;
	struct profile *profile;
	const struct progress *progress;
	struct id_index *calls;
	uint32_t *owner_of; /* by process: its index, or NO_ROW */
	uint32_t process[OWNERS_MAX];
	size_t owners;
	struct fused_place {
		bool shared;
		uint32_t owner;
		uint64_t linked, matches[OWNERS_MAX]; /* activities in total, and by process */
	} * places;
	struct keyed devices; /* keys of places */
	struct hash *moved;   /* the new track of a track and owner */
	uint8_t *used;        /* calls, by row */
	uint32_t last_owner;  /* of the previous activity of a shared device, and its call */
	uint32_t last_call;
};

/* Could this be a process of a joined file: is it known by its pid alone? */
static bool is_plain(const struct process *process)
{
	return process->pid != NO_VALUE && !process->label && !process->group;
}

static bool may_be_fused(const struct profile *profile)
{
	size_t hosts = 0;
	if (profile->ids_per_process || !profile->activities)
		return false;
	AUTO_FREE uint8_t *seen = mem_zalloc(profile->process_count + 1, 1);
	bool labeled = false;
	for (size_t t = 0; t < profile->track_count; t++) {
		const struct process *process = &profile->processes[profile->tracks[t].process];
		labeled |= process->group != 0;
		if (profile->tracks[t].device >= 0 || !is_plain(process) ||
		    seen[profile->tracks[t].process])
			continue;
		seen[profile->tracks[t].process] = 1;
		hosts++;
	}
	return hosts > 1 && !labeled;
}

static int64_t correlation_of(const struct profile *profile, uint32_t span)
{
	const struct call_info *info = profile_call_info(profile, span);
	return info && info->correlation > 0 ? info->correlation : NO_VALUE;
}

static bool collect_calls(struct fused *fused)
{
	const struct profile *profile = fused->profile;
	int64_t most = 0;
	for (size_t i = 0; i < profile->call_info_count; i++)
		most = profile->call_infos[i].correlation > most
			       ? profile->call_infos[i].correlation
			       : most;
	fused->calls = id_index_new(0, most, profile->call_info_count);
	memset(fused->owner_of, 0xff, profile->process_count * sizeof *fused->owner_of);
	bool ok = true;
	for_rows (ok, i, profile->spans, fused->progress, stage) {
		uint32_t process = profile->tracks[profile->span_track[i]].process;
		if (correlation_of(profile, i) == NO_VALUE ||
		    !is_plain(&profile->processes[process]))
			continue;
		if (fused->owner_of[process] == NO_ROW && fused->owners < OWNERS_MAX) {
			fused->owner_of[process] = (uint32_t)fused->owners;
			fused->process[fused->owners++] = process;
		}
		if (fused->owner_of[process] != NO_ROW)
			id_index_add(fused->calls, 0, correlation_of(profile, i), i);
	}
	return ok;
}

/* The latest call of each process that may have launched ACTIVITY, NO_ROW; how many have one. */
static size_t find_calls(const struct fused *fused, uint32_t activity, uint32_t call[OWNERS_MAX])
{
	const struct profile *profile = fused->profile;
	int64_t id = profile->activity_correlation[activity];
	size_t found = 0;
	struct id_walk walk;
	memset(call, 0xff, fused->owners * sizeof *call);
	if (id <= 0)
		return 0;
	uint32_t row = id_index_first(fused->calls, 0, id, &walk);
	for (int tried = 0; row != NO_ROW && tried < CALLS_MAX; tried++) {
		uint32_t owner = fused->owner_of[profile->tracks[profile->span_track[row]].process];
		if (owner != NO_ROW &&
		    profile->span_start[row] <= profile->activity_start[activity]) {
			found += call[owner] == NO_ROW;
			call[owner] = row;
		}
		row = id_index_next(fused->calls, &walk);
	}
	return found;
}

static struct fused_place *find_place(struct fused *fused, int32_t device)
{
	return keyed_item(&fused->devices, fused->places, &device);
}

static bool count_matches(struct fused *fused)
{
	const struct profile *profile = fused->profile;
	uint32_t call[OWNERS_MAX];
	bool ok = true;
	for_rows (ok, i, profile->activities, fused->progress, stage) {
		struct fused_place *place =
			find_place(fused, profile->tracks[profile->activity_track[i]].device);
		if (!find_calls(fused, i, call))
			continue;
		place->linked++;
		for (size_t owner = 0; owner < fused->owners; owner++)
			place->matches[owner] += call[owner] != NO_ROW;
	}
	return ok;
}

/* Forget processes that launch none of the work; how many are left. */
static size_t keep_launchers(struct fused *fused)
{
	size_t kept = 0;
	for (size_t owner = 0; owner < fused->owners; owner++) {
		uint64_t matches = 0;
		for_each_mutable (place, fused->places, fused->devices.count) {
			matches += place->matches[owner];
			place->matches[kept] = place->matches[owner];
		}
		fused->owner_of[fused->process[owner]] = matches ? (uint32_t)kept : NO_ROW;
		fused->process[kept] = fused->process[owner];
		kept += matches > 0;
	}
	return kept;
}

/* The process with most matches; of several alike, the first of those with fewest devices. */
static void choose_owners(struct fused *fused)
{
	size_t devices[OWNERS_MAX] = { 0 };
	for_each_mutable (place, fused->places, fused->devices.count) {
		uint64_t most = 0;
		uint32_t best = NO_ROW;
		for (size_t owner = 0; owner < fused->owners; owner++)
			most = place->matches[owner] > most ? place->matches[owner] : most;
		for (uint32_t owner = 0; owner < fused->owners; owner++)
			if (100 * place->matches[owner] >= TIE_PERCENT * most &&
			    (best == NO_ROW || devices[owner] < devices[best]))
				best = owner;
		devices[best]++;
		place->owner = best;
		place->shared = fused->devices.count < fused->owners ||
				100 * most < MATCHING_PERCENT * place->linked;
	}
}

/*
 * On a shared device: the process of the previous activity as long as it has a call that launched
 * nothing yet, or launched the previous one, too; else the first process that has one.
 */
static uint32_t owner_on_shared(struct fused *fused, uint32_t activity)
{
	uint32_t call[OWNERS_MAX], last = fused->last_owner, best = NO_ROW;
	if (!find_calls(fused, activity, call))
		return last;
	if (call[last] != NO_ROW && (!fused->used[call[last]] || call[last] == fused->last_call))
		best = last;
	for (uint32_t owner = 0; owner < fused->owners && best == NO_ROW; owner++)
		if (call[owner] != NO_ROW && !fused->used[call[owner]])
			best = owner;
	for (uint32_t owner = 0; owner < fused->owners && best == NO_ROW; owner++)
		if (call[owner] != NO_ROW)
			best = owner;
	fused->used[call[best]] = 1;
	fused->last_owner = best;
	fused->last_call = call[best];
	return best;
}

static uint64_t moved_key(uint32_t track, uint32_t owner)
{
	return (uint64_t)track * OWNERS_MAX + owner;
}

/* The track of OWNER for the work on TRACK. */
static uint32_t fused_track_of(struct fused *fused, uint32_t track, uint32_t owner)
{
	struct profile *profile = fused->profile;
	uint32_t known = hash_last(fused->moved, moved_key(track, owner));
	if (known != NO_ROW)
		return known;
	const struct process own = profile->processes[profile->tracks[track].process];
	const struct track from = profile->tracks[track];
	char label[80];
	int length = snprintf(label, sizeof label, "[pid %" PRId64 "] %" PRId64,
			      profile->processes[fused->process[owner]].pid, own.pid);
	uint32_t id = intern_add(profile->strings, label, (size_t)length);
	uint32_t process = builder_process(fused->builder, NO_VALUE, id);
	profile->processes[process].name = own.name;
	uint32_t to = builder_track(fused->builder, process, from.tid, from.label, from.device);
	profile->tracks[to].name = from.name;
	profile->tracks[to].sort_index = from.sort_index;
	hash_add(fused->moved, moved_key(track, owner), to);
	return to;
}

/* What else is on a device track goes to the process that owns the device. */
static uint32_t moved_track(struct fused *fused, uint32_t track)
{
	int32_t device = fused->profile->tracks[track].device;
	uint32_t to = NO_ROW;
	if (device >= 0)
		to = hash_last(fused->moved, moved_key(track, find_place(fused, device)->owner));
	return to == NO_ROW ? track : to;
}

/* Move the rows of device tracks to tracks of their processes. */
static bool move_rows(struct fused *fused)
{
	struct profile *profile = fused->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, fused->progress, stage) {
		uint32_t track = profile->activity_track[i];
		const struct fused_place *place = find_place(fused, profile->tracks[track].device);
		uint32_t owner = place->shared ? owner_on_shared(fused, i) : place->owner;
		profile->activity_track[i] = fused_track_of(fused, track, owner);
	}
	for_rows (ok, i, profile->spans, fused->progress, stage)
		profile->span_track[i] = moved_track(fused, profile->span_track[i]);
	for_rows (ok, i, profile->counter_count, fused->progress, stage)
		profile->counters[i].track = moved_track(fused, profile->counters[i].track);
	return ok;
}

static void group_hosts(struct fused *fused)
{
	struct profile *profile = fused->profile;
	for (size_t owner = 0; owner < fused->owners; owner++) {
		struct process *process = &profile->processes[fused->process[owner]];
		char group[40];
		int length = snprintf(group, sizeof group, "[pid %" PRId64 "]", process->pid);
		process->group = intern_add(profile->strings, group, (size_t)length);
	}
}

bool fused_separate(struct builder *builder, const struct progress *progress)
{
	struct fused fused = { .builder = builder,
			       .profile = builder->profile,
			       .progress = progress,
			       .last_call = NO_ROW };
	if (!may_be_fused(fused.profile))
		return true;
	fused.owner_of = mem_alloc(fused.profile->process_count * sizeof *fused.owner_of);
	fused.moved = hash_new(64);
	fused.used = mem_zalloc((size_t)fused.profile->spans + 1, 1);
	bool done = collect_calls(&fused) && (fused.owners < 2 || count_matches(&fused));
	if (done && fused.owners > 1 && (fused.owners = keep_launchers(&fused)) > 1) {
		choose_owners(&fused);
		done = move_rows(&fused);
		group_hosts(&fused);
	}
	id_index_free(fused.calls);
	keyed_clear(&fused.devices);
	hash_free(fused.moved);
	mem_free_all(fused.owner_of, fused.places, fused.used);
	return done;
}
