#include "facts/facts.h"

#include "facts/graphs.h"
#include "facts/inferences.h"
#include "facts/operators.h"
#include "facts/roles.h"
#include "facts/tensor_uses.h"
#include "base/error.h"
#include "base/parallel.h"

/* Strings present now are the profile's names. */
static bool find_roles(struct facts *facts, const struct facts_options *options,
		       const struct progress *progress, struct error *error)
{
	facts->names = intern_count(facts->profile->strings);
	facts->role = roles_of_names(facts->profile, options, progress, error);
	return facts->role != NULL;
}

static bool set_steps(struct facts *facts, struct profile *profile,
		      const struct facts_options *options, const struct known_steps *known,
		      const struct progress *progress)
{
	bool by_execution = options && options->attribute_by_execution;
	if (known && known->count)
		return steps_adopt(facts, known, by_execution, progress);
	return steps_find(facts, profile->strings, options, progress);
}

/* Independent searches; only the one for steps may add strings. */
enum search { SEARCH_LINKS, SEARCH_STEPS, SEARCH_GRAPHS, SEARCHES };

struct searching {
	struct facts *facts;
	struct profile *profile;
	const struct facts_options *options;
	const struct known_steps *known;
};

static bool search(void *context, size_t what, const struct progress *progress)
{
	const struct searching *searching = context;
	switch ((enum search)what) {
	case SEARCH_LINKS: return links_find(searching->facts, progress);
	case SEARCH_STEPS:
		return set_steps(searching->facts, searching->profile, searching->options,
				 searching->known, progress);
	case SEARCH_GRAPHS: return graphs_find_twins(searching->facts, progress);
	case SEARCHES: break;
	}
	return true;
}

static bool derive(struct facts *facts, struct profile *profile,
		   const struct facts_options *options, const struct known_steps *known,
		   const struct progress *progress, struct error *error)
{
	struct searching searching = { facts, profile, options, known };
	if (!find_roles(facts, options, progress, error))
		return false;
	if (!operators_attribute(facts, progress) ||
	    !parallel_try(SEARCHES, search, &searching, "finding steps and links", progress,
			  NULL) ||
	    (options && options->record_count &&
	     !inferences_find(facts, profile->strings, options->records, options->record_count,
			      options->lacks, progress)) ||
	    !tensor_uses_find(facts, progress) || !layers_fold(facts, profile->strings, progress))
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return true;
}

struct facts *facts_build(struct profile *profile, const struct facts_options *options,
			  const struct progress *progress, struct error *error)
{
	return facts_build_with_steps(profile, options, NULL, progress, error);
}

struct facts *facts_build_with_steps(struct profile *profile, const struct facts_options *options,
				     const struct known_steps *known,
				     const struct progress *progress, struct error *error)
{
	struct facts *facts = mem_zalloc(1, sizeof *facts);
	facts->profile = profile;
	facts->steps = known ? known->steps : NULL;
	facts->peaks = options ? options->peaks : NULL;
	if (derive(facts, profile, options, known, progress, error))
		return facts;
	facts_free(facts);
	return NULL;
}

struct facts *facts_find_steps(struct profile *profile, const struct facts_options *options,
			       const struct progress *progress, struct error *error)
{
	struct facts *facts = mem_zalloc(1, sizeof *facts);
	facts->profile = profile;
	if (find_roles(facts, options, progress, error) &&
	    (steps_find(facts, profile->strings, options, progress) ||
	     error_set(error, ERROR_CANCELLED, "cancelled")))
		return facts;
	facts_free(facts);
	return NULL;
}

static void free_arrays(struct facts *facts)
{
	mem_free(facts->role);
	mem_free(facts->kernel_tensor);
	mem_free(facts->span_flags);
	mem_free(facts->span_owner);
	mem_free(facts->span_self);
	mem_free(facts->gpu_prefix);
	mem_free(facts->gpu_count_prefix);
	mem_free(facts->activity_operator);
	mem_free(facts->activity_twin);
	mem_free(facts->activity_tensor);
	mem_free(facts->activity_step);
	mem_free(facts->steps);
	links_free(&facts->links);
	layers_free(&facts->layers);
}

void facts_free(struct facts *facts)
{
	if (!facts)
		return;
	inferences_free(facts->inferred);
	if (!facts->stored)
		free_arrays(facts);
	struct derived *derived = facts->derived;
	if (derived)
		derived->free(derived);
	mem_free(facts);
}

int64_t facts_time_inside(const struct facts *facts, uint32_t span, uint32_t outer)
{
	const struct profile *profile = facts->profile;
	int64_t start = profile->span_start[span];
	int64_t inside = profile->span_start[outer] + profile->span_dur[outer] - start;
	if (inside > profile->span_dur[span])
		inside = profile->span_dur[span];
	return inside < 0 ? 0 : inside;
}

int64_t facts_time_covered(const struct facts *facts, uint32_t span, uint32_t outer,
			   int64_t *covered)
{
	int64_t start = facts->profile->span_start[span];
	int64_t end = start + facts_time_inside(facts, span, outer);
	int64_t from = start > *covered ? start : *covered;
	if (end <= from)
		return 0;
	*covered = end;
	return end - from;
}

uint32_t facts_operator_around(const struct facts *facts, uint32_t span)
{
	while (span != NO_ROW && !(facts->span_flags[span] & SPAN_IS_OPERATOR))
		span = facts->span_owner[span];
	return span;
}

uint32_t facts_launcher(const struct facts *facts, uint32_t activity)
{
	uint32_t call = facts->profile->activity_launch[activity];
	uint32_t at = call == NO_ROW ? NO_ROW : facts->span_owner[call];
	while (at != NO_ROW && facts->profile->span_kind[at] == SPAN_MODULE)
		at = facts->span_owner[at];
	return at;
}

/* Is CALL in a module inside OWNER? */
static bool is_in_module_of(const struct facts *facts, uint32_t call, uint32_t owner)
{
	uint32_t at = facts->profile->span_parent[call];
	if (at != NO_ROW && !(facts->span_flags[at] & SPAN_IN_TREE))
		at = facts->span_owner[at];
	for (; at != NO_ROW && at != owner; at = facts->span_owner[at])
		if (facts->profile->span_kind[at] == SPAN_MODULE)
			return at > owner;
	return false;
}

uint32_t facts_row_of_call(const struct facts *facts, uint32_t call, uint32_t owner)
{
	bool launched = call != NO_ROW && owner != NO_ROW; /* stored facts may be inconsistent */
	return launched && !is_in_module_of(facts, call, owner) ? owner : call;
}

uint32_t facts_work_row(const struct facts *facts, uint32_t activity)
{
	uint32_t call = facts->profile->activity_launch[activity];
	uint32_t owner = facts->activity_operator[activity];
	return call == NO_ROW ? owner : facts_row_of_call(facts, call, owner);
}

const struct inference *facts_inference(const struct facts *facts, uint32_t activity)
{
	uint32_t at = facts->inferred ? facts->inferred->activity[activity] : NO_ROW;
	return at == NO_ROW ? NULL : &facts->inferred->items[at];
}

const struct inference *facts_inferred_arguments(const struct facts *facts, uint32_t activity)
{
	const struct inference *inference = facts_inference(facts, activity);
	bool told = inference && inference->shapes &&
		    (facts->activity_operator[activity] == NO_ROW ||
		     facts->inferred->sources[inference->source].rank != NO_VALUE);
	return told ? inference : NULL;
}

uint32_t facts_operator_name(const struct facts *facts, uint32_t activity)
{
	const struct inference *inference = facts_inference(facts, activity);
	uint32_t owner = facts->activity_operator[activity];
	if (owner == NO_ROW && inference && inference->operator_name)
		return inference->operator_name;
	if (owner == NO_ROW)
		owner = facts->activity_operator[facts_layer_source(facts, activity)];
	return owner == NO_ROW ? NO_ROW : facts->profile->span_name[owner];
}

bool facts_knows_pass(const struct facts *facts, uint32_t activity)
{
	const struct inference *inference = facts_inference(facts, activity);
	return (inference && inference->has_pass) ||
	       facts_work_row(facts, facts_layer_source(facts, activity)) != NO_ROW;
}

bool facts_is_backward(const struct facts *facts, uint32_t activity)
{
	const struct inference *inference = facts_inference(facts, activity);
	if (inference && inference->has_pass)
		return inference->backward;
	uint32_t at = facts_work_row(facts, facts_layer_source(facts, activity));
	return at != NO_ROW && facts->span_flags[at] & SPAN_BACKWARD;
}
