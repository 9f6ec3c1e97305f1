/*
 * Verdicts of a comparison: how sure it is that a row takes more or less time, and of which kind.
 */
#include "views/diff/diff.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const struct spread no_spread = { 0, 0 };

const struct spread *diff_spread_at(const struct diff_side *side, int extent, bool device,
				    uint32_t row)
{
	const struct extent_times *times = &side->times[extent];
	return row == NO_ROW ? &no_spread : &(device ? times->gpu : times->cpu)[row];
}

const char *diff_change_name(enum change change, bool same)
{
	return change == SAME && same ? "same" : change_name(change);
}

static bool has_device_time(const struct comparison *comparison, size_t index)
{
	const struct pair *pair = &comparison->pairs[index];
	const struct diff_row *base = diff_row_of(&comparison->base, pair->base);
	const struct diff_row *new = diff_row_of(&comparison->new, pair->new);
	int64_t before = diff_time(base, true), after = diff_time(new, true);
	return (before != NO_VALUE && before) || (after != NO_VALUE && after);
}

/* ---- evidence ---- */

static bool are_both(const struct pair *pair)
{
	return pair->base != NO_ROW && pair->new != NO_ROW;
}

/* BASE and NEW: mean steps. */
static struct difference evidence_of_steps(const struct comparison *comparison,
					   const struct spread *base, const struct spread *new)
{
	return (struct difference){ .base = base->time,
				    .new = new->time,
				    .more = new->time - base->time,
				    .variance = base->variance + new->variance,
				    .freedom = comparison->steps - 2.0,
				    .known = true,
				    .of_steps = true };
}

/* Calls that wait for other ranks last as long as these take; VARY tells how they do. */
static void add_waiting(struct difference *evidence, const struct matched *matched,
			const struct waiting *vary)
{
	const double waiting_max = 0.2; /* of the time; less is ignored */
	double waiting = matched->waiting_base + matched->waiting_new;
	if (waiting <= waiting_max * (evidence->base + evidence->new + waiting))
		return;
	evidence->waiting_base = matched->waiting_base;
	evidence->waiting_new = matched->waiting_new;
	evidence->waiting_variance = pow(vary->between * waiting / 2, 2) +
				     pow(vary->within, 2) * matched->waiting_squares;
}

/*
 * Of the calls that correspond; of all, if both sides called the row equally often, though not with
 * the same calls inside.
 */
static struct difference evidence_of_calls(const struct matched *matched,
					   const struct waiting *waiting, bool equal_calls)
{
	const double error_of_only = 0.15;
	double only = matched->only_base + matched->only_new;
	struct difference evidence = { .base = matched->base,
				       .new = matched->new,
				       .more = matched->new - matched->base,
				       .calls = matched_equal_calls(matched),
				       .variance = matched->variance,
				       .freedom = matched->freedom,
				       .ratios = matched->ratios,
				       .typical = matched->ratio_sum / fmax(matched->ratios, 1),
				       .known = true };
	if (!matched_covers(matched)) {
		evidence.base += matched->only_base;
		evidence.new += matched->only_new;
		evidence.more += matched->only_new - matched->only_base;
		evidence.unmatched = error_of_only * only * error_of_only * only;
		evidence.ratios = 0;
		evidence.known = equal_calls || evidence.base + evidence.new <= 0;
	}
	add_waiting(&evidence, matched, waiting);
	return evidence;
}

/* Rows whose times are included in those of their parents, by pair. */
static bool *find_included(const struct comparison *comparison, int extent)
{
	const uint32_t *base = comparison->base.times[extent].parent;
	const uint32_t *new = comparison->new.times[extent].parent;
	bool *included = mem_zalloc(comparison->count, sizeof *included);
	for (size_t i = 1; i < comparison->count; i++) {
		const struct pair *pair = &comparison->pairs[i];
		included[i] = (pair->base != NO_ROW && base[pair->base] != NO_ROW) ||
			      (pair->new != NO_ROW &&new[pair->new] != NO_ROW);
	}
	return included;
}

/* Its calls are known: a summary has times, and no calls. */
static bool has_calls(const struct samples *calls, const struct diff_row *row, bool device)
{
	int64_t time = diff_time(row, device);
	return calls->count || time == NO_VALUE || time == 0;
}

/* MATCHED: calls by pair, NULL: steps are compared. */
static struct difference evidence_of_pair(const struct comparison *comparison, size_t index,
					  int extent, bool device, const struct matched *matched,
					  const struct waiting *waiting)
{
	const struct diff_side *base = &comparison->base, *new = &comparison->new;
	struct pair pair = comparison->pairs[index];
	const struct diff_row *old_row = diff_row_of(base, pair.base);
	const struct diff_row *new_row = diff_row_of(new, pair.new);
	struct difference evidence =
		matched ? evidence_of_calls(&matched[index], waiting,
					    old_row->calls == new_row->calls)
			: evidence_of_steps(comparison,
					    diff_spread_at(base, extent, device, pair.base),
					    diff_spread_at(new, extent, device, pair.new));
	if (!matched)
		evidence.calls = old_row->calls == NO_VALUE ? 0 : (double)old_row->calls;
	evidence.known = evidence.known &&
			 has_calls(device ? &base->gpu_calls : &base->cpu_calls, old_row, device) &&
			 has_calls(device ? &new->gpu_calls : &new->cpu_calls, new_row, device);
	return evidence;
}

/* Device times, or host times; NULL when cancelled. */
static struct difference *collect_evidence(const struct comparison *comparison, int extent,
					   bool device, const bool *included,
					   const struct progress *progress)
{
	const struct diff_side *base = &comparison->base, *new = &comparison->new;
	const struct samples *before = device ? &base->gpu_calls : &base->cpu_calls;
	const struct samples *after = device ? &new->gpu_calls : &new->cpu_calls;
	bool paired = comparison->steps && base->steps == new->steps;
	struct waiting waiting = { 0 };
	struct matched *matched = NULL;
	struct spread *steps = NULL;
	if (paired)
		steps = match_steps(before, after, comparison->pairs, comparison->count, included,
				    progress);
	else if (!comparison->steps)
		matched = match_calls(before, after, comparison->pairs, comparison->count, included,
				      &waiting, progress);
	if (paired ? !steps : !comparison->steps && !matched)
		return NULL;
	struct difference *evidence = mem_zalloc(comparison->count, sizeof *evidence);
	AUTO_FREE uint32_t *names = mem_zalloc(comparison->count, sizeof *names);
	for (size_t i = 0; i < comparison->count; i++) {
		if (!are_both(&comparison->pairs[i]))
			continue;
		names[i] = base->align[comparison->pairs[i].base].key;
		evidence[i] = evidence_of_pair(comparison, i, extent, device, matched, &waiting);
	}
	if (steps)
		difference_pair_steps(evidence, steps, comparison->count, base->steps);
	difference_learn(evidence, &(struct difference_tree){ comparison->pairs, comparison->count,
							      names, included, !device,
							      diff_devices_differ(comparison) });
	mem_free_all(matched, steps);
	return evidence;
}

/* ---- decisions ---- */

/* The surer one of device and host time decides, device time if they are equally sure. */
static struct decision decide(bool device, const struct difference *gpu,
			      const struct difference *cpu)
{
	enum change host = difference_judge(cpu);
	enum change change = device ? difference_judge(gpu) : SAME;
	bool by_host = !device || abs((int)host) > abs((int)change);
	bool known = (by_host || gpu->known) && cpu->known;
	change = by_host ? host : change;
	return (struct decision){ .change = change,
				  .device = !by_host,
				  .judged = change != SAME || known,
				  .same = difference_is_same(by_host ? cpu : gpu) };
}

/* The surer extent decides, likewise. False when cancelled. */
static bool decide_all(struct comparison *comparison, int extent, const struct progress *progress)
{
	AUTO_FREE bool *included = find_included(comparison, extent);
	AUTO_FREE struct difference *gpu =
		collect_evidence(comparison, extent, true, included, progress);
	AUTO_FREE struct difference *cpu =
		gpu ? collect_evidence(comparison, extent, false, included, progress) : NULL;
	for (size_t i = 0; cpu && i < comparison->count; i++) {
		struct decision *at = &comparison->decisions[i];
		if (!are_both(&comparison->pairs[i]))
			continue;
		struct decision by = decide(has_device_time(comparison, i), &gpu[i], &cpu[i]);
		by.extent = extent;
		if (extent == EXTENT_LISTED || abs((int)by.change) > abs((int)at->change))
			*at = by;
	}
	return cpu;
}

/* A layer is not the same if one inside it surely is not. */
static void doubt_outer_layers(struct comparison *comparison)
{
	AUTO_FREE bool *changed = mem_zalloc(comparison->count, sizeof *changed);
	AUTO_FREE bool *included = find_included(comparison, EXTENT_LISTED);
	for (size_t i = comparison->count; i-- > 1;) {
		const struct pair *pair = &comparison->pairs[i];
		struct decision *decision = &comparison->decisions[i];
		changed[i] |= abs((int)decision->change) == SLOWER;
		decision->same &= !changed[i];
		if (included[i] && diff_named_row(comparison, pair)->layer)
			changed[pair->parent] |= changed[i];
	}
}

bool diff_decide(struct comparison *comparison, const struct progress *progress,
		 struct error *error)
{
	comparison->decisions = mem_zalloc(comparison->count, sizeof *comparison->decisions);
	for (int extent = 0; extent < diff_extents(comparison->grouping); extent++)
		if (!decide_all(comparison, extent, progress))
			return error_cancelled(error);
	doubt_outer_layers(comparison);
	return true;
}

static bool is_other_class(const struct comparison *comparison, const struct pair *pair)
{
	const struct diff_row *base = diff_row_of(&comparison->base, pair->base);
	const struct diff_row *new = diff_row_of(&comparison->new, pair->new);
	return new->label &&value_compare(base->name, new->name) != 0;
}

bool diff_is_renamed(const struct comparison *comparison, size_t index)
{
	const struct pair *pair = &comparison->pairs[index];
	return are_both(pair) &&
	       (comparison->new.rows[pair->new].renamed || is_other_class(comparison, pair) ||
		comparison->base.align[pair->base].key != comparison->new.align[pair->new].key);
}

const char *diff_verdict(const struct comparison *comparison, size_t index)
{
	const struct pair *pair = &comparison->pairs[index];
	const struct diff_row *base = diff_row_of(&comparison->base, pair->base);
	const struct diff_row *new = diff_row_of(&comparison->new, pair->new);
	int64_t bytes = diff_difference(base->bytes, new->bytes);
	if (pair->base == NO_ROW || pair->new == NO_ROW)
		return pair->base == NO_ROW ? "new" : "gone";
	if (!bytes && !diff_difference(diff_time(base, true), diff_time(new, true)) &&
	    !diff_difference(diff_time(base, false), diff_time(new, false)) &&
	    !diff_difference(base->calls, new->calls) && !diff_is_renamed(comparison, index))
		return NULL;
	if (comparison->grouping->bytes)
		return bytes > 0 ? "more" : bytes < 0 ? "less" : "same";
	const struct decision *decision = &comparison->decisions[index];
	if (!decision->judged)
		return "not comparable";
	return diff_change_name(decision->change, decision->same);
}

bool diff_is_noise(struct value verdict)
{
	return value_is(verdict, "same") || value_is(verdict, "within noise");
}

bool diff_is_of(struct value compared, const char *resource)
{
	return compared.kind == VALUE_TEXT && strstr(compared.text, resource);
}

/* What the verdict compares, if it found a change. */
const char *diff_compared(const struct comparison *comparison, size_t index)
{
	static const char *const compared[][2] = { { "CPU", "GPU" }, { "own CPU", "own GPU" } };
	const struct decision *decision = &comparison->decisions[index];
	return decision->change == SAME ? NULL : compared[decision->extent][decision->device];
}
