#include "input/sqlite/sqlite_database.h"

#include "base/any_of.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/text_slice.h"
#include "input/sqlite/sqlite_memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/*
 * ---- opening ----
 *
 * Untrusted databases are opened read-only, without locks, journals, views, triggers, functions or
 * extensions of the file.
 */

enum {
	CELL_MAX = 64 << 20, /* limit: bytes of a database cell; reading its table ends there */
	CELL_MIN = 1 << 20,  /* from here on, also at a cell that is larger than its file */
};

/* Make a "file:" URI of PATH without locking and journals. */
static void make_address(struct buffer *address, const char *path)
{
	buffer_puts(address, *path == '/' ? "file://" : "file:");
	for (const char *at = path; *at; at++) {
		unsigned char c = (unsigned char)*at;
		if (isalnum(c) || c == '/' || c == '.' || c == '_' || c == '-')
			buffer_putc(address, (char)c);
		else
			buffer_printf(address, "%%%02X", c);
	}
	buffer_puts(address, "?mode=ro&immutable=1");
}

/* Rows in a journal or WAL beside the file would be missed or half applied. */
static bool has_log(const char *path, const char *suffix)
{
	AUTO_BUFFER struct buffer log = { 0 };
	struct stat status;
	buffer_printf(&log, "%s%s", path, suffix);
	return stat(buffer_text(&log), &status) == 0 && status.st_size > 0;
}

static bool check_logs(const char *path, struct error *error)
{
	static const char *const suffixes[] = { "-wal", "-journal" };
	for (int i = 0; i < 2; i++)
		if (has_log(path, suffixes[i]))
			return error_input(
				error,
				"is incomplete (a %s file exists beside it); open it once with sqlite3 to complete it",
				suffixes[i]);
	return true;
}

/* Allow reads only, whatever the schema contains. */
static int authorize(void *context, int action, const char *a, const char *b, const char *c,
		     const char *d)
{
	return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION
		       ? SQLITE_OK
		       : SQLITE_DENY;
}

/*
 * Is the file shorter than its header says? It opens, but reading the affected tables ends early.
 */
static bool sqlite_is_cut(const char *path)
{
	unsigned char head[100];
	struct stat status;
	FILE *file = fopen(path, "rb");
	if (!file)
		return false;
	bool whole = fread(head, 1, sizeof head, file) == sizeof head &&
		     fstat(fileno(file), &status) == 0;
	fclose(file);
	if (!whole)
		return false;
	int64_t page = (int64_t)head[16] << 8 | head[17];
	int64_t pages = (int64_t)head[28] << 24 | (int64_t)head[29] << 16 | (int64_t)head[30] << 8 |
			head[31];
	return status.st_size < pages * (page == 1 ? 65536 : page);
}

/* A stored cell is no larger than its file; a computed one (a generated column) may be. */
static int longest_cell(const char *path)
{
	struct stat status;
	off_t size = stat(path, &status) == 0 ? status.st_size : CELL_MAX;
	return size < CELL_MIN ? CELL_MIN : size > CELL_MAX ? CELL_MAX : (int)size;
}

/*
 * SQLite opens a truncated file only with a writable schema, which defensive mode forbids;
 * the file is opened read-only in any case.
 */
static void restrict_database(sqlite3 *database, const char *path)
{
	bool cut = sqlite_is_cut(path);
	DATABASE_SETTINGS(sqlite3_db_config);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest_cell(path));
	sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY", NULL,
		     NULL, NULL);
	sqlite3_set_authorizer(database, authorize, NULL);
}

static bool damaged(sqlite3 *database, struct error *error)
{
	if (sqlite3_errcode(database) == SQLITE_NOTADB)
		return error_input(error,
				   "starts like an SQLite database but is encrypted or damaged");
	return error_input(error, "is a damaged SQLite database: %s", sqlite3_errmsg(database));
}

/* SQLite reads nothing before the first statement. */
static bool is_readable(sqlite3 *database, struct error *error)
{
	int result = sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
	return result == SQLITE_OK || damaged(database, error);
}

/*
 * NULL with ERROR_INPUT when it is unreadable as a database, or when a journal beside it means that
 * the file is inconsistent. Close with sqlite3_close.
 */
static sqlite3 *sqlite_open(const char *path, struct error *error)
{
	if (!check_logs(path, error))
		return NULL;
	AUTO_BUFFER struct buffer address = { 0 };
	sqlite3 *database;
	sqlite_count_memory();
	make_address(&address, path);
	int result =
		sqlite3_open_v2(buffer_text(&address), &database,
				SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	if (result == SQLITE_OK) {
		restrict_database(database, path);
		if (is_readable(database, error))
			return database;
	} else {
		error_input(error, "cannot open as a database: %s", sqlite3_errstr(result));
	}
	sqlite3_close(database);
	return NULL;
}

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
	case SQLITE_INTERRUPT: error_cancelled(database->failure); return;
	case SQLITE_NOMEM: mem_failed(0, database->failure); return;
	default:
		error_input(database->failure, "is an SQLite database that cannot be read (%s)",
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
		*mem_push(database->views, database->view_count) = mem_strdup(name);
	} else if (strcmp(type, "table") == 0 && root > 0) { /* virtual tables have no root page */
		*mem_push(database->tables, database->table_count) = mem_strdup(name);
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
	mem_grow(database->used, database->table_count + 1);
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
	return keep_if(!database->failed, database, sqlite_database_close);
}

void sqlite_database_close(struct sqlite_database *database)
{
	if (!database)
		return;
	sqlite3_close(database->db);
	mem_free_each(database->tables, database->table_count);
	mem_free_each(database->views, database->view_count);
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

static void expect_rows(struct sqlite_database *database, const char *name)
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

void sqlite_database_expect(struct sqlite_database *database, const char *names, const char *suffix)
{
	char name[128];
	for (struct text_slice item; text_next_item(&names, &item);) {
		snprintf(name, sizeof name, "%.*s%s", (int)item.length, item.text, suffix);
		expect_rows(database, name);
	}
}
