/*
 * The aggregations stored in a DLProf database: which iterations of which key op each sums up.
 */
#include "tools/dlprof/dlprof_views.h"

static void dlprof_aggregations_add(struct table *table, const struct profile *profile,
				    const struct dlprof *dlprof, size_t index)
{
	const struct dlprof_aggregation *from = &dlprof->aggregations[index];
	const char *key = profile_string(profile, from->key);
	const char *domain = profile_string(profile, from->domain_name);
	size_t row = table_add_row(table, NO_REF);
	table_set(table, row, "aggregation", value_int((int64_t)index + 1));
	table_set(table, row, "domain", *domain ? value_text(domain) : value_missing());
	table_set(table, row, "key_op", *key ? value_text(key) : value_missing());
	table_set(table, row, "first_iteration", value_int(from->first));
	table_set(table, row, "last_iteration", value_int(from->last));
	table_set(table, row, "steps", value_int(from->iterations));
	table_set(table, row, "aggregated", value_int(from->aggregated));
	table_set(table, row, "wall_ns", value_int(from->wall));
	table_set(table, row, "avg_ns", value_real(from->average_iteration));
	table_set(table, row, "stddev_ns", value_real(from->deviation));
	table_set(table, row, "gpu_util_pct", cell_real(from->share[DLPROF_GPU_UTILIZATION]));
}

bool build_dlprof_aggregations(struct table *table, const struct view_query *query)
{
	const struct profile *profile = table->held->profile;
	const struct dlprof *dlprof = dlprof_of(profile);
	for (size_t i = 0; dlprof && i < dlprof->aggregation_count; i++)
		dlprof_aggregations_add(table, profile, dlprof, i);
	if (table->rows)
		table_note(table,
			   "Aggregation %zu, the newest, is shown by default; -g aggregation=N "
			   "selects another in the reports of DLProf.",
			   table->rows);
	else
		table_note(table, "Only databases of DLProf store aggregations.");
	return true;
}
