/*
 * SQL over the views of a run.  Every view is a read-only table of the same name ('-' is '_') with
 * hidden columns for the scope and the grouping.  Nothing can be written or attached.
 */
#ifndef STRATA_SQL_QUERY_H
#define STRATA_SQL_QUERY_H

#include "base/progress.h"
#include "model/run.h"
#include "model/scope.h"
#include "table/table.h"

struct error;

/*
 * Run one SELECT within SCOPE.  The result is a table without a view, with a column for each of
 * the result's, in its order; a column called as one of the vocabulary has its title and unit.  The
 * caller frees it; the run need not live as long.  NULL with ERROR: ERROR_USAGE (what SQLite said
 * of the text), ERROR_LIMIT, ERROR_CANCELLED, ERROR_MEMORY.
 */
struct table *sql_query(const struct run *run, const struct scope *scope, const char *sql,
			const struct progress *progress, struct error *error);

#endif
