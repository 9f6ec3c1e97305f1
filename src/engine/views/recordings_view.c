/*
 * The recordings view: files that were opened together, as runs, ranks and spans.
 */
#include "analysis/rank_summary.h"
#include "base/compare.h"
#include "session/runs/runs.h"
#include "views/views.h"

#include <stdlib.h>

struct recordings_view_item {
	const struct rank *rank;
	int64_t number;
	bool shown;
};

static int64_t first_start(const struct run *run)
{
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < run->rank_count + run->other_count; i++) {
		const struct rank_summary *summary = run_recording(run, i)->summary;
		first = summary->start < first ? summary->start : first;
	}
	return first;
}

static void add_recording(struct table *table, const struct recordings_view_item *item,
			  int64_t zero, const struct scope *scope)
{
	const struct rank *rank = item->rank;
	const struct rank_summary *summary = rank->summary;
	struct step_summary mean = rank_mean_step(summary, scope);
	struct ref ref = ref_of_rank(rank->number);
	if (rank->companion)
		ref = (struct ref){ REF_FACT, (uint32_t)table->rows, NO_ROW, 0 };
	else if (!item->shown)
		ref = (struct ref){ REF_RUN, rank->run, rank->span, 0 };
	size_t row = table_add_row(table, ref);
	struct buffer worker = { 0 };
	runs_worker_name(rank->path, &worker);
	table_set(table, row, "run", value_int(rank->run));
	table_set(table, row, "worker", table_take_text(table, &worker));
	if (!rank->companion) {
		table_set(table, row, "rank", cell_int(item->number));
		table_set(table, row, "span", value_int(rank->span));
	}
	table_set(table, row, "shown", value_int(item->shown));
	set_rank_place(table, row, summary, summary->devices);
	table_set(table, row, "start_ns", value_int(summary->start - zero));
	if (summary->end > summary->start) /* else there is no timeline */
		table_set(table, row, "dur_ns", value_int(summary->end - summary->start));
	table_set(table, row, "steps", value_int((int64_t)summary->step_count));
	if (mean.dur > 0)
		set_step_means(table, row, &mean, 1);
	table_set(table, row, "file", table_printf(table, "%s", rank->path));
}

/* In the order of runs, ranks and spans. */
COMPARE_MEMBERS(compare_items, struct recordings_view_item,
		UP(rank->run) UP(number) UP(rank->worker) UP(rank->span))

/* The number of a rank; if its files do not have one, that of the span that is shown. */
static int64_t recordings_view_number_of(const struct run *run, const struct rank *rank)
{
	for (size_t i = 0; i < run->rank_count && rank->number == NO_VALUE; i++)
		if (run->ranks[i].worker == rank->worker)
			return run->ranks[i].number;
	return rank->number;
}

bool build_recordings(struct table *table, const struct view_query *query)
{
	const struct run *run = query->run;
	size_t count = run->rank_count + run->other_count;
	int64_t zero = first_start(run);
	AUTO_FREE struct recordings_view_item *items = mem_alloc((count + 1) * sizeof *items);
	for (size_t i = 0; i < count; i++) {
		const struct rank *rank = run_recording(run, i);
		items[i] =
			(struct recordings_view_item){ rank, recordings_view_number_of(run, rank),
						       i < run->rank_count };
	}
	qsort(items, count, sizeof *items, compare_items);
	for (size_t i = 0; i < count; i++)
		add_recording(table, &items[i], zero, query->scope);
	table->note = cell_recordings_note(table, run).text;
	return true;
}

/* Files of the shown run that are no ranks. */
static void note_companions(const struct run *run, uint32_t number, struct buffer *out)
{
	enum { LISTED_MAX = 3 };
	size_t count = 0;
	for_each (rank, run->others, run->other_count) {
		const char *slash = strrchr(rank->path, '/');
		if (rank->run != number || !rank->companion || ++count > LISTED_MAX)
			continue;
		buffer_printf(out, "%s%s", count > 1 ? ", " : "", slash ? slash + 1 : rank->path);
	}
	if (count > LISTED_MAX)
		buffer_printf(out, " and %zu more", count - LISTED_MAX);
	if (count)
		buffer_printf(out, " %s beside the trace%s and no rank%s: open %s by %s own path.",
			      count == 1 ? "is" : "are", run->rank_count == 1 ? "" : "s",
			      count == 1 ? "" : "s", count == 1 ? "it" : "them",
			      count == 1 ? "its" : "their");
}

static void add_recordings_note(const struct run *run, struct buffer *out)
{
	const struct rank *shown = run->rank_count ? &run->ranks[0] : NULL;
	if (shown)
		note_companions(run, shown->run, out);
	if (run->unlisted)
		buffer_printf(out, "%s%zu director%s could not be listed.", out->length ? " " : "",
			      run->unlisted, run->unlisted == 1 ? "y" : "ies");
	if (!shown || !run->other_count)
		return;
	if (run->runs > 1)
		buffer_printf(out,
			      "%sThe files are of %zu runs, which are not compared: "
			      "run %s is shown (--run NAME or :run NAME chooses).",
			      out->length ? " " : "", run->runs, runs_name(run, shown->run));
	if (run->spans > 1)
		buffer_printf(out,
			      "%sThe files of a worker are %zu spans, not ranks: span %u is shown "
			      "(--span N or :span N chooses).",
			      out->length ? " " : "", run->spans, shown->span);
}

struct value cell_recordings_note(struct table *table, const struct run *run)
{
	struct buffer note = { 0 };
	add_recordings_note(run, &note);
	return note.length ? table_take_text(table, &note) : value_missing();
}
