#include "analysis/rank_summary.h"

#include "base/any_of.h"
#include "analysis/collectives.h"
#include "base/id_map.h"
#include "derived/derived.h"
#include "derived/intervals.h"
#include "model/recording.h"

#include <inttypes.h>
#include <stdio.h>

/* Device time by purpose. */
struct device_time {
	struct intervals computation, communication, overlap, any;
};

static const char stage[] = "summarizing the rank";

/* Of one device: the work of another neither overlaps nor hides communication. */
static bool collect_device_time(const struct derived *derived, int32_t device,
				struct device_time *time, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		int64_t start = profile->activity_start[i];
		int64_t end = start + profile->activity_dur[i];
		bool communication = derived_is_communication(derived, i);
		if ((!communication && !profile_is_work(profile, i)) ||
		    profile_activity_device(profile, i) != device)
			continue;
		intervals_add(&time->any, start, end);
		if (communication)
			intervals_add(&time->communication, start, end);
		else if (profile->activity_kind[i] == ACTIVITY_KERNEL)
			intervals_add(&time->computation, start, end);
	}
	return ok;
}

/* Without a device: operators are computation, communication is on the host. */
static bool collect_host_time(const struct derived *derived, struct device_time *time,
			      const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint16_t role = derived->role[profile->span_name[i]];
		int64_t start = profile->span_start[i], end = start + profile->span_dur[i];
		bool is_operator = derived->span_flags[i] & SPAN_IS_OPERATOR;
		bool is_communication = role & NAME_COMMUNICATION &&
					(is_operator || profile->span_kind[i] == SPAN_ANNOTATION);
		if (is_communication)
			intervals_add(&time->communication, start, end);
		else if (is_operator)
			intervals_add(&time->computation, start, end);
		if (is_communication || is_operator)
			intervals_add(&time->any, start, end);
	}
	return ok;
}

static bool collect_time(const struct derived *derived, int32_t device, struct device_time *time,
			 const struct progress *progress)
{
	bool done = derived->profile->activities
			    ? collect_device_time(derived, device, time, progress)
			    : collect_host_time(derived, time, progress);
	if (!done)
		return false;
	intervals_merge(&time->any);
	intervals_merge(&time->computation);
	intervals_merge(&time->communication);
	intervals_intersect(&time->computation, &time->communication, &time->overlap);
	return progress_update(progress, stage, 0, 0, 0);
}

STATIC_FREE_MEMBERS(free_device_time, struct device_time,
		    OWN_IN(intervals_free, any) OWN_IN(intervals_free, computation)
			    OWN_IN(intervals_free, communication) OWN_IN(intervals_free, overlap))

static void summarize_steps(struct rank_summary *summary, const struct derived *derived,
			    const struct device_time *time)
{
	summary->step_count = derived->step_count;
	summary->steps = mem_zalloc(derived->step_count, sizeof *summary->steps);
	for (uint32_t i = 0; i < derived->step_count; i++) {
		int64_t start = derived->steps[i].start, end = derived->steps[i].end;
		struct step_summary *step = &summary->steps[i];
		step->number = derived->steps[i].number;
		step->partial = derived->steps[i].partial;
		step->dur = end - start;
		step->computation = intervals_length_in(&time->computation, start, end);
		step->communication = intervals_length_in(&time->communication, start, end);
		step->overlap = intervals_length_in(&time->overlap, start, end);
		step->other = step->dur + step->overlap - step->computation - step->communication;
		step->idle = step->dur - intervals_length_in(&time->any, start, end);
	}
}

/* ---- slices ---- */

bool rank_slices_fit(const struct rank_summary *summary)
{
	int64_t length;
	return !__builtin_sub_overflow(summary->end, summary->start, &length) &&
	       (!summary->slice_count ||
		(summary->slice_count == RANK_SLICES && length >= RANK_SLICES));
}

int64_t rank_slice_start(const struct rank_summary *summary, size_t slice)
{
	int64_t whole = summary->end - summary->start, count = RANK_SLICES;
	return summary->start + whole / count * (int64_t)slice +
	       whole % count * (int64_t)slice / count;
}

static uint16_t share_in(const struct intervals *set, int64_t from, int64_t to)
{
	double whole = (double)(to - from);
	return (uint16_t)((double)intervals_length_in(set, from, to) / whole * RANK_SLICE_WHOLE +
			  0.5);
}

/* Times of the profile count from the start of the summary. */
static void summarize_slices(struct rank_summary *summary, const struct profile *profile,
			     const struct device_time *time)
{
	if (summary->end - summary->start < RANK_SLICES || profile->some_steps ||
	    profile_times_modeled(profile) || !time->any.count)
		return;
	summary->slice_count = RANK_SLICES;
	summary->slices = mem_zalloc(RANK_SLICES, sizeof *summary->slices);
	for (size_t i = 0; i < RANK_SLICES; i++) {
		int64_t from = rank_slice_start(summary, i) - summary->start;
		int64_t to = rank_slice_start(summary, i + 1) - summary->start;
		summary->slices[i] = (struct rank_slice){ share_in(&time->computation, from, to),
							  share_in(&time->communication, from, to),
							  share_in(&time->overlap, from, to),
							  share_in(&time->any, from, to) };
	}
}

static bool summarize_time(struct rank_summary *summary, const struct derived *derived,
			   const struct progress *progress)
{
	AUTO(free_device_time) struct device_time time = { 0 };
	bool ok = collect_time(derived, summary->device, &time, progress);
	if (ok) {
		summarize_steps(summary, derived, &time);
		summarize_slices(summary, derived->profile, &time);
	}
	return ok;
}

static uint32_t rank_summary_keep(struct rank_summary *summary, const char *text)
{
	return text ? intern_add(summary->strings, text, strlen(text)) : 0;
}

/*
 * The host that tensorboard_trace_handler() puts in names of files, HOST_PID.TIME.pt.trace.json, if
 * PID is that of the trace.
 */
static uint32_t keep_host_of_file(struct rank_summary *summary, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *trace = strstr(name, ".pt.trace.json");
	char pid[32];
	if (!trace || summary->pid == NO_VALUE)
		return 0;
	int length = snprintf(pid, sizeof pid, "_%" PRId64 ".", summary->pid);
	for (const char *at = strstr(name, pid); at && at < trace; at = strstr(at + 1, pid)) {
		const char *after = at + length;
		if (at > name &&
		    (after == trace + 1 || after + strspn(after, "0123456789") == trace))
			return intern_add(summary->strings, name, (size_t)(at - name));
	}
	return 0;
}

struct device_work {
	uint64_t ns, count; /* COUNT: with the rows that are not loaded */
};

static bool is_more(const struct device_work *a, const struct device_work *b)
{
	return a->ns != b->ns ? a->ns > b->ns : a->count > b->count;
}

static void keep_device(struct rank_summary *summary, const struct profile *profile, int32_t id)
{
	const struct device *device = profile_device(profile, id);
	char capability[CAPABILITY_MAX];
	struct rank_device *kept = &summary->devices[summary->device_count++];
	*kept = (struct rank_device){ .id = id, .memory = NO_VALUE };
	if (!device)
		return;
	kept->memory = device->memory_bytes;
	kept->name = rank_summary_keep(summary, profile_string(profile, device->name));
	kept->capability = rank_summary_keep(summary, device_capability(device, capability));
}

/* The devices with work, on all their streams, the one with most first; the first of equals. */
static void keep_devices(struct rank_summary *summary, const struct profile *profile)
{
	AUTO(id_map_clear) struct id_map first = { 0 }; /* by device: its first track */
	AUTO_FREE struct device_work *work = mem_zalloc(profile->track_count + 1, sizeof *work);
	struct device_work most = { 0, 0 };
	int32_t device = -1;
	for (uint32_t t = 0; t < profile->track_count; t++) {
		const struct track *track = &profile->tracks[t];
		id_map_add(&first, track->device, t);
		struct device_work *sum = &work[id_map_find(&first, track->device)];
		sum->count += (uint64_t)track->activities + track->activities_out;
		for (uint32_t i = 0; i < track->activities; i++)
			if (profile_is_work(profile, track->first_activity + i))
				sum->ns +=
					(uint64_t)profile->activity_dur[track->first_activity + i];
	}
	for (uint32_t t = 0; t < profile->track_count; t++) {
		int32_t other = profile->tracks[t].device;
		bool before = (uint32_t)other < (uint32_t)device; /* unknown ones are last */
		if (is_more(&work[t], &most) ||
		    (work[t].count && before && !is_more(&most, &work[t]))) {
			most = work[t];
			device = other;
		}
	}
	summary->device = device;
	summary->devices = mem_alloc((profile->track_count + 1) * sizeof *summary->devices);
	keep_device(summary, profile, device);
	for (uint32_t t = 0; t < profile->track_count; t++)
		if (work[t].count && profile->tracks[t].device != device)
			keep_device(summary, profile, profile->tracks[t].device);
}

/* The id of the process with most host spans; the lowest of equals. NO_VALUE: none. */
static int64_t main_process(const struct profile *profile)
{
	AUTO_FREE uint64_t *count = mem_zalloc(profile->process_count + 1, sizeof *count);
	uint64_t most = 0;
	int64_t pid = NO_VALUE;
	for_each (track, profile->tracks, profile->track_count)
		if (track->device < 0)
			count[track->process] += (uint64_t)track->spans + track->spans_out;
	for (size_t i = 0; i < profile->process_count; i++) {
		int64_t other = profile->processes[i].pid;
		bool before = other != NO_VALUE && (pid == NO_VALUE || other < pid);
		if (count[i] > most || (count[i] && count[i] == most && before)) {
			most = count[i];
			pid = other;
		}
	}
	return pid;
}

static void summarize_place(struct rank_summary *summary, const struct profile *profile)
{
	summary->pid = main_process(profile);
	keep_devices(summary, profile);
	summary->host = rank_summary_keep(summary, profile_metadata(profile, "host_name"));
	summary->host = summary->host ?: keep_host_of_file(summary, profile->path);
	summary->world_size = profile->world_size;
	if (__builtin_add_overflow(profile->epoch_ns, profile->base_ns, &summary->start) ||
	    __builtin_add_overflow(summary->start, profile->end_ns, &summary->end))
		summary->start = summary->end = 0;
}

static uint32_t keep_name(struct rank_summary *summary, const struct profile *profile,
			  uint32_t text)
{
	return text ? rank_summary_keep(summary, profile_string(profile, text)) : 0;
}

static void keep_flight(struct rank_summary *summary, const struct profile *profile)
{
	const struct flight *from = profile->flight;
	struct flight *flight = &summary->flight;
	if (!from || !from->count)
		return;
	flight->entries = mem_alloc(from->count * sizeof *flight->entries);
	flight->count = from->count;
	for (size_t i = 0; i < from->count; i++) {
		struct flight_entry *entry = &flight->entries[i];
		*entry = from->entries[i];
		entry->group = keep_name(summary, profile, entry->group);
		entry->name = keep_name(summary, profile, entry->name);
		entry->state = keep_name(summary, profile, entry->state);
		entry->type = keep_name(summary, profile, entry->type);
	}
}

static void keep_compiled(struct rank_summary *summary, const struct profile *profile)
{
	const struct compile_log *log = profile->compile;
	if (!log)
		return;
	summary->compile_log = mem_strdup(log->path);
	for (size_t i = 0; i < log->items[OF_COMPILATION].count; i++) {
		struct compile_item item = log->items[OF_COMPILATION].at[i];
		item.id = keep_name(summary, profile, item.id);
		for (int text = 0; text < COMPILE_TEXTS; text++)
			item.text[text] = keep_name(summary, profile, item.text[text]);
		*keyed_item(&summary->compile_ids, summary->compiled, &item.id) = item;
	}
}

struct rank_summary *rank_summarize(const struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	struct rank_summary *summary = mem_zalloc(1, sizeof *summary);
	summary->strings = intern_new();
	summarize_place(summary, profile);
	keep_flight(summary, profile);
	keep_compiled(summary, profile);
	if (!summarize_time(summary, derived, progress) ||
	    !collectives_collect(derived, summary, progress)) {
		rank_summary_free(summary);
		return NULL;
	}
	for (size_t i = 0; i < profile->damage_count; i++)
		summary->damaged |= strcmp(profile->damages[i].action, "noted") != 0;
	summary->damaged |= profile->truncated;
	return summary;
}

FREE_OBJECT(rank_summary_free, struct rank_summary,
	    OWN_BY(intern_free, strings) OWN_IN(keyed_clear, compile_ids) OWN(devices) OWN(steps)
		    OWN(collectives) OWN(slices) OWN(flight.entries) OWN(compiled) OWN(compile_log))

bool rank_counts_step(const struct step_summary *step, const struct scope *scope)
{
	if (!scope->has_steps)
		return !step->partial;
	return step->number >= scope->step_first && step->number <= scope->step_last;
}

int64_t rank_count_steps(const struct rank_summary *summary, const struct scope *scope)
{
	return count_where(i, summary->step_count, rank_counts_step(&summary->steps[i], scope));
}

struct step_summary rank_mean_step(const struct rank_summary *summary, const struct scope *scope)
{
	struct step_summary mean = { .number = NO_VALUE };
	int64_t count = 0;
	for_each (step, summary->steps, summary->step_count) {
		if (!rank_counts_step(step, scope))
			continue;
		count++;
		MEMBERS(&mean, step,
			PLUS(dur) PLUS(computation) PLUS(communication) PLUS(overlap) PLUS(idle));
	}
	if (!count)
		return mean;
	mean.dur /= count;
	mean.computation /= count;
	mean.communication /= count;
	mean.overlap /= count;
	mean.idle /= count;
	/* Computed last, so that the rounded parts still sum to the total. */
	mean.other = mean.dur + mean.overlap - mean.computation - mean.communication;
	if (mean.other < 0) { /* by 1 at most: the overlap was rounded down */
		mean.overlap -= mean.other;
		mean.other = 0;
	}
	return mean;
}
