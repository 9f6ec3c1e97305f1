/*
 * Detectors of capture quality: can the numbers be trusted, and are there enough?
 */
#include "analysis/advice/detect.h"
#include "model/recording.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MIN = 3, OVERHEAD_PERCENT = 2, STACKS_PERCENT = 50, LINKED_PERCENT = 90 };

void detect_no_device_work(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t launches = 0;
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++)
		launches += profile->span_kind[i] == SPAN_RUNTIME &&
			    name_has(diagnosis, profile->span_name[i], MARK_LAUNCH);
	if (!profile->activities && (launches || profile->device_count))
		fire(diagnosis, finding, NO_VALUE, SEVERITY_HIGH,
		     "%" PRId64
		     " launch%s and %zu GPU%s were recorded, but no kernel, copy or memset",
		     launches, launches == 1 ? "" : "es", profile->device_count,
		     profile->device_count == 1 ? "" : "s");
	else
		stay_silent(finding, "%" PRIu64 " GPU events were recorded.",
			    profile_all_rows(profile).activities);
}

/* Profilers that aggregate over the run cannot mark steps. */
static bool is_summed(const struct profile *profile)
{
	return profile_recording(profile)->totals_only;
}

static void say_steps_from(const struct facts *facts, struct finding *finding)
{
	struct buffer from = { 0 };
	step_source_describe(facts, &from);
	stay_silent(finding, "%" PRIu32 " steps from %s.", facts->step_count, buffer_text(&from));
	buffer_free(&from);
}

void detect_no_steps(const struct diagnosis *diagnosis, struct finding *finding)
{
	finding->recommendation = profile_recording(diagnosis->profile)->steps;
	if (diagnosis->facts->steps_from_profile)
		say_steps_from(diagnosis->facts, finding);
	else if (is_summed(diagnosis->profile))
		stay_silent(finding, "Profiles of this kind hold sums over all steps.");
	else
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "No step boundaries were recorded; the whole profile counts as one step");
}

static int64_t whole_steps(const struct facts *facts)
{
	int64_t whole = 0;
	for (uint32_t i = 0; i < facts->step_count; i++)
		whole += !facts->steps[i].partial;
	return whole;
}

void detect_few_steps(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct facts *facts = diagnosis->facts;
	int64_t whole = whole_steps(facts);
	finding->recommendation = profile_recording(diagnosis->profile)->warm_up;
	if (!facts->steps_from_profile)
		cannot_tell(finding, profile_recording(diagnosis->profile)->steps,
			    "No step boundaries were recorded.");
	else if (whole >= STEPS_MIN)
		stay_silent(finding, "%" PRId64 " complete steps.", whole);
	else
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "%" PRId64 " of %" PRIu32 " steps are complete, too few for averages", whole,
		     facts->step_count);
}

/* ---- step times ---- */

static int64_t dur_of(const struct step *step)
{
	return step->end - step->start;
}

void detect_slow_start(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct facts *facts = diagnosis->facts;
	size_t count;
	int64_t *durations = steps_sorted_durations(facts, &count);
	int64_t first = dur_of(&facts->steps[0]), median = count ? durations[count / 2] : 0;
	mem_free(durations);
	if (!facts->steps_from_profile || facts->step_count < STEPS_MIN) {
		cannot_tell(finding, how_to_get_steps(diagnosis),
			    "Fewer than three steps were recorded.");
	} else if (!facts->steps[0].slow_start) {
		stay_silent(finding, "The first step takes %s, the median step %s.",
			    DURATION(first), DURATION(median));
	} else {
		fire(diagnosis, finding, first > median ? first - median : 0, SEVERITY_LOW,
		     "The first step takes %s, the median step %s; the findings exclude it",
		     DURATION(first), DURATION(median));
		finding->severity = SEVERITY_LOW; /* about the capture, whatever its cost */
		finding->subject = SUBJECT_STEP;
		finding->subject_row = 0;
	}
}

struct outliers {
	int64_t count, cost;
	uint32_t worst;                 /* index of a step */
	uint32_t even_first, even_last; /* the longest run of regular steps */
};

static struct outliers find_outliers(const struct facts *facts, const struct step_spread *spread)
{
	struct outliers found = { 0 };
	uint32_t run = 0, best = 0;
	for (uint32_t i = 0; i < facts->step_count; i++) {
		int64_t dur = dur_of(&facts->steps[i]);
		bool even = !facts->steps[i].partial && dur >= spread->low && dur <= spread->high;
		run = even ? run + 1 : 0;
		if (run > best) {
			best = run;
			found.even_last = i;
			found.even_first = i + 1 - run;
		}
		if (even || facts->steps[i].partial)
			continue;
		if (!found.count++ || dur > dur_of(&facts->steps[found.worst]))
			found.worst = i;
		found.cost += dur > spread->median ? dur - spread->median : 0;
	}
	return found;
}

void detect_uneven_steps(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct facts *facts = diagnosis->facts;
	struct step_spread spread;
	if (!facts->steps_from_profile || !steps_spread(facts, &spread)) {
		cannot_tell(finding, how_to_get_steps(diagnosis),
			    "Fewer than four complete steps were recorded.");
		return;
	}
	struct outliers found = find_outliers(facts, &spread);
	if (!found.count) {
		stay_silent(finding, "All %zu steps are close to the median of %s.", spread.count,
			    DURATION(spread.median));
		return;
	}
	fire(diagnosis, finding, found.cost, SEVERITY_LOW,
	     "%" PRId64 " of %zu steps are outliers (median %s), the longest being step %" PRId64
	     " with %s; steps %" PRId64 "..%" PRId64 " are even",
	     found.count, spread.count, DURATION(spread.median), facts->steps[found.worst].number,
	     DURATION(dur_of(&facts->steps[found.worst])), facts->steps[found.even_first].number,
	     facts->steps[found.even_last].number);
	finding->subject = SUBJECT_STEP;
	finding->subject_row = found.worst;
}

/* ---- the profiler ---- */

void detect_profiler_overhead(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	struct intervals overhead = { 0 }, inside = { 0 };
	int64_t count = 0;
	for (uint32_t i = 0; i < profile->spans && detect_row(diagnosis, i); i++) {
		if (profile->span_kind[i] != SPAN_OVERHEAD ||
		    diagnosis->causes->span_cause[i] != CAUSE_OVERHEAD)
			continue;
		count++;
		intervals_add(&overhead, profile->span_start[i],
			      profile->span_start[i] + profile->span_dur[i]);
	}
	intervals_merge(&overhead);
	intervals_intersect(&overhead, &diagnosis->window, &inside);
	int64_t ns = intervals_length(&inside);
	intervals_free(&overhead);
	intervals_free(&inside);
	if (percent_of((double)ns, (double)diagnosis->dur) > OVERHEAD_PERCENT)
		fire(diagnosis, finding, ns, SEVERITY_LOW,
		     "%" PRId64
		     " profiler overhead events take %s %% of step time; the GPU is idle for %s of it",
		     count, PERCENT(ns, diagnosis->dur),
		     DURATION(diagnosis->cause_ns[CAUSE_OVERHEAD]));
	else
		stay_silent(finding, "Recorded profiler overhead takes %s %% of step time.",
			    PERCENT(ns, diagnosis->dur));
}

void detect_stack_cost(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	uint64_t python = profile_all_spans(profile, SPAN_PYTHON);
	uint64_t spans = profile_all_rows(profile).spans;
	finding->recommendation = profile_recording(profile)->lighter;
	if (percent_of((double)python, (double)spans) > STACKS_PERCENT)
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "%s %% of %" PRIu64 " CPU events are Python functions", PERCENT(python, spans),
		     spans);
	else
		stay_silent(finding, "%s %% of CPU events are Python functions.",
			    PERCENT(python, spans));
}

void detect_unlinked_work(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t count = 0, ns = 0, total = 0;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		if (!profile_is_work(profile, i) ||
		    !selection_has_activity(diagnosis->selection, i))
			continue;
		total += profile->activity_dur[i];
		if (profile->activity_launch[i] != NO_ROW)
			continue;
		count++;
		ns += profile->activity_dur[i];
	}
	if (!total)
		cannot_tell(finding, profile_recording_device(profile),
			    "No GPU events were recorded.");
	else if (percent_of((double)(total - ns), (double)total) < LINKED_PERCENT)
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "%" PRId64
		     " GPU events (%s %% of GPU time) have no launch call in the profile",
		     count, PERCENT(ns, total));
	else
		stay_silent(finding, "%s %% of GPU time is unlinked.", PERCENT(ns, total));
}

void detect_clock(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct profile *profile = diagnosis->profile;
	int64_t linked = 0, early = 0, max = 0;
	for (uint32_t i = 0; i < profile->activities && detect_row(diagnosis, i); i++) {
		uint32_t launch = profile->activity_launch[i];
		if (launch == NO_ROW || !profile_is_work(profile, i) ||
		    !selection_has_activity(diagnosis->selection, i))
			continue;
		int64_t lead = profile->span_start[launch] - profile->activity_start[i];
		linked++;
		early += lead > 0;
		max = lead > max ? lead : max;
	}
	if (!linked)
		cannot_tell(finding, profile_recording_device(profile),
			    "No GPU event is linked to its launch call.");
	else if (early)
		fire(diagnosis, finding, NO_VALUE, SEVERITY_LOW,
		     "%" PRId64 " of %" PRId64
		     " GPU events start before their launch call, by up to %s",
		     early, linked, DURATION(max));
	else
		stay_silent(finding,
			    "None of %" PRId64 " GPU events starts before its launch call.",
			    linked);
}
