/*
 * The sums of nsys stats, each a query over the tables of nsys_reports.txt.
 */
#include "tools/nsys/nsys_reports.h"

#include "sql/query.h"
#include "views/views.h"

static const struct view *const nsys_tables[] = { NSYS_VIEW_ROWS };

/* A row stands for all events of the name of the one given. */
static struct ref name_ref(const struct table *table, int64_t id)
{
	const struct profile *profile = table->held->profile;
	uint32_t row = (uint32_t)id;
	return id >> 32 == REF_LAUNCH
		       ? (struct ref){ REF_KERNEL, profile->activity_name[row], NO_ROW, NO_ROW }
		       : (struct ref){ REF_EVENTS, profile->span_name[row], 0, 0 };
}

bool nsys_build_sums(struct table *table, const struct view_query *query)
{
	const struct nsys_report *report = nsys_report_of(table);
	struct scope scope = *query->scope; /* shares its texts */
	scope.filter = NULL;                /* applies to the rows of the report */
	scope.all_ranks = false;
	scope.ranks.count = 0;
	struct view_query inner = *query;
	inner.scope = &scope;
	if (!sql_fill(table, nsys_tables, report->sql, name_ref, &inner))
		return false;
	return table_note_none(table, report->empty);
}
