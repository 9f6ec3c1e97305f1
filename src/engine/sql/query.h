/*
 * Read-only SQL over the views of a run. Each view is a table of its name ('-' becomes '_') with
 * hidden columns for scope and grouping.
 */
#pragma once

#include "table/table.h"

struct view;
struct view_query;

/*
 * Run a SELECT within SCOPE. The result is a table without a view, with one column per result
 * column; columns named like known ones have their title and unit. The caller frees it; it does not
 * depend on the run. NULL with ERROR: ERROR_USAGE (SQLite's message), ERROR_LIMIT, ERROR_CANCELLED,
 * ERROR_MEMORY.
 */
struct table *sql_query(const struct run *run, const struct scope *scope, const char *sql,
			const struct progress *progress, struct error *error);

/* Beyond these, a query fails with ERROR_LIMIT. */
struct query_limits {
	size_t cells, bytes; /* of the result */
	int value_bytes;     /* of a value, also of those between */
};

struct table *sql_query_within(const struct run *run, const struct scope *scope, const char *sql,
			       const struct query_limits *limits, const struct progress *progress,
			       struct error *error);

/*
 * Fill TABLE with the result of a SELECT over VIEWS (ending in NULL) alone, which need not be in
 * the registry: for views that are queries. The result has a column for each of the view's, in
 * their order, then the number that REF_OF makes the row's reference of, or NULL. False with
 * QUERY's error.
 */
bool sql_fill(struct table *table, const struct view *const *views, const char *sql,
	      struct ref (*ref_of)(const struct table *table, int64_t id),
	      const struct view_query *query);
