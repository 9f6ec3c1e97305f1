#include "derived/steps.h"

#include "base/any_of.h"
#include "derived/derived.h"
#include "base/compare.h"
#include "base/binary_search.h"
#include "base/sort.h"

/* ---- the annotations ---- */

static bool is_step_span(const struct derived *derived, uint32_t span)
{
	uint8_t kind = derived->profile->span_kind[span];
	return (kind == SPAN_ANNOTATION || kind == SPAN_OPERATOR) &&
	       derived->role[derived->profile->span_name[span]] & NAME_STEP;
}

static const char stage[] = "finding steps";

/*
 * Merged files contain steps of several processes: use those of the busiest. False when cancelled,
 * as below.
 */
static bool main_process(const struct derived *derived, uint32_t *best,
			 const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	AUTO_FREE uint64_t *rows = mem_zalloc(profile->process_count, sizeof *rows);
	AUTO_FREE uint8_t *has_steps = mem_zalloc(profile->process_count, 1);
	for (size_t t = 0; t < profile->track_count; t++)
		rows[profile->tracks[t].process] += profile->tracks[t].spans_out;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		uint32_t process = profile->tracks[profile->span_track[i]].process;
		rows[process]++;
		has_steps[process] |= is_step_span(derived, i);
	}
	*best = NO_ROW;
	for (uint32_t i = 0; i < profile->process_count; i++)
		if (has_steps[i] && (*best == NO_ROW || rows[i] > rows[*best]))
			*best = i;
	return ok;
}

/* The number after the first '#' ("ProfilerStep#2 warmup"), or INDEX. */
static int64_t step_number(const char *name, int64_t index)
{
	const char *hash = strchr(name, '#');
	char *end;
	long long number = hash ? strtoll(hash + 1, &end, 10) : 0;
	return hash && end != hash + 1 && (!*end || strchr("# ", *end)) ? number : index;
}

COMPARE_MEMBERS(compare_steps, struct step, UP(host_start) UP(span))

/* Until it is known what device work it launches. */
static void begin_step(struct step *step)
{
	step->start = step->host_start;
	step->end = step->host_end;
	step->device_start = step->device_end = NO_VALUE;
	step->batch = BATCH_UNKNOWN;
}

static void steps_add_step(struct derived *derived, struct step step)
{
	begin_step(&step);
	*mem_push(derived->steps, derived->step_count) = step;
}

/* What the marks of the profiler are called: "ProfilerStep". */
static uint32_t name_of_marks(const struct derived *derived, struct intern *strings)
{
	const char *name = profile_string(derived->profile, derived->steps[0].name);
	return intern_add(strings, name, strcspn(name, "#"));
}

static bool collect_marked(struct derived *derived, struct intern *strings,
			   const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	uint32_t process;
	if (!main_process(derived, &process, progress))
		return false;
	for (uint32_t i = 0; process != NO_ROW && i < profile->spans; i++) {
		if (!progress_row(progress, stage, i, profile->spans))
			return false;
		if (!is_step_span(derived, i) ||
		    profile->tracks[profile->span_track[i]].process != process)
			continue;
		steps_add_step(derived, (struct step){
						.name = profile->span_name[i],
						.span = i,
						.host_start = profile->span_start[i],
						.host_end = profile_span_end(profile, i),
					});
	}
	sort_items(derived->steps, derived->step_count, compare_steps);
	for (uint32_t i = 0; i < derived->step_count; i++)
		derived->steps[i].number =
			step_number(profile_string(profile, derived->steps[i].name), i);
	if (derived->step_count) {
		derived->step_source = STEPS_PROFILER;
		derived->step_basis = name_of_marks(derived, strings);
	}
	return true;
}

/* The steps of WANTED, or (NULL) of the first source but the marks of the profiler. */
static bool search_steps(struct derived *derived, struct intern *strings, const char *wanted,
			 bool *by_execution, const struct progress *progress)
{
	if (!step_source_find(derived, strings, wanted, by_execution, progress))
		return false;
	for (uint32_t i = 0; i < derived->step_count; i++)
		begin_step(&derived->steps[i]);
	return true;
}

static void forget_marked(struct derived *derived)
{
	derived->step_count = derived->step_basis = 0;
	derived->step_source = STEPS_NONE;
	mem_free(derived->steps);
	derived->steps = NULL;
}

/* The marked steps, or those of another source. */
static bool collect_steps(struct derived *derived, struct intern *strings,
			  const struct derived_options *options, bool *by_execution,
			  const struct progress *progress)
{
	const char *wanted = options ? options->steps_from : NULL;
	bool marked = !wanted || step_source_named(wanted) == STEPS_PROFILER;
	bool chosen = wanted || (options && options->step_name);
	if (marked && !collect_marked(derived, strings, progress))
		return false;
	if (derived->step_count && !chosen && serving_count(derived) > derived->step_count) {
		forget_marked(derived); /* several iterations of a server in each */
		wanted = "server";
		marked = false;
	}
	if (derived->step_count || (wanted && marked))
		return true;
	return search_steps(derived, strings, wanted, by_execution, progress);
}

/*
 * Without steps: one over all operators and GPU work with its launches, on a host alone over
 * annotations, too, or over everything.
 */
static bool add_synthetic_step(struct derived *derived, struct intern *strings,
			       const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	int64_t start = INT64_MAX, end = INT64_MIN;
	bool ok = true;
	for_rows (ok, i, profile->spans, progress, stage) {
		if (profile->span_kind[i] != SPAN_OPERATOR &&
		    (profile->activities || profile->snapshot ||
		     profile->span_kind[i] != SPAN_ANNOTATION))
			continue;
		int64_t last = profile_span_end(profile, i);
		start = profile->span_start[i] < start ? profile->span_start[i] : start;
		end = last > end ? last : end;
	}
	for_rows (ok, i, profile->activities, progress, stage) {
		if (!profile_is_work(profile, i))
			continue;
		uint32_t launch = profile->activity_launch[i];
		int64_t first =
			launch == NO_ROW ? profile->activity_start[i] : profile->span_start[launch];
		int64_t last = profile_activity_end(profile, i);
		start = first < start ? first : start;
		end = last > end ? last : end;
	}
	if (start > end) {
		start = 0;
		end = profile->end_ns;
	}
	steps_add_step(derived, (struct step){ .name = intern_add(strings, "0", 1),
					       .span = NO_ROW,
					       .host_start = start,
					       .host_end = end });
	return ok;
}

/* ---- device work ---- */

/* The step whose annotation contains [START, END], or NO_ROW: annotations may overlap. */
static uint32_t step_around(const struct derived *derived, int64_t start, int64_t end)
{
	uint32_t after =
		search_first(i, 0, derived->step_count, derived->steps[i].host_start > start);
	return after && derived->steps[after - 1].host_end >= end ? after - 1 : NO_ROW;
}

/* Device work counts for the step that launched it. */
static void count_launched(struct derived *derived, uint32_t activity)
{
	const struct profile *profile = derived->profile;
	uint32_t at = derived->activity_step[activity];
	if (at == NO_ROW || !profile_is_work(profile, activity))
		return;
	struct step *step = &derived->steps[at];
	int64_t first = profile->activity_start[activity];
	int64_t last = first + profile->activity_dur[activity];
	if (!step->launched++) {
		step->device_start = first;
		step->device_end = last;
	}
	step->device_start = first < step->device_start ? first : step->device_start;
	step->device_end = last > step->device_end ? last : step->device_end;
}

static bool attribute_activities(struct derived *derived, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool ok = true;
	for_rows (ok, i, profile->activities, progress, stage) {
		uint32_t launch = profile->activity_launch[i];
		derived->activity_step[i] = NO_ROW;
		if (launch == NO_ROW)
			continue;
		int64_t start = profile->span_start[launch];
		uint32_t at = step_around(derived, start, start + profile->span_dur[launch]);
		derived->activity_step[i] = at;
		count_launched(derived, i);
	}
	return ok;
}

/*
 * Do the steps hold a fifth of the GPU time, without such of that of operators, or, where the
 * profiler did not mark them, any? Those that close before the GPU works, or open after the work,
 * hold next to nothing, and what is of them says nothing. Work without a launch is where it starts.
 * Steps that the device recorded are its own, and believed.
 */
static bool hold_work(const struct derived *derived)
{
	enum { HELD_PERCENT = 20 };
	const struct profile *profile = derived->profile;
	bool marked = derived->step_source == STEPS_PROFILER;
	double all = 0, held = 0;
	uint32_t span = derived->steps[0].span;
	if (span != NO_ROW && profile->tracks[profile->span_track[span]].device >= 0)
		return true;
	for (uint32_t i = 0; i < profile->activities; i++) {
		int64_t start = profile->activity_start[i];
		if (!profile_is_work(profile, i))
			continue;
		all += (double)profile->activity_dur[i];
		if (derived->activity_step[i] != NO_ROW ||
		    (profile->activity_launch[i] == NO_ROW &&
		     step_around(derived, start, start) != NO_ROW))
			held += (double)profile->activity_dur[i];
	}
	bool host = !(all > 0);
	for (uint32_t i = 0; host && i < profile->spans; i++) {
		if (profile->span_kind[i] != SPAN_OPERATOR)
			continue;
		int64_t start = profile->span_start[i];
		all += (double)profile->span_dur[i];
		if (step_around(derived, start, start) != NO_ROW)
			held += (double)profile->span_dur[i];
	}
	return marked ? held * 100 >= all * HELD_PERCENT : held > 0 || !(all > 0);
}

/* Steps, with the GPU work that belongs to them. */
static bool settle_steps(struct derived *derived, struct intern *strings,
			 const struct progress *progress)
{
	derived->steps_from_profile = derived->step_count > 0;
	return (derived->step_count || add_synthetic_step(derived, strings, progress)) &&
	       attribute_activities(derived, progress);
}

/* Steps that hold next to no work are no steps; of those of the profiler others may be found. */
static bool replace_empty_steps(struct derived *derived, struct intern *strings,
				const struct derived_options *options, bool *by_execution,
				const struct progress *progress)
{
	bool chosen = options && (options->steps_from || options->step_name);
	bool marked = derived->step_source == STEPS_PROFILER;
	if (!derived->steps_from_profile || chosen || hold_work(derived))
		return true;
	derived->empty_steps = derived->step_count;
	forget_marked(derived);
	return (!marked || search_steps(derived, strings, NULL, by_execution, progress)) &&
	       settle_steps(derived, strings, progress);
}

/* Work launched before the first step may run into it; the step starts after its end. */
static int64_t end_of_earlier_work(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	const struct step *first = &derived->steps[0];
	int64_t end = first->host_start;
	for (uint32_t i = 0; first->launched && i < profile->activities; i++) {
		int64_t last = profile_activity_end(profile, i);
		if (derived->activity_step[i] == NO_ROW && profile_is_work(profile, i) &&
		    last < first->device_start && last > end)
			end = last;
	}
	return end;
}

static void chain_steps(struct derived *derived)
{
	if (!any_of(i, derived->step_count, derived->steps[i].launched > 0))
		return;
	int64_t previous = end_of_earlier_work(derived);
	for_each_mutable (step, derived->steps, derived->step_count) {
		step->start = previous > step->host_start ? previous : step->host_start;
		step->end = step->launched && step->device_end > step->host_end ? step->device_end
										: step->host_end;
		raise_to(step->end, step->start);
		previous = step->end;
	}
}

/* ---- partial steps ---- */

static void mark_partial(struct derived *derived)
{
	uint32_t whole = derived->step_count;
	if (!any_of(i, derived->step_count, derived->steps[i].launched > 0))
		return;
	while (whole > 1 && !derived->steps[whole - 1].launched)
		derived->steps[--whole].partial = true;
	if (whole > 1 &&
	    derived->steps[whole - 1].launched < 0.8 * derived->steps[whole - 2].launched)
		derived->steps[whole - 1].partial = true;
}

static void mark_slow_start(struct derived *derived)
{
	if (derived->step_count < 3)
		return;
	AUTO_FREE int64_t *durations = mem_alloc(derived->step_count * sizeof *durations);
	for (uint32_t i = 0; i < derived->step_count; i++)
		durations[i] = derived->steps[i].end - derived->steps[i].start;
	int64_t first = durations[0];
	qsort(durations, derived->step_count, sizeof *durations, compare_int64);
	derived->steps[0].slow_start = first > 2 * durations[derived->step_count / 2];
}

static bool attribute_by_execution(struct derived *derived, const struct progress *progress)
{
	size_t near = 0;
	bool ok = true;
	for_rows (ok, i, derived->profile->activities, progress, stage)
		derived->activity_step[i] =
			derived_step_near(derived, derived->profile->activity_start[i], &near);
	return ok;
}

/* From the first step to the last complete one. */
static void set_window(struct derived *derived)
{
	derived->window_start = derived->steps[0].start;
	derived->window_end = derived->steps[0].end;
	for (uint32_t i = 0; i < derived->step_count; i++)
		if (!derived->steps[i].partial)
			derived->window_end = derived->steps[i].end;
}

bool steps_find(struct derived *derived, struct intern *strings,
		const struct derived_options *options, const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	bool by_execution = options && options->attribute_by_execution;
	derived->activity_step =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *derived->activity_step);
	if (!collect_steps(derived, strings, options, &by_execution, progress))
		return false;
	if (!settle_steps(derived, strings, progress) ||
	    !replace_empty_steps(derived, strings, options, &by_execution, progress))
		return false;
	if (!serving_find(derived, progress))
		return false;
	chain_steps(derived);
	if (by_execution && !attribute_by_execution(derived, progress))
		return false;
	mark_partial(derived);
	mark_slow_start(derived);
	set_window(derived);
	return true;
}

void steps_replace(struct derived *derived, struct step *steps, uint32_t count)
{
	const struct profile *profile = derived->profile;
	mem_free(derived->steps);
	derived->steps = steps;
	derived->step_count = count;
	derived->steps_from_profile = true;
	derived->step_source = STEPS_KEY_NODE;
	derived->step_basis = derived->key_node;
	for (uint32_t i = 0; i < count; i++)
		begin_step(&steps[i]);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t launch = profile->activity_launch[i];
		derived->activity_step[i] =
			launch == NO_ROW ? NO_ROW
					 : derived_step_at(derived, profile->span_start[launch]);
		count_launched(derived, i);
	}
	derived->window_start = steps[0].start;
	derived->window_end = steps[count - 1].end;
}

bool steps_adopt(struct derived *derived, const struct known_steps *known_steps, bool by_execution,
		 const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	struct step *steps = known_steps->steps;
	uint32_t count = known_steps->count;
	AUTO_FREE struct step *known = mem_alloc(((size_t)count + 1) * sizeof *known);
	memcpy(known, steps, count * sizeof *known);
	derived->activity_step =
		mem_alloc(((size_t)profile->activities + 1) * sizeof *derived->activity_step);
	derived->steps = steps;
	derived->step_count = count;
	derived->steps_from_profile = true;
	derived->step_source = known_steps->source;
	derived->step_basis = known_steps->basis;
	bool done = attribute_activities(derived, progress);
	memcpy(steps, known, count * sizeof *known); /* the survey knows their device work */
	if (by_execution && done)
		done = attribute_by_execution(derived, progress);
	set_window(derived);
	return done;
}

bool scope_has_step(const struct scope *scope, const struct step *step)
{
	return (!scope->has_steps ||
		(step->number >= scope->step_first && step->number <= scope->step_last)) &&
	       (!scope->phases || scope->phases >> step->phase & 1);
}

uint32_t derived_step_near(const struct derived *derived, int64_t time, size_t *near)
{
	struct ascending starts = ASCENDING(derived->steps, start, derived->step_count);
	*near = search_near(starts, time + 1, *near < starts.count ? *near : starts.count);
	return *near && time < derived->steps[*near - 1].end ? (uint32_t)*near - 1 : NO_ROW;
}

uint32_t derived_step_at(const struct derived *derived, int64_t time)
{
	size_t near = derived->step_count / 2;
	return derived_step_near(derived, time, &near);
}

/* ---- spread of durations ---- */

int64_t *steps_sorted_durations(const struct derived *derived, size_t *count)
{
	int64_t *durations = mem_alloc(((size_t)derived->step_count + 1) * sizeof *durations);
	*count = 0;
	for (uint32_t i = 0; i < derived->step_count; i++)
		if (!derived->steps[i].partial)
			durations[(*count)++] = derived->steps[i].end - derived->steps[i].start;
	qsort(durations, *count, sizeof *durations, compare_int64);
	return durations;
}

bool steps_spread(const struct derived *derived, struct step_spread *spread)
{
	enum { STEPS_MIN = 4, PERCENT_MIN = 5 };
	size_t count;
	AUTO_FREE int64_t *sorted = steps_sorted_durations(derived, &count);
	if (count >= STEPS_MIN) {
		int64_t q1 = sorted[count / 4], q3 = sorted[3 * count / 4];
		int64_t slack = (q3 - q1) + (q3 - q1) / 2;
		int64_t median = sorted[count / 2], least = median / 100 * PERCENT_MIN;
		slack = slack > least ? slack : least;
		*spread = (struct step_spread){ q1 - slack, q3 + slack, median, count };
	}
	return count >= STEPS_MIN;
}
