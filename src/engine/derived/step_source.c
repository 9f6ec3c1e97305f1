#include "derived/step_source.h"

#include "derived/derived.h"
#include "derived/step_search.h"
#include "base/compare.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/binary_search.h"
#include "base/sort.h"

static const char stage[] = "finding steps";

/* A source of steps: its marks, or another search. */
static const struct step_source_source {
	const char *name;   /* for --steps-from; NULL: chosen otherwise */
	const char *prefix; /* of its description, before the basis */
	const struct mark_rule *marks;
	bool (*find)(struct step_search *search);
} sources[STEP_SOURCES] = { STEP_SOURCE_ROWS(LISTED_ROW) };

enum step_source step_source_named(const char *name)
{
	for (int i = 0; i < STEP_SOURCES; i++)
		if (sources[i].name && strcmp(sources[i].name, name) == 0)
			return (enum step_source)i;
	return STEPS_NONE;
}

void step_source_describe(const struct derived *derived, struct buffer *out)
{
	if (derived->step_source != STEPS_NONE && derived->step_source < STEP_SOURCES)
		buffer_printf(out, "%s%s", sources[derived->step_source].prefix,
			      profile_string(derived->profile, derived->step_basis));
}

bool step_source_is_recorded(const struct derived *derived)
{
	return derived->step_source == STEPS_PROFILER || derived->step_source == STEPS_RANGE ||
	       derived->step_source == STEPS_KEY_NODE;
}

/* ---- the search ---- */

size_t step_search_work(struct step_search *search, int64_t from, int64_t to)
{
	struct ascending work = ASCENDING_ARRAY(search->work, search->work_count);
	size_t first = search_near(work, from, search->work_near);
	search->work_near = search_near(work, to, first);
	return search->work_near - first;
}

void step_search_offer(struct step_search *search, const struct step *steps, size_t count,
		       const char *basis, int tier)
{
	size_t covered = 0;
	if (count < (search->chosen || search->sure ? 1 : MARKED_STEPS_MIN) || count > UINT32_MAX)
		return;
	for (size_t i = 0; i < count; i++)
		covered += step_search_work(search, steps[i].host_start, steps[i].host_end);
	bool better = tier != search->tier         ? tier < search->tier
		      : covered != search->covered ? covered > search->covered
						   : count > search->count;
	if (search->count && !better)
		return;
	mem_replace(search->steps, mem_alloc(count * sizeof *steps));
	memcpy(search->steps, steps, count * sizeof *steps);
	search->count = count;
	search->covered = covered;
	search->tier = tier;
	search->basis = intern_add(search->strings, basis, strlen(basis));
}

struct step step_search_iteration(size_t index, int64_t from, int64_t to)
{
	return (struct step){ .number = (int64_t)index,
			      .name = NO_ROW,
			      .span = NO_ROW,
			      .host_start = from,
			      .host_end = to };
}

/* Name the steps found that have no span. */
static void name_iterations(struct step_search *search)
{
	char name[16 + NUMBER_MAX] = "iteration ";
	size_t length = strlen(name);
	for_each_mutable (step, search->steps, search->count) {
		if (step->name != NO_ROW)
			continue;
		number_count(name + length, step->number);
		step->name = intern_add(search->strings, name, strlen(name));
	}
}

/* The process that launches most device work; without any, with most spans. */
static bool find_process(struct step_search *search)
{
	const struct profile *profile = search->profile;
	AUTO_FREE uint64_t *work = mem_zalloc(profile->process_count + 1, sizeof *work);
	bool ok = true, any = false;
	for_rows (ok, i, profile->activities, search->progress, stage) {
		uint32_t launch = profile->activity_launch[i];
		if (launch == NO_ROW)
			continue;
		work[profile->tracks[profile->span_track[launch]].process]++;
		any = true;
	}
	for (size_t t = 0; t < profile->track_count && !any; t++)
		work[profile->tracks[t].process] += (uint64_t)profile->tracks[t].spans +
						    profile->tracks[t].spans_out +
						    profile->tracks[t].activities;
	for (uint32_t i = 0; i < profile->process_count; i++)
		if (work[i] > work[search->process])
			search->process = i;
	return ok;
}

static bool in_process(const struct step_search *search, uint32_t span)
{
	const struct profile *profile = search->profile;
	return profile->tracks[profile->span_track[span]].process == search->process;
}

static bool find_work(struct step_search *search)
{
	const struct profile *profile = search->profile;
	bool ok = true;
	search->work = mem_alloc(((size_t)profile->activities + profile->spans + 1) *
				 sizeof *search->work);
	for_rows (ok, i, profile->activities, search->progress, stage) {
		uint32_t launch = profile->activity_launch[i];
		if (launch != NO_ROW && profile->activity_kind[i] != ACTIVITY_SYNC &&
		    in_process(search, launch))
			search->work[search->work_count++] = profile->span_start[launch];
	}
	for (uint32_t i = 0; i < profile->spans && ok && !profile->activities; i++) {
		ok = progress_row(search->progress, stage, i, profile->spans);
		if (profile->span_kind[i] == SPAN_OPERATOR && in_process(search, i))
			search->work[search->work_count++] = profile->span_start[i];
	}
	return ok && sort_runs(search->work, search->work_count, sizeof *search->work,
			       compare_int64, search->progress);
}

static bool try_source(struct step_search *search, enum step_source source)
{
	const struct step_source_source *at = &sources[source];
	return at->marks ? step_marks_find(search, at->marks) : !at->find || at->find(search);
}

/* The source called WANTED, or the range; or else the first that gives steps. */
static bool try_sources(struct step_search *search, const char *wanted, enum step_source *source)
{
	if (wanted) {
		search->chosen = true;
		*source = step_source_named(wanted);
		if (*source != STEPS_NONE)
			return try_source(search, *source);
		*source = STEPS_RANGE;
		search->wanted = wanted;
		search->exactly = true;
		if (!try_source(search, *source))
			return false;
		search->exactly = false;
		return search->count > 1 || try_source(search, *source);
	}
	for (int i = STEPS_OPTIMIZER; i <= STEPS_PERIOD && !search->count; i++) {
		*source = (enum step_source)i;
		if (!try_source(search, *source))
			return false;
	}
	return true;
}

bool step_source_find(struct derived *derived, struct intern *strings, const char *wanted,
		      bool *by_execution, const struct progress *progress)
{
	struct step_search search = { .derived = derived,
				      .profile = derived->profile,
				      .strings = strings,
				      .progress = progress };
	enum step_source source = STEPS_NONE;
	bool done = derived->profile->process_count == 0 ||
		    (find_process(&search) && find_work(&search) &&
		     try_sources(&search, wanted, &source));
	derived->step_source = STEPS_NONE;
	if (done && search.count) {
		name_iterations(&search);
		derived->steps = search.steps;
		derived->step_count = (uint32_t)search.count;
		derived->step_source = source;
		derived->step_basis = search.basis;
		*by_execution |= search.by_execution;
		search.steps = NULL;
	}
	mem_free_all(search.steps, search.work);
	return done;
}
