#include "facts/steps.h"

#include "facts/facts.h"
#include "base/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the annotations ---- */

static bool is_step_span(const struct facts *facts, uint32_t span)
{
	uint8_t kind = facts->profile->span_kind[span];
	return (kind == SPAN_ANNOTATION || kind == SPAN_OPERATOR) &&
	       facts->role[facts->profile->span_name[span]] & NAME_STEP;
}

static const char stage[] = "finding steps";

/*
 * Merged files contain steps of several processes: use those of the busiest. False when cancelled,
 * as below.
 */
static bool main_process(const struct facts *facts, uint32_t *best, const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	uint64_t *rows = mem_zalloc(profile->process_count, sizeof *rows);
	uint8_t *has_steps = mem_zalloc(profile->process_count, 1);
	for (size_t t = 0; t < profile->track_count; t++)
		rows[profile->tracks[t].process] += profile->tracks[t].spans_out;
	bool on = true;
	for (uint32_t i = 0; i < profile->spans && on; i++) {
		on = progress_row(progress, stage, i, profile->spans);
		uint32_t process = profile->tracks[profile->span_track[i]].process;
		rows[process]++;
		has_steps[process] |= is_step_span(facts, i);
	}
	*best = NO_ROW;
	for (uint32_t i = 0; i < profile->process_count; i++)
		if (has_steps[i] && (*best == NO_ROW || rows[i] > rows[*best]))
			*best = i;
	mem_free(rows);
	mem_free(has_steps);
	return on;
}

/* The number after the first '#' ("ProfilerStep#2 warmup"), or INDEX. */
static int64_t step_number(const char *name, int64_t index)
{
	const char *hash = strchr(name, '#');
	char *end;
	long long number = hash ? strtoll(hash + 1, &end, 10) : 0;
	return hash && end != hash + 1 && (!*end || strchr("# ", *end)) ? number : index;
}

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	if (x->host_start != y->host_start)
		return x->host_start < y->host_start ? -1 : 1;
	return (x->span > y->span) - (x->span < y->span);
}

/* Until it is known what device work it launches. */
static void begin_step(struct step *step)
{
	step->start = step->host_start;
	step->end = step->host_end;
	step->device_start = step->device_end = NO_VALUE;
}

static void add_step(struct facts *facts, size_t *capacity, struct step step)
{
	begin_step(&step);
	mem_grow(facts->steps, *capacity, (size_t)facts->step_count + 1);
	facts->steps[facts->step_count++] = step;
}

/* What the marks of the profiler are called: "ProfilerStep". */
static uint32_t name_of_marks(const struct facts *facts, struct intern *strings)
{
	const char *name = profile_string(facts->profile, facts->steps[0].name);
	return intern_add(strings, name, strcspn(name, "#"));
}

static bool collect_marked(struct facts *facts, struct intern *strings,
			   const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	uint32_t process;
	size_t capacity = 0;
	if (!main_process(facts, &process, progress))
		return false;
	for (uint32_t i = 0; process != NO_ROW && i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if (!is_step_span(facts, i) ||
		    profile->tracks[profile->span_track[i]].process != process)
			continue;
		add_step(facts, &capacity,
			 (struct step){
				 .name = profile->span_name[i],
				 .span = i,
				 .host_start = profile->span_start[i],
				 .host_end = profile->span_start[i] + profile->span_dur[i],
			 });
	}
	if (facts->step_count)
		qsort(facts->steps, facts->step_count, sizeof *facts->steps, compare_steps);
	for (uint32_t i = 0; i < facts->step_count; i++)
		facts->steps[i].number =
			step_number(profile_string(profile, facts->steps[i].name), i);
	if (facts->step_count) {
		facts->step_source = STEPS_PROFILER;
		facts->step_basis = name_of_marks(facts, strings);
	}
	return true;
}

/* The marked steps, or those of another source. */
static bool collect_steps(struct facts *facts, struct intern *strings,
			  const struct facts_options *options, bool *by_execution,
			  const struct progress *progress)
{
	const char *wanted = options ? options->steps_from : NULL;
	bool marked = !wanted || step_source_named(wanted) == STEPS_PROFILER;
	if (marked && !collect_marked(facts, strings, progress))
		return false;
	if (facts->step_count || (wanted && marked))
		return true;
	if (!step_source_find(facts, strings, wanted, by_execution, progress))
		return false;
	for (uint32_t i = 0; i < facts->step_count; i++)
		begin_step(&facts->steps[i]);
	return true;
}

/* Without annotations: one step from the first operator to the last, or over everything. */
static bool add_synthetic_step(struct facts *facts, struct intern *strings,
			       const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	int64_t start = INT64_MAX, end = INT64_MIN;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if (profile->span_kind[i] != SPAN_OPERATOR)
			continue;
		int64_t last = profile->span_start[i] + profile->span_dur[i];
		start = profile->span_start[i] < start ? profile->span_start[i] : start;
		end = last > end ? last : end;
	}
	if (start > end) {
		start = 0;
		end = profile->end_ns;
	}
	size_t capacity = 0;
	add_step(facts, &capacity,
		 (struct step){ .name = intern_add(strings, "0", 1),
				.span = NO_ROW,
				.host_start = start,
				.host_end = end });
	return true;
}

/* ---- device work ---- */

/* The step whose annotation contains [START, END], or NO_ROW: annotations may overlap. */
static uint32_t step_around(const struct facts *facts, int64_t start, int64_t end)
{
	uint32_t low = 0, high = facts->step_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (facts->steps[middle].host_start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || facts->steps[low - 1].host_end < end)
		return NO_ROW;
	return low - 1;
}

/* Device work counts for the step that launched it. */
static void count_launched(struct facts *facts, uint32_t activity)
{
	const struct profile *profile = facts->profile;
	uint32_t at = facts->activity_step[activity];
	if (at == NO_ROW || !profile_is_work(profile, activity))
		return;
	struct step *step = &facts->steps[at];
	int64_t first = profile->activity_start[activity];
	int64_t last = first + profile->activity_dur[activity];
	if (!step->launched++) {
		step->device_start = first;
		step->device_end = last;
	}
	step->device_start = first < step->device_start ? first : step->device_start;
	step->device_end = last > step->device_end ? last : step->device_end;
}

static bool attribute_activities(struct facts *facts, const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		if (!progress_row(progress, stage, i, profile->activities))
			return false;
		facts->activity_step[i] = NO_ROW;
		if (launch == NO_ROW)
			continue;
		int64_t start = profile->span_start[launch];
		uint32_t at = step_around(facts, start, start + profile->span_dur[launch]);
		facts->activity_step[i] = at;
		count_launched(facts, i);
	}
	return true;
}

/* Work launched before the first step may run into it; the step starts after its end. */
static int64_t end_of_earlier_work(const struct facts *facts)
{
	const struct profile *profile = facts->profile;
	const struct step *first = &facts->steps[0];
	int64_t end = first->host_start;
	for (uint32_t i = 0; first->launched && i < profile->activities; i++) {
		int64_t last = profile->activity_start[i] + profile->activity_dur[i];
		if (facts->activity_step[i] == NO_ROW && profile_is_work(profile, i) &&
		    last < first->device_start && last > end)
			end = last;
	}
	return end;
}

static void chain_steps(struct facts *facts)
{
	bool any = false;
	for (uint32_t i = 0; i < facts->step_count; i++)
		any |= facts->steps[i].launched > 0;
	if (!any)
		return;
	int64_t previous = end_of_earlier_work(facts);
	for (uint32_t i = 0; i < facts->step_count; i++) {
		struct step *step = &facts->steps[i];
		step->start = previous > step->host_start ? previous : step->host_start;
		step->end = step->launched && step->device_end > step->host_end ? step->device_end
										: step->host_end;
		if (step->end < step->start)
			step->end = step->start;
		previous = step->end;
	}
}

/* ---- partial steps ---- */

static void mark_partial(struct facts *facts)
{
	uint32_t whole = facts->step_count;
	bool any = false;
	for (uint32_t i = 0; i < facts->step_count; i++)
		any |= facts->steps[i].launched > 0;
	if (!any || facts->step_count < 2)
		return;
	while (whole > 1 && !facts->steps[whole - 1].launched)
		facts->steps[--whole].partial = true;
	if (whole > 1 && facts->steps[whole - 1].launched < 0.8 * facts->steps[whole - 2].launched)
		facts->steps[whole - 1].partial = true;
}

int steps_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void mark_slow_start(struct facts *facts)
{
	if (facts->step_count < 3)
		return;
	int64_t *durations = mem_alloc(facts->step_count * sizeof *durations);
	for (uint32_t i = 0; i < facts->step_count; i++)
		durations[i] = facts->steps[i].end - facts->steps[i].start;
	int64_t first = durations[0];
	qsort(durations, facts->step_count, sizeof *durations, steps_compare_times);
	facts->steps[0].slow_start = first > 2 * durations[facts->step_count / 2];
	mem_free(durations);
}

static bool attribute_by_execution(struct facts *facts, const struct progress *progress)
{
	size_t near = 0;
	for (uint32_t i = 0; i < facts->profile->activities; i++) {
		if (!progress_row(progress, stage, i, facts->profile->activities))
			return false;
		facts->activity_step[i] =
			facts_step_near(facts, facts->profile->activity_start[i], &near);
	}
	return true;
}

/* From the first step to the last complete one. */
static void set_window(struct facts *facts)
{
	facts->window_start = facts->steps[0].start;
	facts->window_end = facts->steps[0].end;
	for (uint32_t i = 0; i < facts->step_count; i++)
		if (!facts->steps[i].partial)
			facts->window_end = facts->steps[i].end;
}

bool steps_find(struct facts *facts, struct intern *strings, const struct facts_options *options,
		const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	bool by_execution = options && options->attribute_by_execution;
	facts->activity_step =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *facts->activity_step);
	if (!collect_steps(facts, strings, options, &by_execution, progress))
		return false;
	facts->steps_from_profile = facts->step_count > 0;
	if (!facts->step_count && !add_synthetic_step(facts, strings, progress))
		return false;
	if (!attribute_activities(facts, progress))
		return false;
	chain_steps(facts);
	if (by_execution && !attribute_by_execution(facts, progress))
		return false;
	mark_partial(facts);
	mark_slow_start(facts);
	set_window(facts);
	return true;
}

void steps_replace(struct facts *facts, struct step *steps, uint32_t count)
{
	const struct profile *profile = facts->profile;
	mem_free(facts->steps);
	facts->steps = steps;
	facts->step_count = count;
	facts->steps_from_profile = true;
	facts->step_source = STEPS_KEY_NODE;
	facts->step_basis = facts->key_node;
	for (uint32_t i = 0; i < count; i++)
		begin_step(&steps[i]);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		facts->activity_step[i] =
			launch == NO_ROW ? NO_ROW
					 : facts_step_at(facts, profile->span_start[launch]);
		count_launched(facts, i);
	}
	facts->window_start = steps[0].start;
	facts->window_end = steps[count - 1].end;
}

bool steps_adopt(struct facts *facts, const struct known_steps *known_steps, bool by_execution,
		 const struct progress *progress)
{
	const struct profile *profile = facts->profile;
	struct step *steps = known_steps->steps;
	uint32_t count = known_steps->count;
	struct step *known = mem_alloc(((size_t)count + 1) * sizeof *known);
	memcpy(known, steps, count * sizeof *known);
	facts->activity_step =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *facts->activity_step);
	facts->steps = steps;
	facts->step_count = count;
	facts->steps_from_profile = true;
	facts->step_source = known_steps->source;
	facts->step_basis = known_steps->basis;
	bool done = attribute_activities(facts, progress);
	memcpy(steps, known, count * sizeof *known); /* the survey knows their device work */
	mem_free(known);
	if (by_execution && done)
		done = attribute_by_execution(facts, progress);
	set_window(facts);
	return done;
}

uint32_t facts_step_near(const struct facts *facts, int64_t time, size_t *near)
{
	struct ascending starts = ASCENDING(facts->steps, start, facts->step_count);
	*near = search_near(starts, time + 1, *near < starts.count ? *near : starts.count);
	return *near && time < facts->steps[*near - 1].end ? (uint32_t)*near - 1 : NO_ROW;
}

uint32_t facts_step_at(const struct facts *facts, int64_t time)
{
	size_t near = facts->step_count / 2;
	return facts_step_near(facts, time, &near);
}

/* ---- spread of durations ---- */

int64_t *steps_sorted_durations(const struct facts *facts, size_t *count)
{
	int64_t *durations = mem_alloc(((size_t)facts->step_count + 1) * sizeof *durations);
	*count = 0;
	for (uint32_t i = 0; i < facts->step_count; i++)
		if (!facts->steps[i].partial)
			durations[(*count)++] = facts->steps[i].end - facts->steps[i].start;
	qsort(durations, *count, sizeof *durations, steps_compare_times);
	return durations;
}

bool steps_spread(const struct facts *facts, struct step_spread *spread)
{
	enum { STEPS_MIN = 4, PERCENT_MIN = 5 };
	size_t count;
	int64_t *sorted = steps_sorted_durations(facts, &count);
	if (count >= STEPS_MIN) {
		int64_t q1 = sorted[count / 4], q3 = sorted[3 * count / 4];
		int64_t slack = (q3 - q1) + (q3 - q1) / 2;
		int64_t median = sorted[count / 2], least = median / 100 * PERCENT_MIN;
		slack = slack > least ? slack : least;
		*spread = (struct step_spread){ q1 - slack, q3 + slack, median, count };
	}
	mem_free(sorted);
	return count >= STEPS_MIN;
}
