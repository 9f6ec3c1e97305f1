/*
 * Tables that a summary keeps (model/summary_tables.h), for views that cannot be computed without
 * events.
 */
#ifndef STRATA_TABLE_SUMMARY_ROWS_H
#define STRATA_TABLE_SUMMARY_ROWS_H

#include "table/view.h"

/*
 * Fill TABLE with the rows of its view that the summary of the held rank keeps. Without any, or in
 * a scope that needs events, it is empty, and its note says where the trace is.
 */
void summary_rows_add(struct table *table, const struct view_query *query);

#endif
