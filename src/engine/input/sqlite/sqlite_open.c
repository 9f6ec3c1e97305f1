#include "input/sqlite/sqlite_open.h"

#include "base/buffer.h"
#include "base/error.h"
#include "input/sqlite/sqlite_memory.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/stat.h>

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
			return error_set(
				error, ERROR_INPUT,
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

bool sqlite_is_cut(const char *path)
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
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, !cut, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, cut, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest_cell(path));
	sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY", NULL,
		     NULL, NULL);
	sqlite3_set_authorizer(database, authorize, NULL);
}

static bool damaged(sqlite3 *database, struct error *error)
{
	if (sqlite3_errcode(database) == SQLITE_NOTADB)
		return error_set(error, ERROR_INPUT,
				 "starts like an SQLite database but is encrypted or damaged");
	return error_set(error, ERROR_INPUT, "is a damaged SQLite database: %s",
			 sqlite3_errmsg(database));
}

/* SQLite reads nothing before the first statement. */
static bool is_readable(sqlite3 *database, struct error *error)
{
	int result = sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
	return result == SQLITE_OK || damaged(database, error);
}

sqlite3 *sqlite_open(const char *path, struct error *error)
{
	if (!check_logs(path, error))
		return NULL;
	struct buffer address = { 0 };
	sqlite3 *database;
	sqlite_count_memory();
	make_address(&address, path);
	int result =
		sqlite3_open_v2(buffer_text(&address), &database,
				SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	buffer_free(&address);
	if (result == SQLITE_OK) {
		restrict_database(database, path);
		if (is_readable(database, error))
			return database;
	} else {
		error_set(error, ERROR_INPUT, "cannot open as a database: %s",
			  sqlite3_errstr(result));
	}
	sqlite3_close(database);
	return NULL;
}
