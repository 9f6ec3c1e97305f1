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

/* ---- tallies ---- */

/* Ranks of one file of summaries, by part. */
struct adding_tallies {
	const struct rank **ranks;
	size_t count, next;
	struct tallies *tallies;
};

static int compare_parts(const void *a, const void *b)
{
	const struct rank *x = *(const struct rank *const *)a, *y = *(const struct rank *const *)b;
	int paths = strcmp(x->path, y->path);
	return paths ? paths : (x->part > y->part) - (x->part < y->part);
}

static bool add_part(void *context, const struct summary_part *part, struct error *error)
{
	struct adding_tallies *adding = context;
	struct packed packed = part->block->section[STRSUM_TALLIES];
	struct tallies own;
	if (adding->next == adding->count || adding->ranks[adding->next]->part != part->number + 1)
		return true;
	adding->next++;
	tallies_init(&own);
	bool done = tallies_unpack(&own, &packed, &part->block->texts) ||
		    strsum_damaged(part->part->rank, error);
	if (done)
		tallies_add(adding->tallies, &own);
	tallies_clear(&own);
	return done;
}

static bool count_trace(const struct run *run, int64_t number, struct tallies *tallies,
			const struct progress *progress, struct error *error)
{
	struct tallies own;
	const struct rank *rank = run_acquire(run, number, progress, error);
	if (!rank)
		return false;
	tallies_init(&own);
	bool done = tallies_collect(&own, rank->facts, rank->summary, progress) ||
		    error_set(error, ERROR_CANCELLED, "cancelled");
	if (done)
		tallies_add(tallies, &own);
	tallies_clear(&own);
	run_release(run, rank);
	return done;
}

bool run_add_tallies(const struct run *run, const struct scope_list *ranks, struct tallies *tallies,
		     const struct progress *progress, struct error *error)
{
	const struct rank **parts = mem_alloc((run->rank_count + 1) * sizeof *parts);
	size_t count = 0, end;
	bool on = true;
	for (size_t i = 0; i < run->rank_count && on; i++) {
		const struct rank *rank = &run->ranks[i];
		if (!scope_list_has(ranks, rank->number))
			continue;
		if (rank->part)
			parts[count++] = rank;
		else
			on = count_trace(run, rank->number, tallies, progress, error);
	}
	qsort(parts, count, sizeof *parts, compare_parts);
	for (size_t i = 0; i < count && on; i = end) {
		for (end = i + 1; end < count && !strcmp(parts[i]->path, parts[end]->path);)
			end++;
		struct adding_tallies adding = { parts + i, end - i, 0, tallies };
		on = summary_parts_visit(parts[i]->path, add_part, &adding, progress, error);
	}
	mem_free(parts);
	return on;
}
