/*
 * Following links: from a row to what it leads to, and to what it comes from.
 */
#include "analysis/causes.h"
#include "analysis/collectives.h"
#include "analysis/rank_matches.h"
#include "base/any_of.h"
#include "base/compare.h"
#include "base/number.h"
#include "base/sort.h"
#include "session/load.h"
#include "views/views.h"

#include <stdarg.h>
#include <stdio.h>

static const char stage[] = "following the link";

/* A row that rows of one kind lead to, with the GPU time that they have in common. */
struct sum {
	struct ref ref;
	int64_t weight, count;
};

enum { SUMS_MAX = 256 };

struct follow_search {
	const struct run *run;
	const struct scope *scope;
	const struct rank *rank;
	const struct derived *derived;
	const struct progress *progress;
	struct view_link *link;
	struct ref ref; /* the match number link->nth */
	size_t count;
	struct sum sums[SUMS_MAX];
	size_t sum_count;
	bool going; /* not cancelled */
};

static const char *follow_text_of(const struct follow_search *search, uint32_t string)
{
	return profile_string(search->derived->profile, string);
}

static void see_ref(struct follow_search *search, struct ref ref, const struct view *view)
{
	if (search->count++ != search->link->nth)
		return;
	search->ref = ref;
	search->link->view = view;
}

static bool is_runtime(const struct derived *derived, uint32_t span)
{
	return derived->profile->span_kind[span] == SPAN_RUNTIME;
}

static void see_call(struct follow_search *search, uint32_t span)
{
	bool called = search->derived->span_flags[span] & SPAN_IS_OPERATOR;
	see_ref(search, (struct ref){ REF_CALL, span, 0, 0 }, called ? &view_calls : &view_spans);
}

static void see_launch(struct follow_search *search, uint32_t activity)
{
	see_ref(search, (struct ref){ REF_LAUNCH, activity, 0, 0 }, &view_launches);
}

__attribute__((format(printf, 2, 3))) static void name_link(struct follow_search *search,
							    const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(search->link->what, sizeof search->link->what, format, arguments);
	va_end(arguments);
}

/* ---- single calls and launches ---- */

/* Device activities that a runtime call launched; of other spans, at any depth in them. */
static void see_activities(struct follow_search *search, uint32_t span)
{
	const struct profile *profile = search->derived->profile;
	bool runtime = is_runtime(search->derived, span);
	uint32_t end = span + profile->span_size[span];
	for_rows (search->going, i, profile->activities, search->progress, stage) {
		uint32_t at = runtime ? profile->activity_launch[i]
				      : derived_work_row(search->derived, i);
		if (at != NO_ROW && at >= span && at < end)
			see_launch(search, i);
	}
	name_link(search, "launched by %s", follow_text_of(search, profile->span_name[span]));
}

/*
 * The links of a call with what is inside of it, else those of the nearest operator around it in
 * the same pass that has any. *AT: whose they are.
 */
static const struct link *links_around(const struct derived *derived, uint32_t span, bool forward,
				       uint32_t *count, uint32_t *at)
{
	const struct link *links = links_of(derived, span, forward, count);
	bool backward = derived->span_flags[span] & SPAN_BACKWARD;
	for (*at = span; !*count;) {
		*at = derived->span_owner[*at];
		if (*at == NO_ROW || derived->profile->span_kind[*at] != SPAN_OPERATOR ||
		    !(derived->span_flags[*at] & SPAN_BACKWARD) != !backward)
			break; /* a step or module has links of unrelated operators */
		links = links_of(derived, *at, forward, count);
	}
	return links;
}

/* Other ends of a call's links, or of the nearest operator around it that has any. */
static void see_partners(struct follow_search *search, uint32_t span, bool forward)
{
	uint32_t count, at;
	const struct link *links = links_around(search->derived, span, forward, &count, &at);
	for (uint32_t i = 0; i < count; i++)
		see_call(search, forward ? links[i].backward : links[i].forward);
	if (count)
		name_link(search, "%s of %s", forward ? "backward" : "forward",
			  follow_text_of(search, search->derived->profile->span_name[at]));
}

/* Events that arrows lead to, or come from. */
static void see_arrows(struct follow_search *search, uint32_t span, bool forward)
{
	const struct profile *profile = search->derived->profile;
	uint32_t others[ARROWS_MAX];
	size_t count = arrows_of(profile, span, forward, others, search->progress);
	for (size_t i = 0; i < count; i++)
		see_call(search, others[i]);
	if (count)
		name_link(search, "flow %s %s", forward ? "from" : "to",
			  follow_text_of(search, profile->span_name[span]));
}

static const char *collect_call(struct follow_search *search, uint32_t span, bool forward)
{
	const struct derived *derived = search->derived;
	const struct view *in = search->link->in;
	if (!forward && in && in != &view_calls && in != &view_spans) {
		see_call(search, span); /* the row is about the call */
		name_link(search, "call of %s",
			  follow_text_of(search, derived->profile->span_name[span]));
		return NULL;
	}
	if (is_runtime(derived, span) && forward) {
		see_activities(search, span);
		return "this call launched nothing";
	}
	if (is_runtime(derived, span)) {
		uint32_t owner = derived_operator_around(derived, span);
		if (owner != NO_ROW)
			see_call(search, owner);
		name_link(search, "operator around %s",
			  follow_text_of(search, derived->profile->span_name[span]));
		return "this call is outside of any operator";
	}
	see_partners(search, span, forward);
	if (forward && !search->count)
		see_activities(search, span);
	if (!search->count && derived->span_flags[span] & SPAN_BACKWARD)
		see_partners(search, span, !forward);
	if (!search->count)
		see_arrows(search, span, forward);
	return forward ? "this call has no backward operator and launched nothing"
		       : "this call has no forward operator";
}

/* The same communication operation on the next rank that takes part. */
static bool see_next_rank(struct follow_search *search, uint32_t activity)
{
	const struct run *run = search->run;
	size_t here = (size_t)(search->rank - run->ranks);
	if (!run->matches || run->rank_count < 2 || here >= run->rank_count ||
	    !search->rank->summary)
		return false;
	size_t at = collective_of_activity(search->derived, search->rank->summary, activity);
	if (at == SIZE_MAX)
		return false;
	struct rank_operation next = run->matches->next[here][at];
	if (next.rank == here)
		return false;
	AUTO_RANK const struct rank *other =
		run_acquire(run, run->ranks[next.rank].number, search->progress, NULL);
	if (!other)
		return false;
	uint32_t there =
		collective_activity(other->derived, &other->summary->collectives[next.index]);
	search->link->rank = (int)other->number;
	if (there != NO_ROW)
		see_launch(search, there);
	name_link(search, "same operation on rank %d", search->link->rank);
	return there != NO_ROW;
}

/* "launched by cudaLaunchKernel, queued 12 us" */
static void name_launch(struct follow_search *search, uint32_t activity)
{
	const struct profile *profile = search->derived->profile;
	uint32_t call = profile->activity_launch[activity];
	char text[NUMBER_MAX];
	if (call == NO_ROW)
		return;
	int64_t queued = profile->activity_start[activity] - profile->span_start[call] -
			 profile->span_dur[call];
	name_link(search, "launched by %s", follow_text_of(search, profile->span_name[call]));
	size_t length = strlen(search->link->what);
	if (queued > 0)
		snprintf(search->link->what + length, sizeof search->link->what - length,
			 ", queued %s", number_duration(text, queued));
}

static const char *collect_launch(struct follow_search *search, uint32_t activity, bool forward)
{
	uint32_t owner = search->derived->activity_operator[activity];
	uint32_t call = search->derived->profile->activity_launch[activity];
	if (forward && see_next_rank(search, activity))
		return NULL;
	if (forward) {
		if (owner != NO_ROW)
			see_partners(search, owner, true);
		return owner == NO_ROW ? "no operator launched this"
				       : "the operator of this launch has no backward operator";
	}
	if (owner != NO_ROW || call != NO_ROW)
		see_call(search, owner != NO_ROW ? owner : call);
	name_launch(search, activity);
	return call == NO_ROW ? "the launch call is not in the profile"
			      : "no operator launched this";
}

/* ---- rows of many events: what most of their time leads to ---- */

static void follow_add_sum(struct follow_search *search, struct ref ref, int64_t weight)
{
	size_t at = 0;
	while (at < search->sum_count && !ref_equal(search->sums[at].ref, ref))
		at++;
	if (at == SUMS_MAX)
		return;
	if (at == search->sum_count)
		search->sums[search->sum_count++] = (struct sum){ ref, 0, 0 };
	search->sums[at].weight += weight;
	search->sums[at].count++;
}

COMPARE_MEMBERS(by_weight, struct sum, DOWN(weight) DOWN(count) UP(ref.a))

static void see_sums(struct follow_search *search, const struct view *view)
{
	sort_items(search->sums, search->sum_count, by_weight);
	for (size_t i = 0; i < search->sum_count; i++)
		see_ref(search, search->sums[i].ref, view);
	search->sum_count = 0;
}

/* Is SPAN one of the calls that the row stands for? */
static bool is_call_of(const struct follow_search *search, struct ref ref, uint32_t span)
{
	const struct derived *derived = search->derived;
	if (ref.kind == REF_LAYER) {
		uint32_t node = derived->layers.span_node[span];
		return node >= ref.a && node - ref.a < derived->layers.nodes[ref.a].size;
	}
	return is_call_of_operator(derived, span, ref);
}

static struct ref row_of_call(const struct follow_search *search, struct ref like, uint32_t span)
{
	if (like.kind == REF_LAYER)
		return (struct ref){ REF_LAYER, search->derived->layers.span_node[span], 0, 0 };
	return (struct ref){ REF_OPERATOR, search->derived->profile->span_name[span], NO_ROW,
			     NO_ROW };
}

/*
 * Rows of the calls' partners, like the row itself: nodes of the tree, or operators. OUTER: the
 * first of the operators around the calls, for rows inside of them.
 */
static void sum_partners(struct follow_search *search, struct ref ref, bool forward, bool outer)
{
	const struct derived *derived = search->derived;
	for_rows (search->going, i, derived->profile->spans, search->progress, stage) {
		uint32_t count, at;
		if (!is_call_of(search, ref, i))
			continue;
		const struct link *links = outer ? links_around(derived, i, forward, &count, &at)
						 : links_of(derived, i, forward, &count);
		for (uint32_t k = 0; k < (outer && count ? 1 : count); k++) {
			uint32_t other = forward ? links[k].backward : links[k].forward;
			follow_add_sum(search, row_of_call(search, ref, other),
				       derived_gpu_total(derived, other));
		}
	}
}

/* Kernels of the calls and of what is in them, by name. */
static void sum_kernels(struct follow_search *search, struct ref ref)
{
	const struct derived *derived = search->derived;
	const struct profile *profile = derived->profile;
	for_rows (search->going, i, profile->activities, search->progress, stage) {
		uint32_t owner = row_upwards(at, derived->activity_operator[i], derived->span_owner,
					     is_call_of(search, ref, at));
		if (profile->activity_kind[i] == ACTIVITY_KERNEL && owner != NO_ROW)
			follow_add_sum(search,
				       (struct ref){ REF_KERNEL, profile->activity_name[i], NO_ROW,
						     NO_ROW },
				       profile->activity_dur[i]);
	}
}

static const char *collect_rows(struct follow_search *search, struct ref ref, bool forward)
{
	const struct view *view = ref.kind == REF_LAYER ? &view_layers : &view_operators;
	uint32_t name = ref.kind == REF_LAYER ? search->derived->layers.nodes[ref.a].name : ref.a;
	name_link(search, "%s of %s", forward ? "backward" : "forward",
		  follow_text_of(search, name));
	sum_partners(search, ref, forward, false);
	if (!search->sum_count) {
		sum_partners(search, ref, forward, true);
		name_link(search, "%s of an operator around %s", forward ? "backward" : "forward",
			  follow_text_of(search, name));
	}
	see_sums(search, view);
	if (search->count || !forward)
		return "these calls have no forward operator";
	sum_kernels(search, ref);
	see_sums(search, &view_kernels);
	name_link(search, "kernel of %s", follow_text_of(search, name));
	return "these calls have no backward operator and launched no kernel";
}

static const char *collect_kernel(struct follow_search *search, struct ref ref, bool forward)
{
	const struct derived *derived = search->derived;
	const struct profile *profile = derived->profile;
	bool owned = false;
	for_rows (search->going, i, profile->activities, search->progress, stage) {
		uint32_t owner = derived->activity_operator[i], count = 1;
		if (profile->activity_name[i] != ref.a || owner == NO_ROW ||
		    (ref.b != NO_ROW && profile->span_name[owner] != ref.b))
			continue;
		owned = true;
		if (forward) {
			const struct link *links = links_of(derived, owner, true, &count);
			owner = count ? links->backward : NO_ROW;
		}
		if (owner != NO_ROW)
			follow_add_sum(search,
				       (struct ref){ REF_OPERATOR, profile->span_name[owner],
						     NO_ROW, NO_ROW },
				       profile->activity_dur[i]);
	}
	see_sums(search, &view_operators);
	name_link(search, "%s %s", forward ? "backward of the operator of" : "launches",
		  follow_text_of(search, ref.a));
	return forward && owned ? "the operator of this kernel has no backward operator"
				: "no operator launched this kernel";
}

/* A device node of the layer tree: the operator that it is below. */
static const char *collect_layer(struct follow_search *search, uint32_t node, bool forward)
{
	const struct layer_node *layer = &search->derived->layers.nodes[node];
	if (!layer_is_leaf(layer))
		return collect_rows(search, (struct ref){ REF_LAYER, node, 0, 0 }, forward);
	if (forward)
		return collect_rows(search, (struct ref){ REF_LAYER, layer->parent, 0, 0 }, true);
	see_ref(search, (struct ref){ REF_LAYER, layer->parent, 0, 0 }, &view_layers);
	name_link(search, "launches %s", follow_text_of(search, layer->name));
	return NULL;
}

/* ---- idle time, findings ---- */

static void see_gap(struct follow_search *search, const struct gaps *gaps, struct ref time,
		    bool forward)
{
	size_t first = gaps_from(gaps, ref_start(time), 0);
	if (first >= gaps->count || gaps->items[first].start >= ref_end(time))
		return;
	struct gap_owner owner = gaps_owner(gaps, ref_start(time), ref_end(time), first);
	uint32_t after = gaps->items[first].after;
	uint32_t work =
		owner.span == NO_ROW ? NO_ROW : gap_work(search->derived, owner.span, owner.cause);
	if (forward && after != NO_ROW)
		see_launch(search, after);
	else if (!forward && owner.span != NO_ROW)
		see_call(search, work != NO_ROW ? work : owner.span);
	if (forward)
		name_link(search, "GPU work after the gap");
	else
		name_link(search, "CPU work in the gap: %s", time_cause_name(owner.cause));
}

/* Of the gaps in a time range: what the CPU did, or the work that ends the first. */
static const char *collect_time(struct follow_search *search, struct ref ref, bool forward)
{
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO(causes_free) struct causes own = { 0 };
	if (!selection_make(&selection, search->run, search->scope, search->progress, NULL)) {
		search->going = false;
		return NULL;
	}
	const struct causes *causes = derived_gaps(&selection, &own, search->progress);
	search->going = causes != NULL;
	const struct device_causes *device =
		causes ? causes_of_device(causes, ref_device(ref)) : NULL;
	if (device)
		see_gap(search, &device->gaps, ref, forward);
	return forward ? "no GPU work follows" : "no CPU work is known for this time";
}

/* The view with a row for what a finding is about. */
static const struct view *view_of_ref(struct ref ref)
{
	switch (ref.kind) {
	case REF_OPERATOR: return &view_operators;
	case REF_KERNEL: return &view_kernels;
	case REF_LAYER: return &view_layers;
	case REF_STEP: return &view_steps;
	case REF_RANK: return &view_ranks;
	default: return NULL;
	}
}

static const char *collect_finding(struct follow_search *search, struct ref ref)
{
	struct ref subject = advice_subject(ref);
	if (view_of_ref(subject))
		see_ref(search, subject, view_of_ref(subject));
	name_link(search, "subject of the finding");
	return "this finding is about the whole run";
}

/* Returns why there may be nothing. */
static const char *follow_collect(struct follow_search *search, struct ref ref, bool forward)
{
	switch (ref.kind) {
	case REF_CALL: return collect_call(search, ref.a, forward);
	case REF_LAUNCH: return collect_launch(search, ref.a, forward);
	case REF_LINK:
		see_call(search, forward ? ref.b : ref.a);
		name_link(search, forward ? "backward" : "forward");
		return NULL;
	case REF_LAYER: return collect_layer(search, ref.a, forward);
	case REF_REPEAT:
		if (ref.a != NO_ROW)
			return collect_layer(search, ref.a, forward);
		return "no layer here";
	case REF_MODULE: return collect_layer(search, ref.c, forward);
	case REF_OPERATOR: return collect_rows(search, ref, forward);
	case REF_KERNEL: return collect_kernel(search, ref, forward);
	case REF_TIME: return collect_time(search, ref, forward);
	case REF_FINDING: return collect_finding(search, ref);
	default: return "nothing is linked to this row";
	}
}

bool view_follow(const struct run *run, const struct scope *scope, struct view_link *link,
		 const struct progress *progress)
{
	AUTO_RANK const struct rank *rank = run_acquire(run, scope->rank, progress, NULL);
	link->count = 0;
	link->why = "the rank cannot be loaded";
	if (!rank)
		return false;
	ref_require(rank->derived, link->from);
	link->rank = scope->rank;
	link->what[0] = '\0';
	AUTO_FREE struct follow_search *search = mem_zalloc(1, sizeof *search);
	*search = (struct follow_search){ .run = run,
					  .scope = scope,
					  .rank = rank,
					  .derived = rank->derived,
					  .progress = progress,
					  .link = link,
					  .going = true };
	link->why = follow_collect(search, link->from, link->forward);
	if (search->count && link->nth >= search->count) {
		link->nth %= search->count;
		search->count = 0;
		follow_collect(search, link->from, link->forward);
	}
	bool found = search->going && search->count;
	if (found) {
		link->count = search->count;
		link->target = search->ref;
	}
	return found;
}

/* ---- hints ---- */

static bool has_partner(const struct derived *derived, uint32_t span, bool forward)
{
	uint32_t count, at;
	links_around(derived, span, forward, &count, &at);
	return count > 0;
}

static const char to_backward[] = "Backward", to_forward[] = "Forward", to_kernel[] = "Kernel",
		  to_work[] = "GPU Work", to_operator[] = "Operator";

static const char *call_link(const struct derived *derived, uint32_t span, bool forward)
{
	const uint32_t *works_before = derived->gpu_count_prefix;
	bool works = works_before[span + derived->profile->span_size[span]] > works_before[span];
	if (is_runtime(derived, span) && !forward)
		return derived_operator_around(derived, span) != NO_ROW ? to_operator : NULL;
	if (is_runtime(derived, span))
		return derived->span_flags[span] & SPAN_LAUNCHES ? to_work : NULL;
	if (has_partner(derived, span, forward))
		return forward ? to_backward : to_forward;
	if (forward && works)
		return to_work;
	if (derived->span_flags[span] & SPAN_BACKWARD && has_partner(derived, span, !forward))
		return forward ? to_forward : to_backward;
	return NULL;
}

static const char *launch_link(const struct rank *rank, const struct run *run, uint32_t activity,
			       bool forward)
{
	const struct derived *derived = rank->derived;
	uint32_t owner = derived->activity_operator[activity];
	if (!forward && owner == NO_ROW)
		return derived->profile->activity_launch[activity] != NO_ROW ? "Launch" : NULL;
	if (!forward)
		return to_operator;
	if (run->matches && derived_is_communication(derived, activity))
		return "Rank";
	return owner != NO_ROW && has_partner(derived, owner, true) ? to_backward : NULL;
}

/* Rows of many calls of passes PASS, 0: unknown. */
static const char *rows_link(const struct derived *derived, uint8_t pass, bool forward)
{
	if (!forward)
		return derived->links.count > 0 ? to_forward : NULL;
	return derived->links.count > 0 && pass != PASS_BACKWARD ? to_backward : to_kernel;
}

static const char *layer_link(const struct derived *derived, uint32_t node, bool forward)
{
	const struct layer_node *layer = node == NO_ROW ? NULL : &derived->layers.nodes[node];
	if (!layer)
		return NULL;
	if (!forward && layer_is_leaf(layer))
		return to_operator;
	return rows_link(derived, layer_is_leaf(layer) ? 0 : layer->pass, forward);
}

static const char *link_name(const struct run *run, const struct rank *rank, struct ref ref,
			     const struct view *in, bool forward)
{
	const struct derived *derived = rank->derived;
	bool about = in && in != &view_calls && in != &view_spans;
	switch (ref.kind) {
	case REF_CALL: return about && !forward ? "Call" : call_link(derived, ref.a, forward);
	case REF_LAUNCH: return launch_link(rank, run, ref.a, forward);
	case REF_LINK: return forward ? to_backward : to_forward;
	case REF_TIME: return forward ? to_work : "CPU Work";
	case REF_LAYER:
	case REF_REPEAT: return layer_link(derived, ref.a, forward);
	case REF_MODULE: return layer_link(derived, ref.c, forward);
	case REF_OPERATOR: return rows_link(derived, 0, forward);
	case REF_KERNEL:
		return !rank->profile->spans      ? NULL
		       : !forward                 ? to_operator
		       : derived->links.count > 0 ? to_backward
						  : NULL;
	case REF_FINDING: return forward && view_of_ref(advice_subject(ref)) ? "Subject" : NULL;
	default: return NULL;
	}
}

const char *view_link_name(const struct run *run, const struct scope *scope, struct ref ref,
			   const struct view *in, bool forward)
{
	AUTO_RANK const struct rank *rank = run_peek(run, scope->rank);
	return rank ? link_name(run, rank, ref, in, forward) : NULL;
}
