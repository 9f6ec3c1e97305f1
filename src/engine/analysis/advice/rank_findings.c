#include "analysis/advice/rank_findings.h"

#include "analysis/advice/gains.h"
#include "base/any_of.h"

#include <math.h>

static struct finding *finding_of(const struct rank_findings *rank, const struct detector *detector)
{
	return first_of(at, rank->findings.items, rank->findings.count, at->detector == detector);
}

/* How a detector answers on all ranks. */
struct rank_findings_spread {
	size_t fired, ranks;
	size_t highest; /* the rank with the highest cost of those that fired */
	double least, most;
	bool priced;  /* all that fired have a gain */
	bool swapped; /* the finding of that rank is shown in place of the first rank's */
};

static bool is_higher(const struct finding *a, const struct finding *b)
{
	return a->cost_ns != b->cost_ns ? a->cost_ns > b->cost_ns : a->severity > b->severity;
}

static struct rank_findings_spread spread_of(const struct rank_findings *ranks, size_t count,
					     const struct detector *detector)
{
	struct rank_findings_spread spread = { .ranks = count, .priced = true };
	const struct finding *highest = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct finding *at = finding_of(&ranks[i], detector);
		if (!at || at->answer != ANSWER_FIRED)
			continue;
		spread.priced &= isfinite(at->gain_pct);
		spread.least = spread.fired ? fmin(spread.least, at->gain_pct) : at->gain_pct;
		spread.most = spread.fired ? fmax(spread.most, at->gain_pct) : at->gain_pct;
		spread.fired++;
		if (highest && !is_higher(at, highest))
			continue;
		highest = at;
		spread.highest = i;
	}
	return spread;
}

static void swap(struct finding *a, struct finding *b)
{
	struct finding other = *a;
	*a = *b;
	*b = other;
}

static bool fired_on(const struct rank_findings *ranks, size_t rank,
		     const struct detector *detector, const struct rank_findings_spread *spread)
{
	const struct finding *at = finding_of(&ranks[rank], detector);
	if (spread->swapped && (rank == 0 || rank == spread->highest))
		return rank == spread->highest;
	return at && at->answer == ANSWER_FIRED;
}

/* "0, 3, 7" */
static void add_ranks(struct buffer *out, const struct rank_findings *ranks, size_t count,
		      const struct detector *detector, const struct rank_findings_spread *spread)
{
	bool first = true;
	for (size_t i = 0; i < count; i++) {
		if (!fired_on(ranks, i, detector, spread))
			continue;
		buffer_printf(out, "%s%" PRId64, first ? "" : ", ", ranks[i].rank);
		first = false;
	}
}

/* "All 8 ranks (13.0 to 28.9 %); rank 0: ", "Rank 3 of 8: " */
static void tell_ranks(struct finding *finding, const struct rank_findings *ranks, size_t count,
		       const struct rank_findings_spread *spread)
{
	struct buffer out = { 0 };
	enum { LISTED_MAX = 8 };
	if (spread->fired == count && count == 2)
		buffer_puts(&out, "Both ranks");
	else if (spread->fired == count)
		buffer_printf(&out, "All %zu ranks", count);
	else if (spread->fired <= LISTED_MAX) {
		buffer_puts(&out, spread->fired == 1 ? "Rank " : "Ranks ");
		add_ranks(&out, ranks, count, finding->detector, spread);
		buffer_printf(&out, " of %zu", count);
	} else
		buffer_printf(&out, "%zu of %zu ranks", spread->fired, count);
	if (spread->priced && spread->fired > 1) {
		const char *least = PERCENT(spread->least, 100), *most = PERCENT(spread->most, 100);
		buffer_printf(&out, strcmp(least, most) ? " (%s to %s %%)" : " (%s %%)", least,
			      most);
	}
	if (spread->fired > 1)
		buffer_printf(&out, "; rank %" PRId64,
			      ranks[spread->swapped ? spread->highest : 0].rank);
	buffer_printf(&out, ": %s", buffer_text(&finding->evidence));
	buffer_free(&finding->evidence);
	finding->evidence = out;
}

static void copy_gain(struct finding *to, const struct finding *from)
{
	MEMBERS(to, from, TAKE(cost_ns) TAKE(scope_ns) TAKE(gain_pct) TAKE(predicted));
}

/* The cost on the rank that loses most: the one that others wait for loses nothing itself. */
static void take_highest_gain(struct rank_findings *ranks, size_t count, struct finding *own)
{
	for (size_t i = 1; i < count; i++) {
		const struct finding *at = finding_of(&ranks[i], own->detector);
		if (!at || at->answer != ANSWER_FIRED || !isfinite(at->gain_pct) ||
		    at->gain_pct <= own->gain_pct)
			continue;
		copy_gain(own, at);
	}
}

/* The rank that a finding is about knows more of it than other ranks. */
static void merge_of_run(struct rank_findings *ranks, size_t count, struct finding *own)
{
	if (own->answer == ANSWER_FIRED)
		take_highest_gain(ranks, count, own);
	for (size_t i = 1; i < count; i++) {
		struct finding *at = finding_of(&ranks[i], own->detector);
		if (at && at->answer == ANSWER_FIRED && own->answer == ANSWER_FIRED &&
		    at->rank == own->rank && at->rank == ranks[i].rank) {
			copy_gain(at, own);
			swap(own, at);
			return;
		}
	}
}

/*
 * What only the straggler has makes it late: of the time that others wait for it, which the finding
 * about ranks claims already.
 */
static void leave_to_straggler(struct findings *findings, const struct finding *straggler)
{
	for_each_mutable (at, findings->items, findings->count) {
		if (!at->only_rank || at->answer != ANSWER_FIRED || !isfinite(at->gain_pct) ||
		    at->rank != straggler->rank)
			continue;
		finding_keep(at, fmax(0, at->gain_pct - straggler->gain_pct) / at->gain_pct);
	}
}

static void merge_one(struct rank_findings *ranks, size_t count, struct finding *own)
{
	const struct detector *detector = own->detector;
	if (detector->of_run) {
		merge_of_run(ranks, count, own);
		return;
	}
	struct rank_findings_spread spread = spread_of(ranks, count, detector);
	if (!spread.fired)
		return;
	if (own->answer != ANSWER_FIRED) {
		swap(own, finding_of(&ranks[spread.highest], detector));
		spread.swapped = true;
		own->rank = ranks[spread.highest].rank;
		own->subject = SUBJECT_RANK;
		own->subject_row = (uint32_t)own->rank;
		own->longest = (struct interval){ 0, 0 };
	}
	own->only_rank = spread.fired == 1;
	if (spread.fired < count || detector->concern == CONCERN_PROGRAM)
		tell_ranks(own, ranks, count, &spread);
}

/* A finding of another rank is a part of that rank's time, so the sum must be limited again. */
static void limit_gains(struct findings *findings)
{
	double left = 100;
	for_each_mutable (finding, findings->items, findings->count) {
		if (finding->answer != ANSWER_FIRED || !isfinite(finding->gain_pct))
			continue;
		if (finding->gain_pct > left)
			finding_keep(finding, left / finding->gain_pct);
		left -= isfinite(finding->gain_pct) ? finding->gain_pct : 0;
	}
}

void findings_merge(struct rank_findings *ranks, size_t count)
{
	struct findings *own = &ranks[0].findings;
	for (size_t i = 0; count > 1 && i < own->count; i++) {
		merge_one(ranks, count, &own->items[i]);
		own->items[i].won_ns = 0; /* a replay is of a rank alone */
	}
	for (size_t i = 0; count > 1 && i < own->count; i++)
		if (own->items[i].detector->late && own->items[i].answer == ANSWER_FIRED &&
		    isfinite(own->items[i].gain_pct))
			leave_to_straggler(own, &own->items[i]);
	findings_sort(own);
	limit_gains(own);
}
