/*
 * Drilling down to the next finer view, and following links.
 */
#include "session/load.h"
#include "views/views.h"

/* ---- drilling ---- */

static void set_step(struct scope *scope, const struct facts *facts, uint32_t index)
{
	scope->has_steps = true;
	scope->step_first = scope->step_last = facts->steps[index].number;
}

static const struct view *drill_layer(const struct facts *facts, uint32_t node, struct scope *scope)
{
	const struct layer_node *layer = &facts->layers.nodes[node];
	scope->layer = node;
	switch (layer->kind) {
	case LAYER_KERNEL:
	case LAYER_MEMCPY:
	case LAYER_MEMSET:
	case LAYER_UNLINKED: return &view_launches;
	case LAYER_OPERATOR: return &view_calls;
	case LAYER_RUNTIME: return NULL; /* synchronization launches nothing */
	default: return &view_operators;
	}
}

static const struct view *drill(const struct facts *facts, struct ref ref, struct scope *scope)
{
	switch (ref.kind) {
	case REF_FACT: return ref.b == NO_ROW ? NULL : view_at(ref.b);
	case REF_FINDING: return drill(facts, advice_subject(ref), scope);
	case REF_STEP: set_step(scope, facts, ref.a); return &view_layers;
	case REF_LAYER: return drill_layer(facts, ref.a, scope);
	case REF_MODULE: scope->layer = ref.c; return &view_operators;
	case REF_OPERATOR:
		scope->operator_name = ref.a;
		scope->operator_shapes = ref.b;
		scope->operator_stack = ref.c;
		return &view_calls;
	case REF_CALL: scope->call = ref.a; return &view_launches;
	case REF_KERNEL:
		scope->kernel_name = ref.a;
		if (ref.b != NO_ROW)
			scope->operator_name = ref.b;
		return &view_launches;
	case REF_RANK: scope->rank = (int)ref.a; return &view_overview;
	case REF_LINK: scope->call = ref.a; return &view_launches;
	case REF_TIME:
		scope->has_time = true;
		scope->time_first = ref_start(ref);
		scope->time_last = ref_end(ref);
		scope->devices = (struct scope_list){ { ref_device(ref) }, 1 };
		return &view_launches;
	case REF_TRACK:
		scope->track = ref.a;
		return facts->profile->tracks[ref.a].device < 0 ? &view_operators : &view_launches;
	default: return NULL;
	}
}

bool view_drill(const struct run *run, struct ref ref, const struct scope *scope,
		const struct view **next, struct scope *next_scope)
{
	const struct rank *rank = run_peek(run, scope->rank);
	if (!rank)
		return false;
	ref_require(rank->facts, ref);
	scope_copy(next_scope, scope);
	scope_set_text(&next_scope->filter, NULL);
	*next = drill(rank->facts, ref, next_scope);
	run_release(run, rank);
	if (*next)
		return true;
	scope_clear(next_scope);
	return false;
}

/* ---- links ---- */

struct target {
	const struct facts *facts;
	size_t nth, count;
	struct ref ref; /* the NTH match */
};

static void see(struct target *target, enum ref_kind kind, uint32_t row)
{
	if (target->count++ == target->nth)
		target->ref = (struct ref){ kind, row, 0, 0 };
}

/* Device activities launched in a host span, at any depth. */
static void see_activities(struct target *target, uint32_t span)
{
	const struct profile *profile = target->facts->profile;
	uint32_t end = span + profile->span_size[span];
	for (uint32_t i = 0; i < profile->activities; i++) {
		uint32_t at = facts_work_row(target->facts, i);
		if (at != NO_ROW && at >= span && at < end)
			see(target, REF_LAUNCH, i);
	}
}

/* Other ends of a call's links; enclosing calls have the links of inner ones. */
static void see_partners(struct target *target, uint32_t span, bool forward)
{
	uint32_t count;
	const struct link *links = links_of(target->facts, span, forward, &count);
	for (uint32_t i = 0; i < count; i++)
		see(target, REF_CALL, forward ? links[i].backward : links[i].forward);
}

static const char *collect(struct target *target, struct ref ref, bool forward)
{
	const struct facts *facts = target->facts;
	switch (ref.kind) {
	case REF_CALL:
		see_partners(target, ref.a, forward);
		if (forward && !target->count)
			see_activities(target, ref.a);
		if (!target->count && facts->span_flags[ref.a] & SPAN_BACKWARD)
			see_partners(target, ref.a, !forward);
		return forward ? "this call has no backward operator and launched nothing"
			       : "this call has no forward operator";
	case REF_LAUNCH:
		if (!forward && facts->activity_operator[ref.a] != NO_ROW)
			see(target, REF_CALL, facts->activity_operator[ref.a]);
		else if (forward && facts->activity_operator[ref.a] != NO_ROW)
			see_partners(target, facts->activity_operator[ref.a], true);
		return forward ? "the operator of this launch has no backward operator"
		       : facts->profile->activity_launch[ref.a] == NO_ROW
			       ? "the launch call is not in the profile"
			       : "no operator launched this";
	case REF_LINK: see(target, REF_CALL, forward ? ref.b : ref.a); return NULL;
	default: return "only calls, launches and links can be followed";
	}
}

bool view_follow(const struct run *run, const struct scope *scope, struct ref ref, bool forward,
		 size_t nth, size_t *count, const struct view **view, struct ref *target,
		 const char **why)
{
	const struct rank *rank = run_peek(run, scope->rank);
	*count = 0;
	*why = "the rank is not loaded";
	if (!rank)
		return false;
	ref_require(rank->facts, ref);
	struct target search = { .facts = rank->facts, .nth = nth };
	*why = collect(&search, ref, forward);
	if (search.count && nth >= search.count) {
		search.nth = nth % search.count;
		search.count = 0;
		collect(&search, ref, forward);
	}
	run_release(run, rank);
	*count = search.count;
	if (!search.count)
		return false;
	*target = search.ref;
	*view = search.ref.kind == REF_LAUNCH ? &view_launches : &view_calls;
	return true;
}
