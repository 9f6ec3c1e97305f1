#include "base/compare.h"
#include "views/findings.h"

#include "analysis/advice/summary_findings.h"
#include "analysis/advice/rank_findings.h"
#include "base/error.h"
#include "base/parallel.h"
#include "session/load.h"
#include "session/summary_parts.h"

#include <stdlib.h>

enum severity severity_at(const struct table *table, size_t row)
{
	struct value name = table_cell_or_missing(table, row, "severity");
	return name.kind == VALUE_TEXT ? severity_named(name.text, name.length) : SEVERITIES;
}

static bool derive(void *evidence, size_t part, const struct progress *progress)
{
	return evidence_derive(evidence, part, progress);
}

static bool detect(const struct run *run, const struct selection *selection,
		   const struct ranks_compared *compared, struct findings *findings,
		   const struct progress *progress, struct error *error)
{
	/* predictions replay the whole recording, not some of its steps */
	AUTO(evidence_free)
	struct evidence evidence = { .selection = selection,
				     .compared = compared,
				     .predict = !selection->scope->has_steps };
	return parallel_try_rows(profile_rows(selection->profile), EVIDENCE_PARTS, derive,
				 &evidence, "running checks", progress, error) &&
	       detect_all(findings, run, &evidence, progress);
}

/* A rank that cannot be read has no findings; false when cancelled. */
static bool detect_in_rank(const struct view_query *query, int64_t number,
			   const struct ranks_compared *compared, struct findings *findings)
{
	struct error error = { 0 };
	AUTO_RANK const struct rank *rank =
		run_acquire(query->run, number, query->progress, &error);
	AUTO(selection_free) struct selection selection = { 0 };
	AUTO(scope_clear) struct scope scope = { 0 };
	if (!rank)
		return error.code != ERROR_CANCELLED;
	scope_copy(&scope, query->scope);
	scope.rank = (int)number;
	bool selected = selection_make(&selection, query->run, &scope, query->progress, &error);
	return selected
		       ? detect(query->run, &selection, compared, findings, query->progress, &error)
		       : error.code != ERROR_CANCELLED;
}

/* Steps and times do not belong to one rank. */
bool is_of_all_ranks(const struct view_query *query)
{
	const struct scope *scope = query->scope;
	return query->run->rank_count > 1 && scope->rank == ANY_RANK && !query->run->whole &&
	       !scope->under && scope->layer == NO_ROW && scope->operator_name == NO_ROW &&
	       scope->kernel_name == NO_ROW && scope->call == NO_ROW && scope->track == NO_ROW &&
	       !scope->devices.count && !scope->streams.count && !scope->threads.count;
}

bool findings_of_rank(struct findings *findings, const struct view_query *query)
{
	return detect(query->run, query->selection, NULL, findings, query->progress, query->error);
}

/* ---- of summaries ---- */

struct collecting {
	const struct run *run;
	struct rank_findings *ranks;
	size_t count;
	struct intern *strings;
};

static bool collect_findings(void *context, const struct rank *rank,
			     const struct summary_file_block *block, struct error *error)
{
	struct collecting *collecting = context;
	struct packed packed = block->section[SUMMARY_FILE_FINDINGS];
	struct rank_findings *at = &collecting->ranks[collecting->count];
	at->rank = rank->number;
	if (!summary_findings_take(&at->findings, rank->number, &packed, &block->texts,
				   collecting->strings))
		return summary_file_damaged(rank->number, error);
	for (size_t i = 0; i < at->findings.count; i++)
		communication_with_peers(&at->findings.items[i].evidence, collecting->run,
					 (size_t)(rank - collecting->run->ranks));
	collecting->count++;
	return true;
}

static void swap_finding(struct findings *own, struct finding *from)
{
	for (size_t i = 0; i < own->count; i++)
		if (own->items[i].detector == from->detector) {
			struct finding other = own->items[i];
			own->items[i] = *from;
			*from = other;
		}
}

static bool add_compared(struct findings *own, const struct view_query *query)
{
	AUTO(findings_free) struct findings compared = { 0 };
	if (query->run->rank_count < 2)
		return true;
	if (!findings_of_rank(&compared, query))
		return false;
	for (size_t i = 0; i < compared.count; i++)
		if (compared.items[i].detector->of_run)
			swap_finding(own, &compared.items[i]);
	return true;
}

COMPARE_MEMBERS(compare_ranks, struct rank_findings, UP(rank))

/* The first rank answers for each detector; what it did not keep is silent. */
static bool merge_collected(struct findings *own, struct collecting *collecting,
			    const struct view_query *query)
{
	struct rank_findings *ranks = collecting->ranks;
	qsort(ranks, collecting->count, sizeof *ranks, compare_ranks);
	for (size_t i = 0; collecting->count && i < ranks[0].findings.count; i++)
		swap_finding(own, &ranks[0].findings.items[i]);
	if (!add_compared(own, query))
		return false;
	if (!collecting->count)
		return true;
	findings_free(&ranks[0].findings);
	ranks[0].findings = *own;
	findings_merge(ranks, collecting->count);
	*own = ranks[0].findings;
	ranks[0].findings = (struct findings){ NULL, 0 };
	return true;
}

bool findings_of_summaries(struct findings *findings, const struct view_query *query,
			   struct intern *strings)
{
	struct collecting collecting = { query->run, NULL, 0, strings };
	collecting.ranks = mem_zalloc(query->run->rank_count + 1, sizeof *collecting.ranks);
	findings_of_none(findings);
	bool done = run_visit_summaries(query->run, &query->scope->ranks, collect_findings,
					&collecting, query->progress, query->error) &&
		    merge_collected(findings, &collecting, query);
	for (size_t i = 0; i < collecting.count; i++)
		findings_free(&collecting.ranks[i].findings);
	mem_free(collecting.ranks);
	if (!done)
		findings_free(findings);
	return done;
}

bool findings_of_query(struct findings *findings, const struct view_query *query,
		       const struct evidence *evidence)
{
	const struct run *run = query->run;
	const struct rank *own = run_rank(run, query->scope->rank);
	size_t most = is_of_all_ranks(query) ? run->rank_count : 1, count = 1;
	AUTO_FREE struct rank_findings *ranks = mem_zalloc(most, sizeof *ranks);
	struct ranks_compared compared;
	if (most > 1)
		ranks_compare(&compared, run, query->scope);
	if (most > 1 && !experts_compare(&compared, query))
		return false;
	ranks[0].rank = own->number;
	bool done = evidence ? detect_all(&ranks[0].findings, run, evidence, query->progress)
			     : detect(run, query->selection, most > 1 ? &compared : NULL,
				      &ranks[0].findings, query->progress, query->error);
	for (size_t i = 0; done && most > 1 && i < run->rank_count; i++) {
		if (&run->ranks[i] == own ||
		    !scope_list_has(&query->scope->ranks, run->ranks[i].number))
			continue;
		ranks[count].rank = run->ranks[i].number;
		done = detect_in_rank(query, ranks[count].rank, &compared, &ranks[count].findings);
		count += ranks[count].findings.count > 0;
	}
	if (done && count > 1)
		findings_merge(ranks, count);
	*findings = done ? ranks[0].findings : (struct findings){ NULL, 0 };
	for (size_t i = done ? 1 : 0; i < count; i++)
		findings_free(&ranks[i].findings);
	return done;
}
