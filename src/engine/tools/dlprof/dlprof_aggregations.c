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
	AGGREGATION_CELLS(table_set);
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
