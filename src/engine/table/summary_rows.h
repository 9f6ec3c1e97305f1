/*
 * Tables that a summary keeps (model/summary_tables.h), for views that cannot be computed without
 * events.
 */
#pragma once

#include "table/view.h"

/*
 * Fill TABLE with the rows of its view that the summary of the held rank keeps. Without any, or in
 * a scope that needs events, it is empty, and its note says where the trace is.
 */
void summary_rows_add(struct table *table, const struct view_query *query);

/* Is the scope narrower than a rank and a name? */
bool summary_scope_is_narrowed(const struct scope *scope);
/* Can the rows of VIEW answer it? */
bool summary_scope_fits(const struct view *view, const struct scope *scope);
/* Keep the rows of TABLE in SCOPE, which fits. */
void summary_scope_apply(struct table *table, const struct scope *scope);
