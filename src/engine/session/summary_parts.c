#include "session/summary_parts.h"

#include "analysis/histogram.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/sort.h"
#include "session/load.h"

static bool visit_all(struct summary_file *summary_file, summary_part_visitor *visit, void *context,
		      struct error *error)
{
	AUTO_BUFFER struct buffer bytes = { 0 };
	bool ok = true;
	for (size_t i = 0; i < summary_file->count && ok; i++) {
		struct summary_file_block block = { 0 };
		ok = summary_file_read(summary_file, i, &bytes, error) &&
		     summary_file_block_open(&block, &bytes, error);
		if (ok) {
			struct summary_part part = { (uint32_t)i, summary_file->count,
						     &summary_file->parts[i], &block };
			ok = visit(context, &part, error);
		}
		summary_file_block_close(&block);
	}
	return ok;
}

bool summary_parts_visit(const char *path, summary_part_visitor *visit, void *context,
			 const struct progress *progress, struct error *error)
{
	AUTO_SOURCE struct source *source = source_open(path, progress, error);
	AUTO(summary_file_close) struct summary_file summary_file = { 0 };
	return source && summary_file_open(&summary_file, source, error) &&
	       visit_all(&summary_file, visit, context, error) &&
	       summary_file_ends(&summary_file, error);
}

/* ---- of a run ---- */

/* Ranks of one file of summaries, by part. */
struct visiting {
	const struct rank **ranks;
	size_t count, next;
	summary_rank_visitor *visit;
	void *context;
};

COMPARE_ITEMS(compare_parts, struct rank *const,
	      strcmp((*x)->path, (*y)->path) ?: COMPARE((*x)->part, (*y)->part))

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
	AUTO_FREE const struct rank **parts = mem_alloc((run->rank_count + 1) * sizeof *parts);
	size_t count = 0, end;
	bool ok = true;
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].part && scope_list_has(ranks, run->ranks[i].number))
			parts[count++] = &run->ranks[i];
	sort_items(parts, count, compare_parts);
	for (size_t i = 0; i < count && ok; i = end) {
		for (end = i + 1; end < count && !strcmp(parts[i]->path, parts[end]->path);)
			end++;
		struct visiting visiting = { parts + i, end - i, 0, visit, context };
		ok = summary_parts_visit(parts[i]->path, visit_part, &visiting, progress, error);
	}
	return ok;
}

/* ---- histograms ---- */

struct visiting_histograms {
	rank_histograms_visitor *visit;
	void *context;
};

static bool unpack_histograms(void *context, const struct rank *rank,
			      const struct summary_file_block *block, struct error *error)
{
	const struct visiting_histograms *visiting = context;
	struct packed packed = block->section[SUMMARY_FILE_HISTOGRAMS];
	AUTO(histograms_clear) struct histograms own = { 0 };
	histograms_init(&own);
	return histograms_unpack(&own, &packed, &block->texts)
		       ? visiting->visit(visiting->context, rank, &own)
		       : summary_file_damaged(rank->number, error);
}

static bool count_trace(const struct run *run, int64_t number,
			const struct visiting_histograms *visiting, const struct progress *progress,
			struct error *error)
{
	AUTO_RANK const struct rank *rank = run_acquire(run, number, progress, error);
	if (!rank)
		return false;
	AUTO(histograms_clear) struct histograms own;
	histograms_init(&own);
	bool done = histograms_collect(&own, rank->derived, rank->summary, progress) ||
		    error_cancelled(error);
	return done && visiting->visit(visiting->context, rank, &own);
}

bool run_visit_histograms(const struct run *run, const struct scope_list *ranks,
			  rank_histograms_visitor *visit, void *context,
			  const struct progress *progress, struct error *error)
{
	struct visiting_histograms visiting = { visit, context };
	bool ok = run_visit_summaries(run, ranks, unpack_histograms, &visiting, progress, error);
	for (size_t i = 0; i < run->rank_count && ok; i++)
		if (!run->ranks[i].part && scope_list_has(ranks, run->ranks[i].number))
			ok = count_trace(run, run->ranks[i].number, &visiting, progress, error);
	return ok;
}
