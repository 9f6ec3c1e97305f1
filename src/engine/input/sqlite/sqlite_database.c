#include "input/sqlite/sqlite_database.h"

#include "base/any_of.h"
#include "base/error.h"
#include "input/sqlite/sqlite_open.h"

#include <stdlib.h>
#include <string.h>

enum {
	STEPS_A_CHECK = 50000, /* VM instructions between progress callbacks */
	TABLES_MAX = 10000,    /* limit: tables of a database that are listed */
};

static const char magic[16] = "SQLite format 3";

bool sqlite_is_database(const char *head, size_t length)
{
	return length >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

/* ---- failures ---- */

void sqlite_database_fail(struct sqlite_database *database, int status)
{
	if (database->failed)
		return;
	database->failed = true;
	switch (status & 0xff) {
	case SQLITE_INTERRUPT: error_set(database->failure, ERROR_CANCELLED, "cancelled"); return;
	case SQLITE_NOMEM: mem_failed(0, database->failure); return;
	default:
		error_set(database->failure, ERROR_INPUT,
			  "is an SQLite database that cannot be read (%s)",
			  sqlite3_errmsg(database->db));
	}
}

bool sqlite_database_ok(const struct sqlite_database *database)
{
	return !database->failed;
}

/* ---- opening ---- */

static int check_progress(void *context)
{
	const struct sqlite_database *database = context;
	uint64_t total = database->profile->file_bytes, done = 0;
	if (database->rows_read < database->rows_expected)
		done = (uint64_t)((double)database->rows_read / (double)database->rows_expected *
				  (double)total);
	return !progress_update(database->progress, "reading", done, total,
				database->profile->events);
}

void sqlite_database_report(struct sqlite_database *database)
{
	if (check_progress(database))
		sqlite_database_fail(database, SQLITE_INTERRUPT);
}

/* ---- schema ---- */

static void sqlite_database_add_name(struct sqlite_database *database, const char *type,
				     const char *name, int64_t root)
{
	if (strcmp(type, "view") == 0) {
		*mem_push(database->views, database->view_count, database->view_cap) =
			mem_strdup(name);
	} else if (strcmp(type, "table") == 0 && root > 0) { /* virtual tables have no root page */
		*mem_push(database->tables, database->table_count, database->table_cap) =
			mem_strdup(name);
	}
}

static void list_tables(struct sqlite_database *database)
{
	sqlite3_stmt *list;
	int status = sqlite3_prepare_v2(
		database->db, "SELECT type, name, rootpage FROM sqlite_master", -1, &list, NULL);
	while (status == SQLITE_OK || status == SQLITE_ROW) {
		status = sqlite3_step(list);
		const char *type = NULL, *name = NULL;
		if (status == SQLITE_ROW) {
			type = (const char *)sqlite3_column_text(list, 0);
			name = (const char *)sqlite3_column_text(list, 1);
		}
		if (type && name && database->table_count < TABLES_MAX)
			sqlite_database_add_name(database, type, name,
						 sqlite3_column_int64(list, 2));
	}
	if (status != SQLITE_DONE)
		sqlite_database_fail(database, status);
	sqlite3_finalize(list);
	mem_grow(database->used, database->used_cap, database->table_count + 1);
	memset(database->used, 0, (database->table_count + 1) * sizeof *database->used);
}

struct sqlite_database *sqlite_database_open(const char *path, struct profile *profile,
					     const struct progress *progress, struct error *error)
{
	sqlite3 *db = sqlite_open(path, error);
	if (!db)
		return NULL;
	struct sqlite_database *database = mem_zalloc(1, sizeof *database);
	database->db = db;
	database->profile = profile;
	database->progress = progress;
	database->failure = error;
	sqlite3_progress_handler(db, STEPS_A_CHECK, check_progress, database);
	if (sqlite_is_cut(path)) {
		profile->truncated = true;
		profile_damage(profile, "the file is truncated", "loaded up to there", UINT64_MAX);
	}
	list_tables(database);
	if (!database->failed)
		return database;
	sqlite_database_close(database);
	return NULL;
}

void sqlite_database_close(struct sqlite_database *database)
{
	if (!database)
		return;
	sqlite3_close(database->db);
	for (size_t i = 0; i < database->table_count; i++)
		mem_free(database->tables[i]);
	for (size_t i = 0; i < database->view_count; i++)
		mem_free(database->views[i]);
	mem_free_all(database->tables, database->views, database->used, database);
}

/* The revision of a table: "NAME" is 0, "NAME_V3" is 3, anything else -1. */
static long revision_of(const char *table, const char *name)
{
	size_t length = strlen(name);
	if (sqlite3_strnicmp(table, name, (int)length) != 0)
		return -1;
	if (!table[length])
		return 0;
	if (sqlite3_strnicmp(table + length, "_V", 2) != 0)
		return -1;
	char *end;
	long revision = strtol(table + length + 2, &end, 10);
	return end > table + length + 2 && !*end && revision > 0 ? revision : -1;
}

size_t sqlite_database_find(const struct sqlite_database *database, const char *name)
{
	size_t found = database->table_count;
	long best = 0;
	for (size_t i = 0; i < database->table_count; i++) {
		long revision = revision_of(database->tables[i], name);
		if (revision == 0)
			return i;
		if (revision > best) {
			best = revision;
			found = i;
		}
	}
	return found;
}

bool sqlite_database_has(const struct sqlite_database *database, const char *name)
{
	return sqlite_database_find(database, name) < database->table_count;
}

bool sqlite_database_has_view(const struct sqlite_database *database, const char *name)
{
	return any_of(i, database->view_count, revision_of(database->views[i], name) >= 0);
}

void sqlite_database_expect(struct sqlite_database *database, const char *name)
{
	size_t table = sqlite_database_find(database, name);
	if (table == database->table_count)
		return;
	sqlite3_stmt *statement = NULL;
	char *sql = sqlite3_mprintf("SELECT max(rowid) FROM \"%w\"", database->tables[table]);
	/* Uses the largest rowid as an estimate; tables without rowid count as 0. */
	if (sql && sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 0) > 0)
		database->rows_expected += (uint64_t)sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_free(sql);
}
