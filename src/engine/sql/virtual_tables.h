/*
 * Views as SQLite virtual tables.
 */
#pragma once

#include "base/error.h"
#include "table/view.h"

#include <sqlite3.h>

struct built;
struct sql_fold;

/* Data source of the tables of a connection; must outlive it. */
struct sql_source {
	const struct run *run;
	const struct scope *scope;       /* narrowed further by hidden columns */
	const struct view *const *views; /* its tables, ending in NULL; NULL: all views, reports */
	const struct progress *progress;
	struct sql_fold *fold; /* what its statement reads instead of views; NULL */
	bool declaring;        /* inside sqlite3_declare_vtab */
	struct error error;    /* why a table could not be built, or ERROR_NONE */
	struct built *built;   /* tables built so far, for reuse in joins */
	size_t built_count;
};

/* Register the views with DB. False if SQLite refuses. */
bool sql_register_views(sqlite3 *db, struct sql_source *source);
void sql_source_clear(struct sql_source *source);

/* Table name of a view. */
enum { SQL_NAME_MAX = 64 };
void sql_table_name(char out[SQL_NAME_MAX], const char *view);

/* The view of a table; NULL: it has none. */
const struct view *sql_find_view(const struct sql_source *source, const char *table);

/* Register the table of the source's fold, which DB has no other of. False if SQLite refuses. */
bool sql_register_fold(sqlite3 *db, struct sql_source *source);

/* Declared type of a column: "INTEGER", "REAL", "TEXT" or "". */
const char *sql_column_type(const struct column *column);
