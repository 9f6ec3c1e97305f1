/*
 * The runs view: the runs of a log directory, or of files opened together.
 */
#include "analysis/rank_summary.h"
#include "base/compare.h"
#include "session/runs/runs.h"
#include "views/views.h"

#include <stdlib.h>

/* What is known of a run from its recordings. */
struct runs_view_histogram {
	int64_t start; /* absolute ns */
	int64_t ranks, spans, steps, companions;
	int64_t *of_span; /* steps of the rank with most of them, by span */
	int64_t *durs;    /* of complete steps */
	size_t count;
	const struct rank *first; /* a recording with a device, or the first */
	bool shown, mixed;        /* MIXED: other devices, too */
};

static const char *runs_view_device_of(const struct rank *rank)
{
	const struct rank_summary *summary = rank->summary;
	return intern_text(summary->strings, summary->devices->name);
}

/* All ranks do the same steps; one may have recorded fewer. */
static void runs_view_add_steps(struct runs_view_histogram *histogram, uint32_t span, int64_t steps)
{
	mem_grow_filled(histogram->of_span, (size_t)span + 1, 0);
	if (steps <= histogram->of_span[span])
		return;
	histogram->steps += steps - histogram->of_span[span];
	histogram->of_span[span] = steps;
}

static void add_recording(struct runs_view_histogram *histogram, const struct rank *rank,
			  const struct scope *scope)
{
	const struct rank_summary *summary = rank->summary;
	if (rank->companion) {
		histogram->companions++;
		return;
	}
	if (!histogram->first || summary->start < histogram->start)
		histogram->start = summary->start;
	histogram->first = histogram->first ? histogram->first : rank;
	histogram->ranks += rank->span == 1;
	raise_to(histogram->spans, rank->span);
	if (rank->totals)
		return;
	runs_view_add_steps(histogram, rank->span, (int64_t)summary->step_count);
	histogram->durs = mem_realloc(histogram->durs, histogram->count + summary->step_count + 1,
				      sizeof *histogram->durs);
	for (size_t i = 0; i < summary->step_count; i++)
		if (rank_counts_step(&summary->steps[i], scope))
			histogram->durs[histogram->count++] = summary->steps[i].dur;
	if (!*runs_view_device_of(histogram->first))
		histogram->first = rank;
	else if (*runs_view_device_of(rank))
		histogram->mixed |= strcmp(runs_view_device_of(rank),
					   runs_view_device_of(histogram->first)) != 0;
}

/* NO_VALUE without complete steps. */
static int64_t median_of(struct runs_view_histogram *histogram)
{
	if (!histogram->count)
		return NO_VALUE;
	qsort(histogram->durs, histogram->count, sizeof *histogram->durs, compare_int64);
	size_t half = histogram->count / 2;
	return histogram->count % 2
		       ? histogram->durs[half]
		       : histogram->durs[half - 1] +
				 (histogram->durs[half] - histogram->durs[half - 1]) / 2;
}

/* The directory of the first file. */
static struct value runs_view_path_of(struct table *table, const struct rank *rank)
{
	const char *slash = strrchr(rank->path, '/');
	return table_printf(table, "%.*s", slash ? (int)(slash - rank->path) : 1,
			    slash ? rank->path : ".");
}

static void runs_view_add_run(struct table *table, const struct run *run, size_t number,
			      struct runs_view_histogram *histogram)
{
	size_t row = table_add_row(table, (struct ref){ REF_RUN, (uint32_t)number, 0, 0 });
	table_set(table, row, "run", value_int((int64_t)number));
	table_set(table, row, "name", table_printf(table, "%s", runs_name(run, number)));
	table_set(table, row, "shown", value_int(histogram->shown));
	if (!histogram->first)
		return;
	table_set(table, row, "time", cell_date(table, histogram->start));
	table_set(table, row, "ranks", value_int(histogram->ranks));
	table_set(table, row, "spans", value_int(histogram->spans));
	if (histogram->steps)
		table_set(table, row, "steps", value_int(histogram->steps));
	table_set(table, row, "step_ns", cell_int(median_of(histogram) ?: NO_VALUE));
	if (*runs_view_device_of(histogram->first))
		table_set(table, row, "device",
			  table_printf(table, "%s%s", runs_view_device_of(histogram->first),
				       histogram->mixed ? " and others" : ""));
	table_set(table, row, "companions", value_int(histogram->companions));
	table_set(table, row, "path", runs_view_path_of(table, histogram->first));
}

bool build_runs(struct table *table, const struct view_query *query)
{
	const struct run *run = query->run;
	AUTO_FREE struct runs_view_histogram *histograms =
		mem_zalloc(run->runs + 1, sizeof *histograms);
	for (size_t i = 0; i < run->rank_count + run->other_count; i++) {
		const struct rank *rank = run_recording(run, i);
		add_recording(&histograms[rank->run], rank, query->scope);
		histograms[rank->run].shown |= i < run->rank_count;
	}
	for (size_t i = 1; i <= run->runs; i++)
		runs_view_add_run(table, run, i, &histograms[i]);
	for (size_t i = 0; i <= run->runs; i++)
		mem_free_all(histograms[i].durs, histograms[i].of_span);
	table->note = cell_recordings_note(table, run).text;
	return true;
}
