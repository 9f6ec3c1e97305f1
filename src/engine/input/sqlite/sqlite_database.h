/*
 * A profiler's SQLite database: its tables, read progress and errors.
 *
 * Errors are sticky: after a failure all reading ends early and sqlite_database_ok returns false.
 * Damage inside a table is not a failure: it is counted in the profile and the rest is read. Views
 * and virtual tables are never used (see sqlite_database.c).
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

#include <sqlite3.h>

struct sqlite_ahead;

struct sqlite_database {
	sqlite3 *db;
	struct profile *profile; /* receives damage counts */
	const struct progress *progress;
	char **tables, **views; /* names, in file order */
	bool *used;             /* by table: opened by a reader */
	size_t table_count, view_count;
	uint64_t rows_read, rows_expected;
	uint64_t text;         /* bytes of text and blobs read since a table was opened */
	struct error *failure; /* the error passed to open */
	bool failed;
	struct sqlite_ahead *ahead; /* tables being read ahead (input/sqlite/sqlite_pages.h) */
	bool no_pages; /* read all tables by statements (input/sqlite/sqlite_pages.h); for tests */
};

/* Do these first bytes belong to a database? */
bool sqlite_is_database(const char *head, size_t length);

/*
 * Open the database at PATH. NULL with ERROR_INPUT when it is being written, encrypted or damaged
 * up to its list of tables. ERROR must outlive the database.
 */
struct sqlite_database *sqlite_database_open(const char *path, struct profile *profile,
					     const struct progress *progress, struct error *error);
void sqlite_database_close(struct sqlite_database *database); /* NULL is fine */

/* False after a failure; the error passed to open is set. */
bool sqlite_database_ok(const struct sqlite_database *database);

/* Report progress, as SQLite does within its calls; a failure when cancelled. */
void sqlite_database_report(struct sqlite_database *database);

/* Record a failed SQLite call in the database's error. */
void sqlite_database_fail(struct sqlite_database *database, int status);

/*
 * Index of table NAME, or of its latest revision ("NAME_V3"), or table_count. Excludes views and
 * virtual tables.
 */
size_t sqlite_database_find(const struct sqlite_database *database, const char *name);
bool sqlite_database_has(const struct sqlite_database *database, const char *name);
bool sqlite_database_has_view(const struct sqlite_database *database, const char *name);

/* Count the rows of tables, "NAME,NAME", each with SUFFIX, towards the progress total. */
void sqlite_database_expect(struct sqlite_database *database, const char *names,
			    const char *suffix);
