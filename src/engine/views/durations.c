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
	DURATION_CELLS(table_set);
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
