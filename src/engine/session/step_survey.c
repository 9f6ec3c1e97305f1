#include "session/step_survey.h"

#include "base/any_of.h"
#include "derived/roles.h"
#include "derived/selection.h"
#include "input/open.h"

enum { MARGIN = 16 }; /* keep 1/MARGIN of the requested time after it */

/* A growing time range. */
struct survey_range {
	int64_t from, to;
};

static void cover(struct survey_range *stretch, int64_t from, int64_t to)
{
	stretch->from = from < stretch->from ? from : stretch->from;
	stretch->to = to > stretch->to ? to : stretch->to;
}

static bool is_wanted(const struct load_options *options, const struct step *step)
{
	return step->number >= options->step_first && step->number <= options->step_last;
}

/* Covers the requested steps; the first step if there is none, so that the profile is not empty. */
static void cover_steps(const struct derived *derived, const struct load_options *options,
			struct survey_range *host, struct survey_range *device)
{
	*host = *device = (struct survey_range){ INT64_MAX, INT64_MIN };
	for_each (step, derived->steps, derived->step_count) {
		if (!is_wanted(options, step))
			continue;
		cover(host, step->host_start, step->host_end);
		cover(device, step->start, step->end);
	}
	if (host->from > host->to) {
		cover(host, derived->steps[0].host_start, derived->steps[0].host_end);
		cover(device, derived->steps[0].start, derived->steps[0].end);
	}
	cover(device, host->from, host->to);
}

/* Distance of a row from a range; 0: they overlap. */
static int64_t distance(const struct survey_range *stretch, int64_t from, int64_t to)
{
	return from > stretch->to   ? from - stretch->to
	       : to < stretch->from ? stretch->from - to
				    : 0;
}

/* Keep at least one activity if there are any: views ask whether the profile has some. */
static void cover_one_activity(const struct profile *profile, struct survey_range *device)
{
	struct survey_range nearest = *device;
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < profile->activities && least; i++) {
		int64_t start = profile->activity_start[i], end = start + profile->activity_dur[i];
		if (distance(device, start, end) >= least)
			continue;
		least = distance(device, start, end);
		nearest = (struct survey_range){ start, end };
	}
	if (least == INT64_MAX || !least)
		return;
	if (nearest.from > device->to)
		device->to = nearest.from;
	else
		device->from = nearest.to;
}

/* Covers activities launched or running in the steps, and the launch calls of the latter. */
static void cover_activities(const struct derived *derived, const struct load_options *options,
			     struct survey_range *host, struct survey_range *device)
{
	const struct profile *profile = derived->profile;
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t step = selection_step_of_activity(derived, i);
		int64_t start = profile->activity_start[i];
		if (step != NO_ROW && is_wanted(options, &derived->steps[step]))
			cover(device, start, start + profile->activity_dur[i]);
	}
	cover_one_activity(profile, device);
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t call = profile->activity_launch[i];
		int64_t start = profile->activity_start[i];
		if (call != NO_ROW && start <= device->to &&
		    start + profile->activity_dur[i] >= device->from)
			cover(host, profile->span_start[call],
			      profile->span_start[call] + profile->span_dur[call]);
	}
}

static void set_filter(struct step_survey *survey, const struct derived *derived,
		       const struct load_options *options)
{
	struct survey_range host, device;
	int64_t base = derived->profile->base_ns;
	cover_steps(derived, options, &host, &device);
	survey->wanted_from = base + host.from;
	survey->wanted_to = base + host.to;
	cover_activities(derived, options, &host, &device);
	survey->filter =
		(struct read_filter){ .host_from = base + host.from,
				      .host_to = base + host.to + (host.to - host.from) / MARGIN,
				      .device_from = base + device.from,
				      .device_to = base + device.to };
}

/* Shift the known times of a step by BASE. */
static void move_step(struct step *step, int64_t base)
{
	step->host_start += base;
	step->host_end += base;
	step->start += base;
	step->end += base;
	if (step->device_start != NO_VALUE) {
		step->device_start += base;
		step->device_end += base;
	}
}

static void take_steps(struct step_survey *survey, const struct derived *derived)
{
	survey->count = derived->step_count;
	survey->steps = mem_alloc((survey->count + 1) * sizeof *survey->steps);
	survey->names = mem_zalloc(survey->count + 1, sizeof *survey->names);
	survey->source = (enum step_source)derived->step_source;
	survey->basis = mem_strdup(profile_string(derived->profile, derived->step_basis));
	for (uint32_t i = 0; i < survey->count; i++) {
		survey->steps[i] = derived->steps[i];
		survey->names[i] =
			mem_strdup(profile_string(derived->profile, derived->steps[i].name));
		move_step(&survey->steps[i], derived->profile->base_ns);
	}
}

static bool has_layers(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	return any_of(i, profile->spans,
		      profile->span_kind[i] == SPAN_ANNOTATION &&
			      !derived->role[profile->span_name[i]]);
}

/* Read the file as FILTER says, and find its steps. NULL with ERROR. */
static struct derived *find_steps(const char *path, const struct load_options *options,
				  const struct read_filter *filter, const struct progress *progress,
				  struct error *error)
{
	struct read_options how = { .no_python = options->no_python, .filter = filter };
	struct profile *profile = profile_open_with(path, &how, progress, error);
	struct derived *derived =
		profile ? derived_find_steps(profile, &options->derived, progress, error) : NULL;
	if (!derived)
		profile_free(profile);
	return derived;
}

static void free_found(struct derived *derived)
{
	struct profile *profile = derived ? (struct profile *)derived->profile : NULL;
	derived_free(derived);
	profile_free(profile);
}

bool step_survey_make(struct step_survey *survey, const char *path,
		      const struct load_options *options, const struct progress *progress,
		      struct error *error)
{
	struct read_filter filter = { .survey = true,
				      .is_step = options->derived.step_name ? NULL
									    : roles_may_be_step };
	*survey = (struct step_survey){ 0 };
	struct derived *derived = find_steps(path, options, &filter, progress, error);
	if (derived && !step_source_is_recorded(derived)) {
		free_found(derived);
		filter.thorough = true;
		derived = find_steps(path, options, &filter, progress, error);
	}
	if (derived && derived->steps_from_profile) {
		take_steps(survey, derived);
		set_filter(survey, derived, options);
		survey->layers = has_layers(derived);
	}
	bool done = derived != NULL;
	free_found(derived);
	return done;
}

void step_survey_free(struct step_survey *survey)
{
	mem_free_each(survey->names, survey->count);
	mem_free_all(survey->names, survey->steps, survey->basis);
	*survey = (struct step_survey){ 0 };
}

bool step_survey_covers(struct step_survey *survey, const struct profile *profile)
{
	int64_t last = survey->filter.host_to;
	for (uint32_t i = 0; i < profile->spans; i++) {
		int64_t start = profile->base_ns + profile->span_start[i];
		int64_t end = start + profile->span_dur[i];
		if (start >= survey->wanted_from && start <= survey->wanted_to && end > last)
			last = end;
	}
	bool covers = last == survey->filter.host_to;
	survey->filter.host_to = last;
	return covers;
}

/* Annotation of a step, or NO_ROW if it was not read. */
static uint32_t find_annotation(const struct profile *profile, const struct step *step)
{
	for_each (track, profile->tracks, profile->track_count) {
		uint32_t end = track->first_span + track->spans;
		uint32_t low = search_first(i, track->first_span, end,
					    profile->span_start[i] >= step->host_start);
		for (; low < end && profile->span_start[low] == step->host_start; low++)
			if (profile->span_name[low] == step->name &&
			    (profile->span_kind[low] == SPAN_ANNOTATION ||
			     profile->span_kind[low] == SPAN_OPERATOR))
				return low;
	}
	return NO_ROW;
}

struct known_steps step_survey_steps(const struct step_survey *survey,
				     const struct profile *profile)
{
	struct step *steps = mem_alloc(survey->count * sizeof *steps);
	memcpy(steps, survey->steps, survey->count * sizeof *steps);
	for (uint32_t i = 0; i < survey->count; i++) {
		steps[i].name =
			intern_add(profile->strings, survey->names[i], strlen(survey->names[i]));
		move_step(&steps[i], -profile->base_ns);
		steps[i].span = find_annotation(profile, &steps[i]);
	}
	return (struct known_steps){
		.steps = steps,
		.count = survey->count,
		.basis = intern_add(profile->strings, survey->basis, strlen(survey->basis)),
		.source = survey->source,
	};
}
