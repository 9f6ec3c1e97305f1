/*
 * Detectors that compare ranks: stragglers, imbalance, and operations in another order.
 */
#include "analysis/advice/detect.h"
#include "analysis/arrival_delay.h"
#include "analysis/collectives.h"
#include "base/hash.h"
#include "base/text_slice.h"

#include <math.h>

enum { IMBALANCE_PERCENT = 10, EXPERTS_PERCENT = 2 };

void waits_for_peers(const struct diagnosis *diagnosis, struct intervals *out)
{
	const struct profile *profile = diagnosis->profile;
	size_t rank = diagnosis_rank(diagnosis);
	int64_t zero;
	out->count = 0;
	if (rank == SIZE_MAX || !diagnosis->run->matches ||
	    __builtin_add_overflow(profile->epoch_ns, profile->base_ns, &zero))
		return;
	rank_waits(diagnosis->run, rank, out);
	size_t kept = 0;
	for (size_t i = 0; i < out->count; i++) {
		struct interval at = out->item[i];
		if (!__builtin_sub_overflow(at.start, zero, &at.start) &&
		    !__builtin_sub_overflow(at.end, zero, &at.end))
			out->item[kept++] = at;
	}
	out->count = kept;
}

/* Is the device whose time is examined the one of this rank? It does not wait for itself. */
static bool is_of_rank(const struct diagnosis *diagnosis, size_t rank)
{
	size_t own = diagnosis_rank(diagnosis);
	int32_t device = diagnosis->run->ranks[rank].summary->device;
	return own == SIZE_MAX ? device == diagnosis->device->device : own == rank;
}

/*
 * Others wait for this rank for NS in all. Their waiting may be hidden, but were there none, what
 * is exposed after it would be hidden as well.
 */
static void lead_to_rank(const struct diagnosis *diagnosis, struct finding *finding, size_t rank,
			 double ns)
{
	int64_t exposed = diagnosis->cause_ns[CAUSE_COMMUNICATION];
	int64_t cost = ns < (double)exposed ? (int64_t)ns : exposed;
	if (cost > 0 && !is_of_rank(diagnosis, rank)) {
		claim_cause(diagnosis, finding, CAUSE_COMMUNICATION);
		finding->cost_ns = cost;
	}
	finding->rank = diagnosis->run->ranks[rank].number;
	set_subject(finding, SUBJECT_RANK, (uint32_t)finding->rank);
}

bool need_ranks(const struct diagnosis *diagnosis, struct finding *finding, bool matched)
{
	int64_t world = diagnosis->profile->world_size;
	if (diagnosis->run->rank_count > 1 && (diagnosis->run->matches || !matched))
		return true;
	if (world > 1)
		report_unknown(finding, "Open the files of all ranks together.",
			       "One rank of %s is open.", COUNT(world));
	else
		report_ok(finding, "The run has one rank.");
	return false;
}

static void compare_computation(struct ranks_compared *all, const struct run *run,
				const struct scope *scope)
{
	for (size_t i = 0; i < run->rank_count; i++) {
		double ns = (double)rank_mean_step(run->ranks[i].summary, scope).computation;
		if (i == 0 || ns > all->most)
			all->rank = i;
		all->most = fmax(all->most, ns);
		all->least = i == 0 ? ns : fmin(all->least, ns);
		all->mean += ns / (double)run->rank_count;
	}
}

int64_t wait_of_shared_work(const struct diagnosis *diagnosis)
{
	size_t rank = diagnosis_rank(diagnosis);
	if (rank == SIZE_MAX || diagnosis->run->rank_count < 2 ||
	    !collectives_exchange(diagnosis->run->ranks[rank].summary))
		return 0;
	struct step_summary own =
		rank_mean_step(diagnosis->run->ranks[rank].summary, diagnosis->selection->scope);
	double less = diagnosis->compared->mean - (double)own.computation;
	return less > 0 ? (int64_t)less * (diagnosis->steps ? diagnosis->steps : 1) : 0;
}

/*
 * Per step; with what else the rank computes longer, if the products of its experts are most of
 * that: the rest of a layer of experts has as many tokens.
 */
static double late_by_experts(const struct ranks_compared *all)
{
	double more = all->rank == all->experts.rank ? all->most - all->mean : 0;
	return 2 * all->experts.cost_ns >= more ? fmax(all->experts.cost_ns, more)
						: all->experts.cost_ns;
}

/* ---- stragglers ---- */

/* What the host does meanwhile is known of the rank whose profile is examined. */
static const char *reason_of_idle(const struct diagnosis *diagnosis, size_t rank)
{
	if (!diagnosis->profile->activities)
		return "host, its CPU work takes";
	if (rank != diagnosis_rank(diagnosis))
		return "input or host, its GPU idles";
	return 2 * diagnosis->cause_ns[CAUSE_DATALOADER] > intervals_length(&diagnosis->idle)
		       ? "input, its GPU idles in the data loader"
		       : "host, its GPU idles";
}

/* LEAD per step; returns the reason. */
static enum late_part tell_reason(const struct diagnosis *diagnosis, struct finding *finding,
				  size_t rank, int64_t lead)
{
	const struct scope *scope = diagnosis->selection->scope;
	struct arrival_delay all = arrival_delay_of_all(diagnosis->run, scope);
	const char *reason = NULL;
	int64_t ns;
	enum late_part part = late_part_of(diagnosis->run, scope, &all, rank, lead, &ns);
	switch (part) {
	case LATE_COMPUTE: reason = "compute, its kernels take"; break;
	case LATE_IDLE: reason = reason_of_idle(diagnosis, rank); break;
	case LATE_NETWORK: reason = "network, its transfers take"; break;
	case LATE_UNKNOWN: break;
	}
	if (reason)
		buffer_printf(&finding->evidence,
			      "; reason: %s %s longer per step than on other ranks", reason,
			      DURATION(ns));
	else
		buffer_puts(&finding->evidence, "; its steps show no reason");
	return part;
}

void detect_straggler(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct run *run = diagnosis->run;
	const struct rank_matches *matches = run->matches;
	if (!need_ranks(diagnosis, finding, false))
		return;
	if (!matches || !matches->straggler_count) {
		report_ok(finding, "No rank of %zu is a clear straggler.", run->rank_count);
		return;
	}
	const struct straggler *first = &matches->stragglers[0];
	for (size_t i = 1; i < matches->straggler_count; i++)
		if (matches->stragglers[i].lead > first->lead)
			first = &matches->stragglers[i];
	report_problem(finding, "Rank %s waits least%s%s; the next rank waits %s longer",
		       COUNT(run->ranks[first->rank].number), *first->group ? " in group " : "",
		       first->group, DURATION(first->lead));
	int64_t steps = diagnosis->steps ? diagnosis->steps : 1;
	double cost = (double)first->lead;
	enum late_part part = tell_reason(diagnosis, finding, first->rank, first->lead / steps);
	const struct ranks_compared *all = diagnosis->compared;
	finding->predicted.more =
		part == LATE_COMPUTE && collectives_exchange(run->ranks[first->rank].summary);
	if (finding->predicted.more)
		cost = fmin(cost, (all->most - all->mean) * (double)steps);
	lead_to_rank(diagnosis, finding, first->rank, cost - late_by_experts(all) * (double)steps);
}

/* ---- imbalance ---- */

static bool have_steps_alike(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct ranks_compared *all = diagnosis->compared;
	if (all->steps_alike)
		return true;
	report_unknown(finding, "Record the same steps on all ranks.",
		       "The ranks recorded %s to %s steps.", COUNT(all->least_steps),
		       COUNT(all->most_steps));
	return false;
}

void detect_comm_imbalance(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct run *run = diagnosis->run;
	if (!need_ranks(diagnosis, finding, false) || !have_steps_alike(diagnosis, finding))
		return;
	const struct ranks_compared *all = diagnosis->compared;
	double more = all->most - all->mean;
	int64_t steps = diagnosis->steps ? diagnosis->steps : 1;
	if (all->mean <= 0 || percent_of(more, all->mean) <= IMBALANCE_PERCENT) {
		report_ok(finding, "Computation per step takes %s to %s on %zu ranks.",
			  DURATION((int64_t)all->least), DURATION((int64_t)all->most),
			  run->rank_count);
		return;
	}
	report_problem(
		finding,
		"Rank %s computes for %s per step, %s %% more than the mean of %zu ranks; the least is %s",
		COUNT(run->ranks[all->rank].number), DURATION((int64_t)all->most),
		PERCENT(more, all->mean), run->rank_count, DURATION((int64_t)all->least));
	finding->predicted.more = true;
	lead_to_rank(diagnosis, finding, all->rank, (more - late_by_experts(all)) * (double)steps);
}

void detect_expert_imbalance(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct ranks_compared *all = diagnosis->compared;
	int64_t steps = diagnosis->steps ? diagnosis->steps : 1;
	int64_t late = (int64_t)all->experts.cost_ns;
	if (!need_ranks(diagnosis, finding, false))
		return;
	if (!all->experts.layers)
		report_ok(finding, "No exchange of tokens with experts of other ranks was found.");
	else if (window_percent(diagnosis, late * steps) < EXPERTS_PERCENT)
		report_ok(finding, "Experts of the slowest ranks take %s longer per step.",
			  DURATION(late));
	else {
		report_problem(
			finding,
			"Rank %s computes %s tokens per step with its experts, the mean of %zu ranks is %s; in %zu layer%s the slowest rank takes %s longer per step",
			COUNT(diagnosis->run->ranks[all->experts.rank].number),
			COUNT(all->experts.tokens), diagnosis->run->rank_count,
			COUNT(all->experts.mean_tokens), all->experts.layers,
			PLURAL(all->experts.layers), DURATION(late));
		finding->predicted.more = true;
		lead_to_rank(diagnosis, finding, all->experts.rank,
			     late_by_experts(all) * (double)steps);
	}
}

/* ---- order ---- */

/* Between two ranks only, or of a size that each rank chooses. */
static bool is_comparable(const char *name)
{
	return !strcasestr(name, "send") && !strcasestr(name, "recv") &&
	       !strcasestr(name, "coalesced");
}

static const char *detect_ranks_text_of(const struct rank_summary *summary, uint32_t id)
{
	return intern_text(summary->strings, id);
}

static bool differs(const struct rank_summary *a, const struct collective *x,
		    const struct rank_summary *b, const struct collective *y)
{
	const char *name = detect_ranks_text_of(a, x->name),
		   *other = detect_ranks_text_of(b, y->name);
	if (!is_comparable(name) || !is_comparable(other))
		return false;
	if (strcmp(name, other) != 0)
		return true;
	if (text_holds_one(name, "all_to_all|alltoall|gather|scatter"))
		return false;
	return (x->dtype && y->dtype &&
		strcmp(detect_ranks_text_of(a, x->dtype), detect_ranks_text_of(b, y->dtype)) !=
			0) ||
	       (x->bytes != NO_VALUE && y->bytes != NO_VALUE && x->bytes != y->bytes);
}

/* Is it numbered in a group that includes all open ranks? */
static bool has_number(const struct run *run, const struct rank_summary *summary,
		       const struct collective *at)
{
	return at->sequence != NO_VALUE && !at->pair && at->group &&
	       *detect_ranks_text_of(summary, at->group) && at->group_size != NO_VALUE &&
	       at->group_size >= (int64_t)run->rank_count;
}

/* The only operation of AT's group with this number; groups of the same ranks may share numbers. */
static uint32_t only_one(const struct hash *numbers, const struct collective *at, int64_t number)
{
	size_t cursor;
	uint32_t found = hash_find(numbers, hash_pair(at->group, (uint64_t)number), &cursor);
	return found == NO_ROW || hash_next(numbers, &cursor) != NO_ROW ? NO_ROW : found;
}

/* From the same operation on the next rank; -1: no other rank has it. */
static int differs_from_next(const struct run *run, size_t rank, uint32_t index)
{
	struct rank_operation next = run->matches->next[rank][index];
	const struct rank_summary *own = run->ranks[rank].summary;
	const struct rank_summary *other = run->ranks[next.rank].summary;
	return next.rank == rank ? -1
				 : differs(own, &own->collectives[index], other,
					   &other->collectives[next.index]);
}

/*
 * An operation of RANK that differs from the one with its number on the next rank, while the one
 * before agrees: without the latter the groups may be different ones of the same ranks. NO_ROW.
 */
static uint32_t find_mismatch(const struct run *run, size_t rank)
{
	const struct rank_summary *summary = run->ranks[rank].summary;
	AUTO_HASH struct hash *numbers = hash_new(summary->collective_count + 1);
	uint32_t found = NO_ROW;
	for (uint32_t i = 0; i < summary->collective_count; i++) {
		const struct collective *at = &summary->collectives[i];
		if (has_number(run, summary, at))
			hash_add(numbers, hash_pair(at->group, (uint64_t)at->sequence), i);
	}
	for (uint32_t i = 0; i < summary->collective_count && found == NO_ROW; i++) {
		const struct collective *at = &summary->collectives[i];
		if (!has_number(run, summary, at) || only_one(numbers, at, at->sequence) != i)
			continue;
		uint32_t before = only_one(numbers, at, at->sequence - 1);
		if (before != NO_ROW && differs_from_next(run, rank, i) == 1 &&
		    differs_from_next(run, rank, before) == 0)
			found = i;
	}
	return found;
}

/* By logs of torch.compile find a graph unlike the first rank's, in its collectives if any is. */
static void compare_graphs(struct ranks_compared *all, const struct run *run)
{
	for (uint32_t i = 1; run->matches && i < run->rank_count; i++)
		for (uint32_t at = run->ranks[i].summary->compile_ids.count; at--;) {
			enum compiled_difference is = compiled_difference(run, i, at, NULL);
			if (is <= all->compiled)
				continue;
			all->compiled = is;
			all->compilation = (struct rank_operation){ i, at };
		}
}

void ranks_compare(struct ranks_compared *all, const struct run *run, const struct scope *scope)
{
	*all = (struct ranks_compared){ .differs = { NO_ROW, NO_ROW } };
	compare_computation(all, run, scope);
	compare_graphs(all, run);
	all->steps_alike = rank_steps_alike(run, scope, &all->least_steps, &all->most_steps);
	for (uint32_t i = 0; run->matches && i < run->rank_count; i++) {
		uint32_t index = find_mismatch(run, i);
		if (index == NO_ROW)
			continue;
		all->differs = (struct rank_operation){ i, index };
		return;
	}
}

static void add_operation(const struct diagnosis *diagnosis, struct finding *finding, size_t rank,
			  uint32_t operation)
{
	const struct rank *of = &diagnosis->run->ranks[rank];
	const struct collective *at = &of->summary->collectives[operation];
	buffer_printf(&finding->evidence, "rank %" PRId64 " runs ", of->number);
	add_name(&finding->evidence, detect_ranks_text_of(of->summary, at->name));
	if (at->bytes != NO_VALUE)
		buffer_printf(&finding->evidence, " of %s", BYTES(at->bytes));
	if (at->dtype) {
		buffer_putc(&finding->evidence, ' ');
		add_name(&finding->evidence, detect_ranks_text_of(of->summary, at->dtype));
	}
}

/* A graph by the logs of torch.compile. */
static void report_compiled(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct ranks_compared *all = diagnosis->compared;
	const struct rank *of = &diagnosis->run->ranks[all->compilation.rank];
	const struct compile_item *item = &of->summary->compiled[all->compilation.index];
	finding->title = "Ranks compiled different graphs";
	finding->severity = all->compiled == COMPILED_GRAPH ? SEVERITY_LOW : finding->severity;
	report_problem(finding, "Compilation %s (%s) of rank %" PRId64 " has another graph: ",
		       detect_ranks_text_of(of->summary, item->id),
		       detect_ranks_text_of(of->summary, item->text[COMPILE_FUNCTION]), of->number);
	compiled_difference(diagnosis->run, all->compilation.rank, all->compilation.index,
			    &finding->evidence);
	lead_to_rank(diagnosis, finding, all->compilation.rank, 0);
}

void detect_order_mismatch(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct run *run = diagnosis->run;
	if (!need_ranks(diagnosis, finding, true))
		return;
	struct rank_operation found = diagnosis->compared->differs;
	if (found.index == NO_ROW) {
		if (diagnosis->compared->compiled != COMPILED_ALIKE)
			report_compiled(diagnosis, finding);
		else
			report_ok(finding, "Operations with the same number agree on %zu ranks.",
				  run->rank_count);
		return;
	}
	struct rank_operation next = run->matches->next[found.rank][found.index];
	const struct rank_summary *own = run->ranks[found.rank].summary;
	const struct collective *at = &own->collectives[found.index];
	report_problem(finding, "Operation %s of group %s: ", COUNT(at->sequence),
		       detect_ranks_text_of(own, at->group));
	add_operation(diagnosis, finding, found.rank, found.index);
	buffer_puts(&finding->evidence, ", ");
	add_operation(diagnosis, finding, next.rank, next.index);
	lead_to_rank(diagnosis, finding, next.rank, 0);
}
