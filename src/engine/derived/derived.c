#include "derived/derived.h"

#include "derived/derived_cache.h"
#include "derived/graphs.h"
#include "derived/inferences.h"
#include "derived/operators.h"
#include "derived/roles.h"
#include "base/any_of.h"
#include "base/binary_search.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/parallel.h"

/* Strings present now are the profile's names. */
static bool find_roles(struct derived *derived, const struct derived_options *options,
		       const struct progress *progress, struct error *error)
{
	derived->names = intern_count(derived->profile->strings);
	derived->role = roles_of_names(derived->profile, options, progress, error);
	if (!derived->role)
		return false;
	return roles_find_communication(derived, progress) || error_cancelled(error);
}

static bool set_steps(struct derived *derived, struct profile *profile,
		      const struct derived_options *options, const struct known_steps *known,
		      const struct progress *progress)
{
	bool by_execution = options && options->attribute_by_execution;
	if (known && known->count)
		return steps_adopt(derived, known, by_execution, progress);
	return steps_find(derived, profile->strings, options, progress);
}

/* Independent searches; only the one for steps may add strings. */
enum derived_search { SEARCH_LINKS, SEARCH_STEPS, SEARCH_GRAPHS, SEARCHES };

struct searching {
	struct derived *derived;
	struct profile *profile;
	const struct derived_options *options;
	const struct known_steps *known;
};

static bool search(void *context, size_t what, const struct progress *progress)
{
	const struct searching *searching = context;
	switch ((enum derived_search)what) {
	case SEARCH_LINKS: return links_find(searching->derived, progress);
	case SEARCH_STEPS:
		return set_steps(searching->derived, searching->profile, searching->options,
				 searching->known, progress);
	case SEARCH_GRAPHS: return graphs_find_twins(searching->derived, progress);
	default: return true;
	}
}

/* Names of annotations, for a message. */
static void name_annotations(const struct profile *profile, struct buffer *out)
{
	enum { NAMED = 4 };
	uint32_t names[NAMED], count = 0;
	for (uint32_t i = 0; i < profile->spans && count < NAMED; i++) {
		uint32_t name = profile->span_name[i], n = 0;
		if (profile->span_kind[i] != SPAN_ANNOTATION)
			continue;
		while (n < count && names[n] != name)
			n++;
		if (n < count)
			continue;
		names[count++] = name;
		buffer_printf(out, "%s\"%s\"", n ? ", " : "; some are ",
			      profile_string(profile, name));
	}
}

/* The steps that --step-name asked for are there. */
static bool step_name_holds(const struct derived *derived, const struct derived_options *options,
			    struct error *error)
{
	if (!options || !options->step_name || derived->step_source == STEPS_PROFILER)
		return true;
	AUTO_BUFFER struct buffer names = { 0 };
	name_annotations(derived->profile, &names);
	return error_usage(error, "no annotation matches the step name \"%s\"%s",
			   options->step_name, buffer_text(&names));
}

/* Ranges with the number of a step are no layers, as the steps of the profiler are none. */
static void mark_numbered_steps(struct derived *derived)
{
	for (uint32_t i = 0; derived->step_source == STEPS_RANGES && i < derived->step_count; i++)
		if (derived->steps[i].span != NO_ROW)
			derived->role[derived->profile->span_name[derived->steps[i].span]] |=
				NAME_NUMBERED_STEP;
}

static bool derive(struct derived *derived, struct profile *profile,
		   const struct derived_options *options, const struct known_steps *known,
		   const struct progress *progress, struct error *error)
{
	struct searching searching = { derived, profile, options, known };
	if (!find_roles(derived, options, progress, error))
		return false;
	if (!operators_attribute(derived, progress) ||
	    !parallel_try_rows(profile_rows(profile), SEARCHES, search, &searching,
			       "finding steps and links", progress, NULL))
		return error_cancelled(error);
	mark_numbered_steps(derived);
	if ((options && options->record_count &&
	     !inferences_find(derived, profile->strings, options->records, options->record_count,
			      options->lacks, progress)) ||
	    !tensor_uses_find(derived, progress) ||
	    !layers_fold(derived, profile->strings, progress) || !serving_infer(derived, progress))
		return error_cancelled(error);
	return step_name_holds(derived, options, error);
}

struct derived *derived_build(struct profile *profile, const struct derived_options *options,
			      const struct progress *progress, struct error *error)
{
	return derived_build_with_steps(profile, options, NULL, progress, error);
}

struct derived *derived_build_with_steps(struct profile *profile,
					 const struct derived_options *options,
					 const struct known_steps *known,
					 const struct progress *progress, struct error *error)
{
	struct derived *derived = mem_zalloc(1, sizeof *derived);
	derived->profile = profile;
	derived->steps = known ? known->steps : NULL;
	derived->peaks = options ? options->peaks : NULL;
	return keep_if(derive(derived, profile, options, known, progress, error), derived,
		       derived_free);
}

struct derived *derived_find_steps(struct profile *profile, const struct derived_options *options,
				   const struct progress *progress, struct error *error)
{
	struct derived *derived = mem_zalloc(1, sizeof *derived);
	derived->profile = profile;
	return keep_if(find_roles(derived, options, progress, error) &&
			       (steps_find(derived, profile->strings, options, progress) ||
				error_cancelled(error)) &&
			       step_name_holds(derived, options, error),
		       derived, derived_free);
}

static void free_arrays(struct derived *derived)
{
	mem_free_all(derived->role, derived->kernel_tensor, derived->name_uses, derived->span_flags,
		     derived->span_owner, derived->gpu_prefix, derived->gpu_count_prefix,
		     derived->activity_operator, derived->activity_twin, derived->activity_tensor,
		     derived->activity_step, derived->steps);
	links_free(&derived->links);
	layers_free(&derived->layers);
}

void derived_free(struct derived *derived)
{
	if (!derived)
		return;
	inferences_free(derived->inferred);
	if (!derived->stored)
		free_arrays(derived);
	derived_cache_free(derived);
	mem_free(derived);
}

int64_t derived_time_inside(const struct derived *derived, uint32_t span, uint32_t outer)
{
	const struct profile *profile = derived->profile;
	int64_t start = profile->span_start[span];
	int64_t inside = profile_span_end(profile, outer) - start;
	lower_to(inside, profile->span_dur[span]);
	return inside < 0 ? 0 : inside;
}

int64_t derived_time_covered(const struct derived *derived, uint32_t span, uint32_t outer,
			     int64_t *covered)
{
	int64_t start = derived->profile->span_start[span];
	int64_t end = start + derived_time_inside(derived, span, outer);
	int64_t from = start > *covered ? start : *covered;
	if (end <= from)
		return 0;
	*covered = end;
	return end - from;
}

/* What is covered is a union, because rounded times overlap. */
int64_t derived_self(const struct derived *derived, uint32_t span)
{
	const struct profile *profile = derived->profile;
	bool in_tree = derived->span_flags[span] & SPAN_IN_TREE;
	int64_t self = in_tree ? profile->span_dur[span] : 0, covered = profile->span_start[span];
	uint32_t end = span + (in_tree ? profile->span_size[span] : 1);
	for (uint32_t i = span + 1, next; i < end; i = next) {
		bool child = derived->span_flags[i] & SPAN_IN_TREE;
		if (child || profile->span_kind[i] == SPAN_RUNTIME)
			self -= derived_time_covered(derived, i, span, &covered);
		next = i + (child ? profile->span_size[i] : 1);
	}
	return self;
}

uint32_t derived_span_at(const struct derived *derived, uint32_t track, int64_t time)
{
	const struct profile *profile = derived->profile;
	uint32_t first = profile->tracks[track].first_span;
	uint32_t after = search_first(i, first, first + profile->tracks[track].spans,
				      profile->span_start[i] > time);
	uint32_t at = after == first ? NO_ROW : after - 1;
	while (at != NO_ROW && profile_span_end(profile, at) <= time)
		at = profile->span_parent[at];
	return at;
}

uint32_t derived_operator_around(const struct derived *derived, uint32_t span)
{
	while (span != NO_ROW && !(derived->span_flags[span] & SPAN_IS_OPERATOR))
		span = derived->span_owner[span];
	return span;
}

uint32_t derived_launcher(const struct derived *derived, uint32_t activity)
{
	uint32_t call = derived->profile->activity_launch[activity];
	return row_upwards(at, call == NO_ROW ? NO_ROW : derived->span_owner[call],
			   derived->span_owner, derived->profile->span_kind[at] != SPAN_MODULE);
}

/* Is CALL in a module inside OWNER? */
static bool is_in_module_of(const struct derived *derived, uint32_t call, uint32_t owner)
{
	uint32_t at = derived->profile->span_parent[call];
	if (at != NO_ROW && !(derived->span_flags[at] & SPAN_IN_TREE))
		at = derived->span_owner[at];
	for (; at != NO_ROW && at != owner; at = derived->span_owner[at])
		if (derived->profile->span_kind[at] == SPAN_MODULE)
			return at > owner;
	return false;
}

uint32_t derived_row_of_call(const struct derived *derived, uint32_t call, uint32_t owner)
{
	bool launched = call != NO_ROW && owner != NO_ROW; /* stored data may be inconsistent */
	return launched && !is_in_module_of(derived, call, owner) ? owner : call;
}

uint32_t derived_work_row(const struct derived *derived, uint32_t activity)
{
	uint32_t call = derived->profile->activity_launch[activity];
	uint32_t owner = derived->activity_operator[activity];
	return call == NO_ROW ? owner : derived_row_of_call(derived, call, owner);
}

const struct inference *derived_inference(const struct derived *derived, uint32_t activity)
{
	uint32_t at = derived->inferred ? derived->inferred->activity[activity] : NO_ROW;
	return at == NO_ROW ? NULL : &derived->inferred->items[at];
}

const struct inference *derived_inferred_arguments(const struct derived *derived, uint32_t activity)
{
	const struct inference *inference = derived_inference(derived, activity);
	bool told = inference && inference->shapes &&
		    (derived->activity_operator[activity] == NO_ROW ||
		     derived->inferred->sources[inference->source].rank != NO_VALUE);
	return told ? inference : NULL;
}

uint32_t derived_operator_name(const struct derived *derived, uint32_t activity)
{
	const struct inference *inference = derived_inference(derived, activity);
	uint32_t owner = derived->activity_operator[activity];
	if (owner == NO_ROW && inference && inference->operator_name)
		return inference->operator_name;
	if (owner == NO_ROW)
		owner = derived->activity_operator[derived_layer_source(derived, activity)];
	return owner == NO_ROW ? NO_ROW : derived->profile->span_name[owner];
}

bool derived_knows_pass(const struct derived *derived, uint32_t activity)
{
	const struct inference *inference = derived_inference(derived, activity);
	return (inference && inference->has_pass) ||
	       derived_work_row(derived, derived_layer_source(derived, activity)) != NO_ROW;
}

bool derived_is_backward(const struct derived *derived, uint32_t activity)
{
	const struct inference *inference = derived_inference(derived, activity);
	if (inference && inference->has_pass)
		return inference->backward;
	uint32_t at = derived_work_row(derived, derived_layer_source(derived, activity));
	return at != NO_ROW && derived->span_flags[at] & SPAN_BACKWARD;
}
