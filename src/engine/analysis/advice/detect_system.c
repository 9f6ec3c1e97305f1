/*
 * Detectors of operating system effects: off-CPU threads, file access, unified memory migration.
 */
#include "analysis/advice/detect.h"
#include "model/frames.h"
#include "model/recording.h"
#include "model/threads.h"

#include <stdlib.h>

enum { SYSTEM_LIMIT_ROWS(_) };

/* Other profilers never record this; do not suggest another profiler every time. */
static bool is_of_nvidia(const struct profile *profile)
{
	return profile_recording(profile)->nvtx_ranges;
}

/* ---- scheduling ---- */

/* When any launching thread was on-CPU; the number of those whose scheduling is known. */
static size_t collect_running(const struct diagnosis *diagnosis, struct intervals *running)
{
	const struct profile *profile = diagnosis->profile;
	size_t known = 0;
	for (uint32_t t = 0; t < profile->track_count; t++) {
		size_t count = 0;
		const struct thread_run *run =
			diagnosis->launching[t] ? thread_runs(profile, t, &count) : NULL;
		for (size_t i = 0; i < count; i++)
			intervals_add(running, run[i].start, run[i].start + run[i].dur);
		known += count > 0;
	}
	intervals_merge(running);
	return known;
}

/* Idle time not explained by synchronization. */
static void collect_unexplained(const struct diagnosis *diagnosis, struct intervals *unexplained)
{
	static const enum time_cause causes[] = { CAUSE_LAUNCH, CAUSE_HOST, CAUSE_ALLOCATOR,
						  CAUSE_COMPILE, CAUSE_UNKNOWN };
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
		AUTO_INTERVALS struct intervals set = { 0 };
		causes_set_in(diagnosis->device, causes[i], &diagnosis->window, &set);
		intervals_unite(unexplained, &set, unexplained);
	}
}

bool keep_off_cpu(const struct diagnosis *diagnosis, struct intervals *idle)
{
	AUTO_INTERVALS struct intervals running = { 0 };
	size_t known = collect_running(diagnosis, &running);
	intervals_subtract(idle, &running, idle);
	return known > 0;
}

void detect_off_cpu(const struct diagnosis *diagnosis, struct finding *finding)
{
	AUTO_INTERVALS struct intervals running = { 0 }, off = { 0 };
	size_t known = collect_running(diagnosis, &running);
	if (known)
		collect_unexplained(diagnosis, &off);
	intervals_subtract(&off, &running, &off);
	int64_t ns = intervals_length(&off);
	if (!is_of_nvidia(diagnosis->profile))
		report_elsewhere(finding, "This profiler does not record scheduling.");
	else if (!known)
		report_unknown(finding,
			       diagnosis->profile->activities
				       ? "Record with nsys profile --cpuctxsw=process-tree."
				       : profile_recording(diagnosis->profile)->device,
			       "Scheduling of the launching threads was not recorded.");
	else if (window_percent(diagnosis, ns) >= OFF_CPU_PERCENT)
		report_problem(
			finding,
			"The GPU is idle for %s (%s) while every launching thread is off-CPU and none waits for the GPU",
			DURATION(ns), share_of_time(SHARE, diagnosis, ns));
	else
		report_ok(finding,
			  "The GPU is idle for %s while every launching thread is off-CPU.",
			  share_of_time(SHARE, diagnosis, ns));
}

/* ---- the global interpreter lock ---- */

/* Ranges of launching threads that their name marks, or of a category (may be NULL). */
static int64_t collect_ranges(const struct diagnosis *diagnosis, enum name_mark mark,
			      const char *category, struct intervals *waits)
{
	const struct profile *profile = diagnosis->profile;
	int64_t count = 0;
	uint32_t wanted = category ? profile_find(profile, category) : NO_ROW;
	uint32_t spans = wanted != NO_ROW ? profile->spans : spans_marked(diagnosis, mark);
	for (uint32_t i = 0; i < spans && detect_row(diagnosis, i); i++) {
		bool is_of = profile->span_kind[i] == SPAN_OTHER && wanted != NO_ROW &&
			     profile->span_info[i] == wanted;
		if ((!is_of && !name_has(diagnosis, profile->span_name[i], mark)) ||
		    !span_counts(diagnosis, i) || !diagnosis->launching[profile->span_track[i]])
			continue;
		intervals_add(waits, profile->span_start[i], profile_span_end(profile, i));
		count++;
	}
	return count;
}

/* Is this frame, or one of its callers close by, where the lock is taken? */
static bool takes_lock(const struct profile *profile, uint32_t frame)
{
	for (int i = 0; frame != NO_ROW && i < GIL_FRAMES; i++) {
		if (strstr(profile_string(profile, profile->frames[frame].name), "take_gil"))
			return true;
		frame = profile->frames[frame].caller;
	}
	return false;
}

/* Samples of launching threads that wait for the lock, each for the time until the next. */
static int64_t collect_lock_samples(const struct diagnosis *diagnosis, struct intervals *waits)
{
	const struct profile *profile = diagnosis->profile;
	int64_t count = 0;
	for (size_t i = 0; i < profile->sample_count && detect_row(diagnosis, i); i++) {
		const struct stack_sample *sample = &profile->samples[i];
		if (!diagnosis->launching[sample->track] || !takes_lock(profile, sample->frame) ||
		    !in_window(diagnosis, sample->time))
			continue;
		intervals_add(waits, sample->time, sample->time + profile->sample_period);
		count++;
	}
	return count;
}

void detect_gil(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct intervals waits = { 0 };
	int64_t ranges = collect_ranges(diagnosis, MARK_GIL, NULL, &waits);
	int64_t samples = collect_lock_samples(diagnosis, &waits);
	int64_t count = ranges ? ranges : samples;
	int64_t ns = claim_host_time(diagnosis, finding, &waits);
	if (window_percent(diagnosis, ns) >= GIL_PERCENT)
		report_problem(
			finding,
			"The GPU is idle for %s (%s) while a launching thread waits for the global interpreter lock (%s %s%s)",
			DURATION(ns), share_of_time(SHARE, diagnosis, ns), COUNT(count),
			ranges ? "range" : "sample", PLURAL(count));
	else
		report_ok(finding, "No launching thread waits for the global interpreter lock.");
}

/*
 * Two witnesses: what the span is called, and that the GPU has nothing to do inside. A collection
 * inside another counts once.
 */
void detect_gc_pauses(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct intervals pauses = { 0 };
	collect_ranges(diagnosis, MARK_GC, "Python GC", &pauses);
	intervals_merge(&pauses);
	int64_t count = (int64_t)pauses.count, longest = 0;
	for (size_t i = 0; i < pauses.count; i++) {
		int64_t ns = pauses.item[i].end - pauses.item[i].start;
		longest = ns > longest ? ns : longest;
	}
	int64_t ns = claim_host_time(diagnosis, finding, &pauses);
	if (window_percent(diagnosis, ns) >= GC_PERCENT)
		report_problem(
			finding,
			"The GPU is idle for %s (%s) while a launching thread collects garbage (%s pause%s, the longest %s)",
			DURATION(ns), share_of_time(SHARE, diagnosis, ns), COUNT(count),
			PLURAL(count), DURATION(longest));
	else
		report_ok(finding, "The GPU is idle for %s while Python collects garbage.",
			  share_of_time(SHARE, diagnosis, ns));
}

/* ---- input and output ---- */

/* Calls of launching threads that read, write or open files; *KNOWN: such calls were recorded. */
static int64_t collect_io(const struct diagnosis *diagnosis, struct intervals *calls,
			  uint32_t *longest, bool *known)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t wanted = profile_find(profile, CATEGORY_SYSTEM);
	int64_t count = 0, most = -1;
	*known = false;
	for (uint32_t i = 0; wanted != NO_ROW && i < profile->spans && detect_row(diagnosis, i);
	     i++) {
		if (profile->span_kind[i] != SPAN_OTHER || profile->span_info[i] != wanted)
			continue;
		*known = true;
		if (!name_has(diagnosis, profile->span_name[i], MARK_IO) ||
		    !span_counts(diagnosis, i) || !diagnosis->launching[profile->span_track[i]])
			continue;
		int64_t start = profile->span_start[i], end = start + profile->span_dur[i];
		int64_t idle = intervals_length_in(&diagnosis->idle, start, end);
		intervals_add(calls, start, end);
		count++;
		*longest = idle > most ? i : *longest;
		most = idle > most ? idle : most;
	}
	return count;
}

void detect_file_io(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct intervals calls = { 0 };
	uint32_t longest = NO_ROW;
	bool known;
	int64_t count = collect_io(diagnosis, &calls, &longest, &known);
	int64_t ns = claim_host_time(diagnosis, finding, &calls);
	if (!is_of_nvidia(profile))
		report_elsewhere(finding,
				 "This profiler does not record calls of the operating system.");
	else if (!known)
		report_unknown(finding, "Record with nsys profile --trace=cuda,nvtx,osrt.",
			       "No calls of the operating system were recorded.");
	else if (window_percent(diagnosis, ns) >= IO_PERCENT)
		report_problem(
			finding,
			"The GPU is idle for %s (%s) while a launching thread reads or writes (%s call%s, most in %s)",
			DURATION(ns), share_of_time(SHARE, diagnosis, ns), COUNT(count),
			PLURAL(count), profile_string(profile, profile->span_name[longest]));
	else
		report_ok(finding, "The GPU is idle for %s while launching threads read or write.",
			  share_of_time(SHARE, diagnosis, ns));
}

/* ---- unified memory ---- */

struct detect_system_unified {
	struct intervals busy; /* migrations and device faults */
	int64_t migrations, bytes, host_faults, device_faults;
};

static void add_migrations(const struct diagnosis *diagnosis, struct detect_system_unified *unified)
{
	const struct profile *profile = diagnosis->profile;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		int64_t start = profile->activity_start[i], bytes = profile->activity_bytes[i];
		if (!derived_is_migration(diagnosis->derived, i) || !activity_counts(diagnosis, i))
			continue;
		unified->migrations++;
		if (bytes > 0 && __builtin_add_overflow(unified->bytes, bytes, &unified->bytes))
			unified->bytes = INT64_MAX;
		intervals_add(&unified->busy, start, start + profile->activity_dur[i]);
	}
}

static void add_faults(const struct diagnosis *diagnosis, struct detect_system_unified *unified)
{
	const struct profile *profile = diagnosis->profile;
	uint32_t wanted = profile_find(profile, CATEGORY_PAGE_FAULT);
	uint32_t faults = profile_find(profile, PAGE_FAULT_COUNT);
	for (uint32_t i = 0; wanted != NO_ROW && i < profile->spans && detect_row(diagnosis, i);
	     i++) {
		uint8_t kind = profile->span_kind[i];
		int64_t start = profile->span_start[i];
		if ((kind != SPAN_OTHER && kind != SPAN_INSTANT) ||
		    profile->span_info[i] != wanted || !in_window(diagnosis, start))
			continue;
		if (kind == SPAN_INSTANT) {
			unified->host_faults++;
			continue;
		}
		uint32_t text = profile_span_attribute(profile, i, faults);
		int64_t count =
			text == NO_ROW ? 1 : strtoll(profile_string(profile, text), NULL, 10);
		if (__builtin_add_overflow(unified->device_faults, count, &unified->device_faults))
			unified->device_faults = INT64_MAX;
		intervals_add(&unified->busy, start, start + profile->span_dur[i]);
	}
}

void detect_unified_memory(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct detect_system_unified unified = { 0 };
	add_migrations(diagnosis, &unified);
	add_faults(diagnosis, &unified);
	int64_t ns = claim_common(diagnosis, NULL, &unified.busy, &diagnosis->window);
	finding->cost_ns = ns;
	bool any = unified.migrations || unified.host_faults || unified.device_faults;
	if (!any && !is_of_nvidia(diagnosis->profile))
		report_elsewhere(finding, "This profiler does not record unified memory.");
	else if (!any)
		report_unknown(finding,
			       "Record with nsys profile --cuda-um-cpu-page-faults=true "
			       "--cuda-um-gpu-page-faults=true.",
			       "No unified memory migration or page fault was recorded.");
	else if (window_percent(diagnosis, ns) >= UNIFIED_PERCENT)
		report_problem(finding,
			       "%s: %s migration%s of %s, %s GPU page fault%s, %s CPU page fault%s",
			       share_of_time(SHARE, diagnosis, ns), COUNT(unified.migrations),
			       PLURAL(unified.migrations), BYTES(unified.bytes),
			       COUNT(unified.device_faults), PLURAL(unified.device_faults),
			       COUNT(unified.host_faults), PLURAL(unified.host_faults));
	else
		report_ok(finding, "%s migration%s of %s: %s.", COUNT(unified.migrations),
			  PLURAL(unified.migrations), BYTES(unified.bytes),
			  share_of_time(SHARE, diagnosis, ns));
}
