/*
 * The metrics view: values measured for single launches, such as hardware counters.
 */
#include "views/views.h"

static void metrics_add_metric(struct table *table, const struct selection *selection,
			       const struct metric *metric)
{
	const struct profile *profile = selection->profile;
	uint32_t activity = metric->activity;
	size_t row = table_add_row(table, (struct ref){ REF_LAUNCH, activity, 0, 0 });
	if (!metric->of_kernel)
		table_set(table, row, "launch", value_int(profile_activity_id(profile, activity)));
	METRIC_CELLS(table_set);
}

bool build_metrics(struct table *table, const struct view_query *query)
{
	const struct selection *selection = query->selection;
	const struct profile *profile = selection->profile;
	bool ok = true;
	for_heavy_rows (ok, i, profile->metric_count, query->progress, "listing metrics", 8)
		if (selection_has_activity(selection, profile->metrics[i].activity))
			metrics_add_metric(table, selection, &profile->metrics[i]);
	if (!profile->metric_count)
		table_note(table, "No metrics of kernels in the profile.");
	return ok;
}
