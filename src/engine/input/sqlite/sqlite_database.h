/*
 * A profiler's SQLite database as the readers see it: the tables it has, and what reading them
 * came to. No view or virtual table of its own is ever used (sqlite_open.h has the rest).
 *
 * Failures stick: after one all reading ends early, and sqlite_database_ok says why.  Damage inside
 * a table is not a failure: it is counted in the profile and the rest is read.
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_DATABASE_H
#define STRATA_INPUT_SQLITE_SQLITE_DATABASE_H

#include "base/progress.h"
#include "model/profile.h"

#include <sqlite3.h>

struct error;

struct sqlite_database {
	sqlite3 *db;
	struct profile *profile; /* where damage is counted */
	const struct progress *progress;
	char **tables, **views; /* names in the file, in its order */
	bool *used;             /* by table: a reader has opened it */
	size_t table_count, table_cap, used_cap, view_count, view_cap;
	uint64_t rows_read, rows_expected;
	struct error *failure; /* what ended the reading, of the caller of open */
	bool failed;
};

/* Do these first bytes belong to a database? */
bool sqlite_is_database(const char *head, size_t length);

/*
 * Open the database at PATH for the profile.  NULL with ERROR_INPUT and one sentence when it is
 * being written, encrypted or damaged beyond its list of tables.  ERROR must outlive the database.
 */
struct sqlite_database *sqlite_database_open(const char *path, struct profile *profile,
					     const struct progress *progress, struct error *error);
void sqlite_database_close(struct sqlite_database *database); /* NULL is fine */

/* False when reading has failed; the error given to open then says why. */
bool sqlite_database_ok(const struct sqlite_database *database);

/* Take note of a failed call of SQLite's; the database's error is filled. */
void sqlite_database_fail(struct sqlite_database *database, int status);

/*
 * The table NAME, or its latest revision ("NAME_V3") when it is only there under such a name: its
 * index, or table_count.  Views and virtual tables are not tables.
 */
size_t sqlite_database_find(const struct sqlite_database *database, const char *name);
bool sqlite_database_has(const struct sqlite_database *database, const char *name);
bool sqlite_database_has_view(const struct sqlite_database *database, const char *name);

/* Rows of this table are going to be read: progress counts with them. */
void sqlite_database_expect(struct sqlite_database *database, const char *name);

#endif
