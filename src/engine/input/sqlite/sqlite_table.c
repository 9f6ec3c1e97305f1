#include "input/sqlite/sqlite_table.h"

#include "base/buffer.h"

#include <math.h>
#include <string.h>

enum {
	/* limit of what a generated column yields beyond what is stored */
	TEXT_FACTOR = 16,    /* bytes of text read from a table, by byte of its file, */
	TEXT_MIN = 16 << 20, /* but at least these */
};

struct sqlite_rows {
	struct sqlite_database *database;
	sqlite3_stmt *statement;
	const struct sqlite_column *columns;
	size_t count;
	int *place;        /* by requested column: position in the statement, -1 when missing */
	uint64_t text_max; /* bytes of text and blobs to read at most */
};

/* ---- probing ---- */

static void add_identifier(struct buffer *sql, const char *name)
{
	buffer_putc(sql, '"');
	for (; *name; name++) {
		if (*name == '"')
			buffer_putc(sql, '"');
		buffer_putc(sql, *name);
	}
	buffer_putc(sql, '"');
}

/* The first of the alternatives ("a|b") that exists, in NAME; false when none does. */
static bool find_column(const struct sqlite_database *database, const char *table,
			const char *alternatives, struct buffer *name)
{
	for (;;) {
		size_t length = strcspn(alternatives, "|");
		buffer_clear(name);
		buffer_add(name, alternatives, length);
		if (sqlite3_table_column_metadata(database->db, "main", table, buffer_text(name),
						  NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
			return true;
		if (!alternatives[length])
			return false;
		alternatives += length + 1;
	}
}

/* SELECT the existing columns. False when a needed one is missing. */
static bool choose_columns(struct sqlite_rows *rows, const char *table, struct buffer *sql)
{
	struct buffer name = { 0 };
	bool whole = true;
	int chosen = 0;
	buffer_puts(sql, "SELECT ");
	for (size_t i = 0; i < rows->count; i++) {
		bool found = find_column(rows->database, table, rows->columns[i].name, &name);
		rows->place[i] = found ? chosen++ : -1;
		whole &= found || !rows->columns[i].needed;
		if (!found)
			continue;
		if (chosen > 1)
			buffer_puts(sql, ", ");
		add_identifier(sql, buffer_text(&name));
	}
	buffer_free(&name);
	buffer_puts(sql, " FROM ");
	add_identifier(sql, table);
	buffer_puts(sql, " NOT INDEXED"); /* a corrupt index may contradict its table */
	return whole && chosen;
}

struct sqlite_rows *sqlite_rows_open(struct sqlite_database *database, const char *name,
				     const struct sqlite_column *columns, size_t count)
{
	size_t table = sqlite_database_find(database, name);
	if (table == database->table_count && sqlite_database_has_view(database, name))
		profile_damage(database->profile, "view in place of a table", "not loaded",
			       UINT64_MAX);
	if (table == database->table_count || database->failed)
		return NULL;
	struct sqlite_rows *rows = mem_zalloc(1, sizeof *rows);
	struct buffer sql = { 0 };
	rows->database = database;
	rows->columns = columns;
	rows->count = count;
	database->text = 0;
	rows->text_max = TEXT_MIN + TEXT_FACTOR * database->profile->file_bytes;
	rows->place = mem_alloc(count * sizeof *rows->place);
	database->used[table] = true;
	bool whole = choose_columns(rows, database->tables[table], &sql);
	if (!whole)
		profile_damage(database->profile, "table lacks a required column", "not loaded",
			       UINT64_MAX);
	else if (sqlite3_prepare_v2(database->db, buffer_text(&sql), -1, &rows->statement, NULL))
		sqlite_database_fail(database, sqlite3_errcode(database->db));
	buffer_free(&sql);
	if (rows->statement)
		return rows;
	sqlite_rows_close(rows);
	return NULL;
}

void sqlite_rows_close(struct sqlite_rows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->statement);
	mem_free(rows->place);
	mem_free(rows);
}

/* ---- rows ---- */

static void note_damage(const struct sqlite_rows *rows, const char *cause)
{
	rows->database->profile->truncated = true;
	profile_damage(rows->database->profile, cause, "loaded up to there", UINT64_MAX);
}

/* A table with missing or broken pages is read as far as possible. */
static void end_early(struct sqlite_rows *rows, int status)
{
	switch (status & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_IOERR:
	case SQLITE_NOTADB: note_damage(rows, "table with damaged or missing pages"); break;
	case SQLITE_TOOBIG: note_damage(rows, "value larger than the file or 64 MiB"); break;
	default: sqlite_database_fail(rows->database, status);
	}
}

bool sqlite_rows_next(struct sqlite_rows *rows)
{
	if (!rows || rows->database->failed)
		return false;
	if (rows->database->text > rows->text_max) {
		note_damage(rows, "table whose values are larger than the file");
		return false;
	}
	int status = sqlite3_step(rows->statement);
	if (status == SQLITE_ROW) {
		rows->database->rows_read++;
		return true;
	}
	if (status != SQLITE_DONE)
		end_early(rows, status);
	return false;
}

/*
 * A value of the current row, NULL when the column is missing. Its type and content are then asked
 * for without the locks and checks that each call by column takes; one thread uses the connection.
 */
static sqlite3_value *value_at(const struct sqlite_rows *rows, size_t column)
{
	int place = rows->place[column];
	return place < 0 ? NULL : sqlite3_column_value(rows->statement, place);
}

/* A REAL with an integral value, as data frames store integer columns with NULLs. */
static bool is_whole(sqlite3_value *value)
{
	double max = (double)(INT64_C(1) << 53), real = sqlite3_value_double(value);
	return real >= -max && real <= max && real == trunc(real);
}

/* Is a value of type ACTUAL acceptable as WANTED? */
static bool serves_as(sqlite3_value *value, int actual, int wanted)
{
	if (wanted == SQLITE_INTEGER && actual == SQLITE_FLOAT)
		return is_whole(value);
	if (wanted == SQLITE_FLOAT || wanted == SQLITE_TEXT)
		return actual == wanted || actual == SQLITE_INTEGER || actual == SQLITE_FLOAT;
	return actual == wanted;
}

/* The acceptable value of a column, or NULL. One of another type is counted as damage. */
static sqlite3_value *value_of(const struct sqlite_rows *rows, size_t column, int type)
{
	sqlite3_value *value = value_at(rows, column);
	int actual = value ? sqlite3_value_type(value) : SQLITE_NULL;
	if (actual == SQLITE_NULL || serves_as(value, actual, type))
		return actual == SQLITE_NULL ? NULL : value;
	profile_damage(rows->database->profile, "value of the wrong type", "treated as missing",
		       UINT64_MAX);
	return NULL;
}

int64_t sqlite_int(const struct sqlite_rows *rows, size_t column)
{
	sqlite3_value *value = value_of(rows, column, SQLITE_INTEGER);
	return value ? sqlite3_value_int64(value) : NO_VALUE;
}

double sqlite_real(const struct sqlite_rows *rows, size_t column)
{
	sqlite3_value *value = value_of(rows, column, SQLITE_FLOAT);
	return value ? sqlite3_value_double(value) : NAN;
}

const char *sqlite_text(const struct sqlite_rows *rows, size_t column, size_t *length)
{
	sqlite3_value *value = value_of(rows, column, SQLITE_TEXT);
	const char *text = value ? (const char *)sqlite3_value_text(value) : NULL;
	*length = text ? (size_t)sqlite3_value_bytes(value) : 0;
	rows->database->text += *length;
	return text;
}

bool sqlite_is_blob(const struct sqlite_rows *rows, size_t column)
{
	sqlite3_value *value = value_at(rows, column);
	return value && sqlite3_value_type(value) == SQLITE_BLOB;
}

const void *sqlite_blob(const struct sqlite_rows *rows, size_t column, size_t *length)
{
	sqlite3_value *value = value_of(rows, column, SQLITE_BLOB);
	const void *bytes = value ? sqlite3_value_blob(value) : NULL;
	*length = bytes ? (size_t)sqlite3_value_bytes(value) : 0;
	rows->database->text += *length;
	return bytes;
}
