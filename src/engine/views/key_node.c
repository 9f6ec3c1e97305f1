/*
 * Finds the range or op of a row that could serve as step boundary.
 */
#include "session/load.h"
#include "base/buffer.h"
#include "model/tool.h"
#include "views/views.h"

/* True for operators, runtime calls, and spans inside operators. */
static bool in_an_op(const struct derived *derived, uint32_t span)
{
	uint32_t owner = derived->span_owner[span];
	return derived->span_flags[span] & SPAN_IS_OPERATOR ||
	       (owner != NO_ROW && derived->span_flags[owner] & SPAN_IS_OPERATOR) ||
	       derived->profile->span_kind[span] == SPAN_RUNTIME;
}

/*
 * Earliest call of a name (NO_ROW: any) below a layer node that is in an op; NO_ROW if there is
 * none or when cancelled.
 */
static uint32_t earliest(const struct derived *derived, uint32_t node, uint32_t name,
			 const struct progress *progress)
{
	const struct profile *profile = derived->profile;
	const struct layer_tree *layers = &derived->layers;
	uint32_t best = NO_ROW;
	for (uint32_t i = 0; i < profile->spans; i++) {
		if (!progress_row(progress, "finding the key node", i, profile->spans))
			return NO_ROW;
		if (layers->span_node[i] - node >= layers->nodes[node].size ||
		    (name != NO_ROW && profile->span_name[i] != name) || !in_an_op(derived, i))
			continue;
		if (best == NO_ROW || profile->span_start[i] < profile->span_start[best])
			best = i;
	}
	return best;
}

static uint32_t span_of(const struct derived *derived, struct ref ref,
			const struct progress *progress)
{
	switch (ref.kind) {
	case REF_CALL:
	case REF_LINK: return ref.a;
	case REF_LAYER: return earliest(derived, ref.a, NO_ROW, progress);
	case REF_MODULE: return earliest(derived, ref.c, NO_ROW, progress);
	case REF_OPERATOR: return earliest(derived, 0, ref.a, progress);
	case REF_LAUNCH: return derived->profile->activity_launch[ref.a];
	default: return NO_ROW;
	}
}

/* The name of the annotation that the row is, or NO_ROW. */
static uint32_t range_of(const struct derived *derived, struct ref ref)
{
	const struct profile *profile = derived->profile;
	if (ref.kind == REF_LAYER && derived->layers.nodes[ref.a].kind == LAYER_ANNOTATION)
		return derived->layers.nodes[ref.a].name;
	if (ref.kind == REF_CALL && profile->span_kind[ref.a] == SPAN_ANNOTATION)
		return profile->span_name[ref.a];
	return NO_ROW;
}

bool view_key_node(const struct run *run, const struct scope *scope, struct ref ref,
		   struct buffer *id, const struct progress *progress)
{
	AUTO_RANK const struct rank *rank = run_acquire(run, scope->rank, progress, NULL);
	if (!rank)
		return false;
	ref_require(rank->derived, ref);
	uint32_t range = range_of(rank->derived, ref);
	uint32_t span = range == NO_ROW ? span_of(rank->derived, ref, progress) : NO_ROW;
	bool found = range != NO_ROW ||
		     (span != NO_ROW && tool_step_rule()->key_of_span(rank->derived, span, id));
	if (range != NO_ROW)
		buffer_puts(id, profile_string(rank->profile, range));
	return found;
}
