/*
 * The views as SQLite virtual tables.
 */
#ifndef STRATA_SQL_VIEWS_H
#define STRATA_SQL_VIEWS_H

#include "base/error.h"
#include "base/progress.h"
#include "model/run.h"
#include "model/scope.h"
#include "table/view.h"

#include <sqlite3.h>

struct built;

/* What the tables of one connection read from; must outlive the connection. */
struct sql_source {
	const struct run *run;
	const struct scope *scope; /* hidden columns narrow it further */
	const struct progress *progress;
	bool declaring;      /* SQLite is being told the columns of a table */
	struct error error;  /* why a table could not be built, else ERROR_NONE */
	struct built *built; /* tables made so far: a join asks for them many times */
	size_t built_count;
};

/* Offer every view on DB.  False when SQLite refuses. */
bool sql_register_views(sqlite3 *db, struct sql_source *source);
void sql_source_clear(struct sql_source *source);

/* The name of a view as a table, into OUT. */
enum { SQL_NAME_MAX = 64 };
void sql_table_name(char out[SQL_NAME_MAX], const char *view);

/* The view that is the table of this name; NULL: none is. */
const struct view *sql_find_view(const char *table);

/* The type a column is declared with: "INTEGER", "REAL", "TEXT" or "". */
const char *sql_column_type(const struct column *column);

#endif
