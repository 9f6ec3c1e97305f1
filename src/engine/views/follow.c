/*
 * Drilling down to the next finer view, and following links.
 */
#include "base/buffer.h"
#include "base/intern.h"
#include "base/pattern.h"
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

/* Keep the rows of exactly this name. */
static void filter_name(const struct profile *profile, uint32_t name, struct scope *scope)
{
	struct buffer text = { 0 };
	buffer_putc(&text, '^');
	pattern_quote(&text, intern_text(profile->strings, name),
		      intern_length(profile->strings, name));
	buffer_putc(&text, '$');
	scope_set_text(&scope->filter, buffer_text(&text));
	buffer_free(&text);
}

static const struct view *drill(const struct facts *facts, struct ref ref, struct scope *scope)
{
	switch (ref.kind) {
	case REF_FACT: return ref.b == NO_ROW ? NULL : view_or_report_at(ref.b);
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
	case REF_RANK: scope->rank = (int)ref.a; return view_at(ref.b);
	case REF_LINK: scope->call = ref.a; return &view_launches;
	case REF_TIME:
		scope->has_time = true;
		scope->time_first = ref_start(ref);
		scope->time_last = ref_end(ref);
		scope->devices = (struct scope_list){ { ref_device(ref) }, 1 };
		return &view_launches;
	case REF_FUNCTION: scope->function = ref.a; return &view_python;
	case REF_EVENTS: filter_name(facts->profile, ref.a, scope); return &view_spans;
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
	if (ref.kind != REF_FACT)
		next_scope->all_ranks = false; /* a row belongs to one */
	run_release(run, rank);
	if (*next)
		return true;
	scope_clear(next_scope);
	return false;
}

/* ---- links ---- */

struct search {
	const struct facts *facts;
	const struct progress *progress;
	size_t nth, count;
	struct ref ref; /* the NTH match */
	bool cancelled;
};

static void see(struct search *search, enum ref_kind kind, uint32_t row)
{
	if (search->count++ == search->nth)
		search->ref = (struct ref){ kind, row, 0, 0 };
}

static bool is_runtime(const struct facts *facts, uint32_t span)
{
	return facts->profile->span_kind[span] == SPAN_RUNTIME;
}

/* Device activities that a runtime call launched; of other spans, at any depth in them. */
static void see_activities(struct search *search, uint32_t span)
{
	const struct profile *profile = search->facts->profile;
	bool runtime = is_runtime(search->facts, span);
	uint32_t end = span + profile->span_size[span];
	for (uint32_t i = 0; i < profile->activities && !search->cancelled; i++) {
		uint32_t at =
			runtime ? profile->activity_launch[i] : facts_work_row(search->facts, i);
		if (at != NO_ROW && at >= span && at < end)
			see(search, REF_LAUNCH, i);
		search->cancelled = !progress_row(search->progress, "following the link", i,
						  profile->activities);
	}
}

/* Other ends of a call's links; enclosing calls have the links of inner ones. */
static void see_partners(struct search *search, uint32_t span, bool forward)
{
	uint32_t count;
	const struct link *links = links_of(search->facts, span, forward, &count);
	for (uint32_t i = 0; i < count; i++)
		see(search, REF_CALL, forward ? links[i].backward : links[i].forward);
}

static const char *collect_call(struct search *search, uint32_t span, bool forward)
{
	const struct facts *facts = search->facts;
	if (is_runtime(facts, span) && forward) {
		see_activities(search, span);
		return "this call launched nothing";
	}
	if (is_runtime(facts, span)) {
		if (facts_operator_around(facts, span) != NO_ROW)
			see(search, REF_CALL, facts_operator_around(facts, span));
		return "this call is outside of any operator";
	}
	see_partners(search, span, forward);
	if (forward && !search->count)
		see_activities(search, span);
	if (!search->count && facts->span_flags[span] & SPAN_BACKWARD)
		see_partners(search, span, !forward);
	return forward ? "this call has no backward operator and launched nothing"
		       : "this call has no forward operator";
}

/* Returns why there may be nothing. */
static const char *collect(struct search *search, struct ref ref, bool forward)
{
	const struct facts *facts = search->facts;
	switch (ref.kind) {
	case REF_CALL: return collect_call(search, ref.a, forward);
	case REF_LAUNCH:
		if (!forward && facts->activity_operator[ref.a] != NO_ROW)
			see(search, REF_CALL, facts->activity_operator[ref.a]);
		else if (forward && facts->activity_operator[ref.a] != NO_ROW)
			see_partners(search, facts->activity_operator[ref.a], true);
		return forward ? "the operator of this launch has no backward operator"
		       : facts->profile->activity_launch[ref.a] == NO_ROW
			       ? "the launch call is not in the profile"
			       : "no operator launched this";
	case REF_LINK: see(search, REF_CALL, forward ? ref.b : ref.a); return NULL;
	default: return "only calls, launches and links can be followed";
	}
}

bool view_follow(const struct run *run, const struct scope *scope, struct view_link *link,
		 const struct progress *progress)
{
	const struct rank *rank = run_acquire(run, scope->rank, progress, NULL);
	link->count = 0;
	link->why = "the rank cannot be loaded";
	if (!rank)
		return false;
	ref_require(rank->facts, link->from);
	struct search search = { .facts = rank->facts, .progress = progress, .nth = link->nth };
	link->why = collect(&search, link->from, link->forward);
	if (search.count && link->nth >= search.count) {
		search.nth = link->nth %= search.count;
		search.count = 0;
		collect(&search, link->from, link->forward);
	}
	run_release(run, rank);
	if (search.cancelled || !search.count)
		return false;
	link->count = search.count;
	link->target = search.ref;
	link->view = search.ref.kind == REF_LAUNCH ? &view_launches : &view_calls;
	return true;
}

/* Is there device work that counts for the spans from FIRST to before END? */
static bool has_work(const struct facts *facts, uint32_t first, uint32_t end)
{
	return facts->gpu_count_prefix[end] > facts->gpu_count_prefix[first];
}

static bool has_partner(const struct facts *facts, uint32_t span, bool forward)
{
	uint32_t count;
	links_of(facts, span, forward, &count);
	return count > 0;
}

static bool call_has_link(const struct facts *facts, uint32_t span, bool forward)
{
	uint32_t owner = facts_operator_around(facts, span);
	if (is_runtime(facts, span))
		return forward ? has_work(facts, span, span + 1) ||
					 (owner != NO_ROW && has_work(facts, owner, owner + 1))
			       : owner != NO_ROW;
	return has_partner(facts, span, forward) ||
	       (forward && has_work(facts, span, span + facts->profile->span_size[span])) ||
	       (facts->span_flags[span] & SPAN_BACKWARD && has_partner(facts, span, !forward));
}

bool view_has_link(const struct run *run, const struct scope *scope, struct ref ref, bool forward)
{
	const struct rank *rank = run_peek(run, scope->rank);
	struct search search = { .facts = rank ? rank->facts : NULL };
	bool has = false;
	if (rank && ref.kind == REF_CALL) {
		has = call_has_link(rank->facts, ref.a, forward);
	} else if (rank) {
		collect(&search, ref, forward);
		has = search.count > 0;
	}
	run_release(run, rank);
	return has;
}
