/*
 * The rank-outliers view: of each layer, kernel, operator or collective the rank that spends the
 * most time in it, beside the median of the ranks.
 */
#include "analysis/histogram.h"
#include "base/error.h"
#include "session/summary_parts.h"
#include "views/views.h"

/* Of a name: the rank with the highest sum, by number. */
struct highest {
	int64_t rank, ns;
};

struct rank_outliers_outliers {
	const struct view_query *query;
	enum histogram_kind kind;
	struct histograms sums;  /* of the sums of ranks */
	struct highest *highest; /* by index of the list */
};

static bool add_rank(void *context, const struct rank *rank, const struct histograms *histograms)
{
	struct rank_outliers_outliers *outliers = context;
	const struct histogram_list *from = &histograms->list[outliers->kind];
	struct histogram_list *list = &outliers->sums.list[outliers->kind];
	for_each (histogram, from->items, from->count) {
		size_t before = list->count;
		size_t at = histograms_count(&outliers->sums, outliers->kind,
					     intern_text(histograms->strings, histogram->name),
					     intern_length(histograms->strings, histogram->name),
					     histogram->sum);
		mem_grow(outliers->highest, list->count);
		struct highest *highest = &outliers->highest[at];
		if (list->count > before || histogram->sum > highest->ns ||
		    (histogram->sum == highest->ns && rank->number < highest->rank))
			*highest = (struct highest){ rank->number, histogram->sum };
	}
	return progress_update(outliers->query->progress, "comparing ranks", 0, 0, 0) ||
	       error_cancelled(outliers->query->error);
}

static void rank_outliers_add_row(struct table *table,
				  const struct rank_outliers_outliers *outliers, size_t index)
{
	const struct histogram *histogram = &outliers->sums.list[outliers->kind].items[index];
	const struct intern *strings = outliers->sums.strings;
	const struct highest *highest = &outliers->highest[index];
	int64_t median = histogram_percentile(histogram, 50), excess = highest->ns - median;
	size_t row = table_add_row(table, ref_of_rank(highest->rank));
	RANK_OUTLIER_CELLS(table_set);
}

bool build_rank_outliers(struct table *table, const struct view_query *query)
{
	struct rank_outliers_outliers outliers = {
		.query = query,
		.kind = query->group ? histogram_kind_named(query->group) : HISTOGRAM_LAYERS
	};
	histograms_init(&outliers.sums);
	bool ok = run_visit_histograms(query->run, &query->scope->ranks, add_rank, &outliers,
				       query->progress, query->error);
	const struct histogram_list *list = &outliers.sums.list[outliers.kind];
	AUTO_FREE const struct histogram **order = histograms_order(&outliers.sums, outliers.kind);
	for (size_t i = 0; i < list->count && ok; i++)
		if (order[i]->count > 1)
			rank_outliers_add_row(table, &outliers, (size_t)(order[i] - list->items));
	if (query->run->rank_count < 2)
		table_note(table, "Only one rank is open: open the files or the directory of all "
				  "ranks to compare them.");
	mem_free(outliers.highest);
	histograms_clear(&outliers.sums);
	return ok;
}
