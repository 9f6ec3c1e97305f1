/*
 * Durations over all ranks: how many, their sum, extremes and percentiles (analysis/histogram.h).
 */
#include "analysis/histogram.h"
#include "session/summary_parts.h"
#include "views/views.h"

static void durations_add_row(struct table *table, const struct histograms *histograms,
			      const struct histogram *histogram)
{
	size_t row = table_add_row(table, NO_REF);
	table_set(table, row, "name", cell_interned(table, histograms->strings, histogram->name));
	table_set(table, row, "ranks", value_int(histogram->ranks));
	table_set(table, row, "calls", value_int((int64_t)histogram->count));
	table_set(table, row, "total_ns", value_int(histogram->sum));
	table_set(table, row, "avg_ns",
		  value_real((double)histogram->sum / (double)histogram->count));
	table_set(table, row, "min_ns", value_int(histogram->min));
	table_set(table, row, "p50_ns", value_int(histogram_percentile(histogram, 50)));
	table_set(table, row, "p90_ns", value_int(histogram_percentile(histogram, 90)));
	table_set(table, row, "p99_ns", value_int(histogram_percentile(histogram, 99)));
	table_set(table, row, "max_ns", value_int(histogram->max));
}

static bool add_histograms(void *context, const struct rank *rank,
			   const struct histograms *histograms)
{
	histograms_add(context, histograms);
	return true;
}

bool build_durations(struct table *table, const struct view_query *query)
{
	AUTO(histograms_clear) struct histograms histograms = { 0 };
	histograms_init(&histograms);
	bool ok = run_visit_histograms(query->run, &query->scope->ranks, add_histograms,
				       &histograms, query->progress, query->error);
	enum histogram_kind kind =
		query->group ? histogram_kind_named(query->group) : HISTOGRAM_KERNELS;
	size_t count = histograms.list[kind].count;
	AUTO_FREE const struct histogram **order = histograms_order(&histograms, kind);
	for_heavy_rows (ok, i, count, query->progress, "listing durations", 16)
		durations_add_row(table, &histograms, order[i]);
	if (!table->rows)
		table_note(table, "No %s in the profile.", histogram_kind_name(kind));
	return ok;
}
