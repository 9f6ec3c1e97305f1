#include "session/summary_parts.h"

#include "analysis/tally.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/run.h"
#include "session/load.h"

#include <stdlib.h>
#include <string.h>

static bool visit_all(struct strsum *strsum, summary_part_visitor *visit, void *context,
		      struct error *error)
{
	struct buffer bytes = { 0 };
	bool on = true;
	for (size_t i = 0; i < strsum->count && on; i++) {
		struct strsum_block block = { 0 };
		on = strsum_read(strsum, i, &bytes, error) &&
		     strsum_block_open(&block, &bytes, error);
		if (on) {
			struct summary_part part = { (uint32_t)i, strsum->count, &strsum->parts[i],
						     &block };
			on = visit(context, &part, error);
		}
		strsum_block_close(&block);
	}
	buffer_free(&bytes);
	return on;
}

bool summary_parts_visit(const char *path, summary_part_visitor *visit, void *context,
			 const struct progress *progress, struct error *error)
{
	struct strsum strsum = { 0 };
	struct source *source = source_open(path, progress, error);
	bool done = source && strsum_open(&strsum, source, error) &&
		    visit_all(&strsum, visit, context, error) && strsum_ends(&strsum, error);
	strsum_close(&strsum);
	source_close(source);
	return done;
}

/* ---- of a run ---- */

/* Ranks of one file of summaries, by part. */
struct visiting {
	const struct rank **ranks;
	size_t count, next;
	summary_rank_visitor *visit;
	void *context;
};

static int compare_parts(const void *a, const void *b)
{
	const struct rank *x = *(const struct rank *const *)a, *y = *(const struct rank *const *)b;
	int paths = strcmp(x->path, y->path);
	return paths ? paths : (x->part > y->part) - (x->part < y->part);
}

static bool visit_part(void *context, const struct summary_part *part, struct error *error)
{
	struct visiting *visiting = context;
	const struct rank *rank =
		visiting->next < visiting->count ? visiting->ranks[visiting->next] : NULL;
	if (!rank || rank->part != part->number + 1)
		return true;
	visiting->next++;
	return visiting->visit(visiting->context, rank, part->block, error);
}

bool run_visit_summaries(const struct run *run, const struct scope_list *ranks,
			 summary_rank_visitor *visit, void *context,
			 const struct progress *progress, struct error *error)
{
	const struct rank **parts = mem_alloc((run->rank_count + 1) * sizeof *parts);
	size_t count = 0, end;
	bool on = true;
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].part && scope_list_has(ranks, run->ranks[i].number))
			parts[count++] = &run->ranks[i];
	if (count)
		qsort(parts, count, sizeof *parts, compare_parts);
	for (size_t i = 0; i < count && on; i = end) {
		for (end = i + 1; end < count && !strcmp(parts[i]->path, parts[end]->path);)
			end++;
		struct visiting visiting = { parts + i, end - i, 0, visit, context };
		on = summary_parts_visit(parts[i]->path, visit_part, &visiting, progress, error);
	}
	mem_free(parts);
	return on;
}

/* ---- tallies ---- */

struct visiting_tallies {
	rank_tallies_visitor *visit;
	void *context;
};

static bool unpack_tallies(void *context, const struct rank *rank, const struct strsum_block *block,
			   struct error *error)
{
	const struct visiting_tallies *visiting = context;
	struct packed packed = block->section[STRSUM_TALLIES];
	struct tallies own;
	tallies_init(&own);
	bool done = tallies_unpack(&own, &packed, &block->texts)
			    ? visiting->visit(visiting->context, rank, &own)
			    : strsum_damaged(rank->number, error);
	tallies_clear(&own);
	return done;
}

static bool count_trace(const struct run *run, int64_t number,
			const struct visiting_tallies *visiting, const struct progress *progress,
			struct error *error)
{
	struct tallies own;
	const struct rank *rank = run_acquire(run, number, progress, error);
	if (!rank)
		return false;
	tallies_init(&own);
	bool done = tallies_collect(&own, rank->facts, rank->summary, progress) ||
		    error_set(error, ERROR_CANCELLED, "cancelled");
	done = done && visiting->visit(visiting->context, rank, &own);
	tallies_clear(&own);
	run_release(run, rank);
	return done;
}

bool run_visit_tallies(const struct run *run, const struct scope_list *ranks,
		       rank_tallies_visitor *visit, void *context, const struct progress *progress,
		       struct error *error)
{
	struct visiting_tallies visiting = { visit, context };
	bool on = run_visit_summaries(run, ranks, unpack_tallies, &visiting, progress, error);
	for (size_t i = 0; i < run->rank_count && on; i++)
		if (!run->ranks[i].part && scope_list_has(ranks, run->ranks[i].number))
			on = count_trace(run, run->ranks[i].number, &visiting, progress, error);
	return on;
}
