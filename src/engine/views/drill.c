/*
 * Drilling down to the next finer view.
 */
#include "base/buffer.h"
#include "session/load.h"
#include "views/views.h"

const struct view *view_of_layers(const struct derived *derived)
{
	const struct profile *profile = derived->profile;
	if (derived->layers.count > 1)
		return &view_layers;
	return profile->activities ? &view_launches : profile->spans ? &view_spans : &view_info;
}

/* ---- drilling ---- */

/* An operator in the tree that encloses others ("DataParallel.forward"), but here none. */
static bool is_scope_alone(const struct derived *derived, uint32_t node)
{
	const struct layer_node *layer = &derived->layers.nodes[node];
	return layer->size == 1 && layer->kind == LAYER_OPERATOR && layer->name < derived->names &&
	       derived->role[layer->name] &
		       (NAME_STEP | NAME_DATALOADER | NAME_OPTIMIZER | NAME_DATA_PARALLEL);
}

/*
 * The finest rows inside a layer: operators, else GPU events, else CPU events. Where layers are
 * scopes of device work, their operators are no rows of the host.
 */
static const struct view *rows_inside(const struct derived *derived, uint32_t node)
{
	const struct layer_tree *tree = &derived->layers;
	bool has_work = false;
	if (is_scope_alone(derived, node))
		return &view_spans;
	for (uint32_t i = node; i < node + tree->nodes[node].size; i++) {
		if (tree->nodes[i].kind == LAYER_OPERATOR && tree->source != LAYERS_SCOPES)
			return i == node ? &view_calls : &view_operators;
		has_work |= layer_kind_is_device(tree->nodes[i].kind);
	}
	return has_work ? &view_launches : &view_spans;
}

static const struct view *drill_layer(const struct derived *derived, uint32_t node,
				      struct scope *scope)
{
	enum layer_kind kind = derived->layers.nodes[node].kind;
	scope->layer = node;
	if (kind == LAYER_RUNTIME)
		return NULL; /* synchronization launches nothing */
	return rows_inside(derived, node);
}

/* Operators of a thread that runs any; the first of its spans tell. */
static const struct view *drill_track(const struct derived *derived, uint32_t index,
				      struct scope *scope)
{
	enum { LOOKED_AT = 4096 };
	const struct track *track = &derived->profile->tracks[index];
	uint32_t spans = track->spans < LOOKED_AT ? track->spans : LOOKED_AT;
	scope->track = index;
	if (track->device >= 0)
		return track->activities ? &view_launches : NULL;
	for (uint32_t i = track->first_span; i < track->first_span + spans; i++)
		if (derived->span_flags[i] & SPAN_IS_OPERATOR)
			return &view_operators;
	return track->spans ? &view_spans : NULL;
}

/* Does GPU work of the device start in the time? By search: rows of a stream are in order. */
static bool starts_work(const struct profile *profile, struct ref time)
{
	for_each (track, profile->tracks, profile->track_count) {
		uint32_t first = track->first_activity, end = first + track->activities;
		if (track->device != ref_device(time))
			continue;
		uint32_t low =
			search_first(i, first, end, profile->activity_start[i] >= ref_start(time));
		if (low < end && profile->activity_start[low] < ref_end(time))
			return true;
	}
	return false;
}

/* Time in which no work starts has no rows: the timeline shows what there is. */
static const struct view *drill_time(const struct derived *derived, struct ref time,
				     struct scope *scope)
{
	scope->has_time = true;
	scope->time_first = ref_start(time);
	scope->time_last = ref_end(time);
	scope->devices = (struct scope_list){ { ref_device(time) }, 1 };
	return starts_work(derived->profile, time) ? &view_launches : NULL;
}

/* Keep the rows of exactly this name. */
static void filter_name(const struct profile *profile, uint32_t name, struct scope *scope)
{
	AUTO_BUFFER struct buffer text = { 0 };
	buffer_putc(&text, '^');
	pattern_quote(&text, INTERNED(profile->strings, name));
	buffer_putc(&text, '$');
	scope_set_text(&scope->filter, buffer_text(&text));
}

static const struct view *drill_drill(const struct derived *derived, struct ref ref,
				      struct scope *scope)
{
	/* rows of printed tables are sums of events that no file has */
	if ((ref.kind == REF_OPERATOR || ref.kind == REF_KERNEL) &&
	    profile_is_sums(derived->profile))
		return NULL;
	switch (ref.kind) {
	case REF_FACT: return ref.b == NO_ROW ? NULL : view_or_report_at(ref.b);
	case REF_FINDING: return drill_drill(derived, advice_subject(ref), scope);
	case REF_STEP:
		scope->has_steps = true;
		scope->step_first = scope->step_last = derived->steps[ref.a].number;
		return view_of_layers(derived);
	case REF_LAYER: return drill_layer(derived, ref.a, scope);
	case REF_MODULE: scope->layer = ref.c; return &view_operators;
	case REF_OPERATOR:
		scope->operator_name = ref.a;
		scope->operator_shapes = ref.b;
		scope->operator_stack = ref.c;
		return &view_calls;
	case REF_CALL:
	case REF_LINK: /* calls without GPU work have nothing below them */
		scope->call = ref.a;
		return derived_gpu_total(derived, ref.a) > 0 ? &view_launches : NULL;
	case REF_KERNEL:
		scope->kernel_name = ref.a;
		if (ref.b != NO_ROW)
			scope->operator_name = ref.b;
		return &view_launches;
	case REF_RANK: scope->rank = (int)ref.a; return view_at(ref.b);
	case REF_TIME: return drill_time(derived, ref, scope);
	case REF_FUNCTION: scope->function = ref.a; return &view_python;
	case REF_EVENTS: filter_name(derived->profile, ref.a, scope); return &view_spans;
	case REF_TRACK: return drill_track(derived, ref.a, scope);
	default: return NULL;
	}
}

bool view_drill(const struct run *run, struct ref ref, const struct scope *scope,
		const struct view **next, struct scope *next_scope)
{
	AUTO_RANK const struct rank *rank = run_peek(run, scope->rank);
	if (!rank)
		return false;
	ref_require(rank->derived, ref);
	scope_copy(next_scope, scope);
	scope_set_text(&next_scope->filter, NULL);
	*next = drill_drill(rank->derived, ref, next_scope);
	if (ref.kind != REF_FACT)
		next_scope->all_ranks = false; /* a row belongs to one */
	if (*next)
		return true;
	scope_clear(next_scope);
	return false;
}
