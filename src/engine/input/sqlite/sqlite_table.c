#include "input/sqlite/sqlite_table.h"

#include "base/buffer.h"
#include "input/sqlite/sqlite_pages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	/* limit of what a generated column yields beyond what is stored */
	TEXT_FACTOR = 16,    /* bytes of text read from a table, by byte of its file, */
	TEXT_MIN = 16 << 20, /* but at least these */

	ROWS_A_REPORT = 2048, /* read from pages between reports of progress */
};

struct sqlite_rows {
	struct sqlite_database *database;
	sqlite3_stmt *statement;
	struct sqlite_pages *pages; /* NULL: SQLite steps through the statement */
	uint64_t paged;             /* rows read from pages */
	struct buffer *text;        /* by column: a text read from pages */
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

/* Name the columns to read from pages; else the statement reads them. */
static void want_column(struct sqlite_rows *rows, const char *name, bool is_text)
{
	if (rows->pages && !sqlite_pages_want(rows->pages, name, is_text)) {
		sqlite_pages_close(rows->pages);
		rows->pages = NULL;
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
		want_column(rows, buffer_text(&name), rows->columns[i].kind == COLUMN_TEXT);
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
	rows->text = mem_zalloc(count, sizeof *rows->text);
	if (!database->no_pages)
		rows->pages = sqlite_pages_open(database->db, database->tables[table]);
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
	sqlite_pages_close(rows->pages);
	for (size_t i = 0; i < rows->count; i++)
		buffer_free(&rows->text[i]);
	mem_free(rows->text);
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

static bool step(struct sqlite_rows *rows)
{
	int status = sqlite3_step(rows->statement);
	if (status == SQLITE_ROW) {
		rows->database->rows_read++;
		return true;
	}
	if (status != SQLITE_DONE)
		end_early(rows, status);
	return false;
}

/* The next row of the pages; the statement is after those read when the rest is left to it. */
static enum pages_status next_of_pages(struct sqlite_rows *rows)
{
	enum pages_status found = sqlite_pages_next(rows->pages);
	if (found == PAGES_ROW) {
		rows->database->rows_read++;
		if (++rows->paged % ROWS_A_REPORT == 0)
			sqlite_database_report(rows->database);
		return rows->database->failed ? PAGES_END : PAGES_ROW;
	}
	if (found == PAGES_END)
		return found;
	sqlite_pages_close(rows->pages);
	rows->pages = NULL;
	rows->database->rows_read -= rows->paged;
	for (uint64_t i = 0; i < rows->paged; i++)
		if (!step(rows))
			return PAGES_END;
	return PAGES_LEFT;
}

bool sqlite_rows_next(struct sqlite_rows *rows)
{
	if (!rows || rows->database->failed)
		return false;
	if (rows->database->text > rows->text_max) {
		note_damage(rows, "table whose values are larger than the file");
		return false;
	}
	if (rows->pages) {
		enum pages_status found = next_of_pages(rows);
		if (found != PAGES_LEFT)
			return found == PAGES_ROW;
	}
	return step(rows);
}

/* A value of the current row; of texts and blobs of a statement only the type and the handle. */
struct cell {
	struct page_value value;
	sqlite3_value *handle; /* NULL: all is in VALUE */
};

/*
 * Type and content of a value of a statement are asked for without the locks and checks that each
 * call by column takes; one thread uses the connection.
 */
static struct cell cell_at(const struct sqlite_rows *rows, size_t column)
{
	int place = rows->place[column];
	struct cell cell = { .value.type = SQLITE_NULL };
	if (place < 0)
		return cell;
	if (rows->pages)
		return (struct cell){ .value = sqlite_pages_value(rows->pages, (size_t)place) };
	cell.handle = sqlite3_column_value(rows->statement, place);
	cell.value.type = sqlite3_value_type(cell.handle);
	if (cell.value.type == SQLITE_INTEGER)
		cell.value.integer = sqlite3_value_int64(cell.handle);
	else if (cell.value.type == SQLITE_FLOAT)
		cell.value.real = sqlite3_value_double(cell.handle);
	return cell;
}

/* A REAL with an integral value, as data frames store integer columns with NULLs. */
static bool is_whole(double real)
{
	double max = (double)(INT64_C(1) << 53);
	return real >= -max && real <= max && real == trunc(real);
}

/* Is a value acceptable as WANTED? */
static bool serves_as(const struct page_value *value, int wanted)
{
	if (wanted == SQLITE_INTEGER && value->type == SQLITE_FLOAT)
		return is_whole(value->real);
	if (wanted == SQLITE_FLOAT || wanted == SQLITE_TEXT)
		return value->type == wanted || value->type == SQLITE_INTEGER ||
		       value->type == SQLITE_FLOAT;
	return value->type == wanted;
}

/* The acceptable value of a column, else of type NULL. One of another type counts as damage. */
static struct cell value_of(const struct sqlite_rows *rows, size_t column, int type)
{
	struct cell cell = cell_at(rows, column);
	if (cell.value.type == SQLITE_NULL || serves_as(&cell.value, type))
		return cell;
	profile_damage(rows->database->profile, "value of the wrong type", "treated as missing",
		       UINT64_MAX);
	cell.value.type = SQLITE_NULL;
	return cell;
}

int64_t sqlite_int(const struct sqlite_rows *rows, size_t column)
{
	int64_t integer;
	int place = rows->place[column];
	if (place < 0)
		return NO_VALUE;
	if (rows->pages && sqlite_pages_integer(rows->pages, (size_t)place, NO_VALUE, &integer))
		return integer;
	struct page_value value = value_of(rows, column, SQLITE_INTEGER).value;
	return value.type == SQLITE_NULL    ? NO_VALUE
	       : value.type == SQLITE_FLOAT ? (int64_t)value.real
					    : value.integer;
}

double sqlite_real(const struct sqlite_rows *rows, size_t column)
{
	struct page_value value = value_of(rows, column, SQLITE_FLOAT).value;
	return value.type == SQLITE_NULL      ? NAN
	       : value.type == SQLITE_INTEGER ? (double)value.integer
					      : value.real;
}

/* Terminate a text of a page, print a number as SQLite does. */
static const char *keep_text(struct buffer *text, const struct page_value *value)
{
	char number[32];
	buffer_clear(text);
	if (value->type == SQLITE_TEXT)
		buffer_add(text, (const char *)value->bytes, value->length);
	else if (value->type == SQLITE_INTEGER)
		buffer_printf(text, "%" PRId64, value->integer);
	else
		buffer_puts(text, sqlite3_snprintf(sizeof number, number, "%!.15g", value->real));
	return buffer_text(text);
}

const char *sqlite_text(const struct sqlite_rows *rows, size_t column, size_t *length)
{
	struct cell cell = value_of(rows, column, SQLITE_TEXT);
	const char *text = NULL;
	*length = 0;
	if (cell.value.type == SQLITE_NULL)
		return NULL;
	if (cell.handle) {
		text = (const char *)sqlite3_value_text(cell.handle);
		*length = text ? (size_t)sqlite3_value_bytes(cell.handle) : 0;
	} else {
		text = keep_text(&rows->text[column], &cell.value);
		*length = rows->text[column].length;
	}
	rows->database->text += *length;
	return text;
}

bool sqlite_is_blob(const struct sqlite_rows *rows, size_t column)
{
	return cell_at(rows, column).value.type == SQLITE_BLOB;
}

const void *sqlite_blob(const struct sqlite_rows *rows, size_t column, size_t *length)
{
	struct cell cell = value_of(rows, column, SQLITE_BLOB);
	const void *bytes = cell.value.bytes;
	*length = cell.value.length;
	if (cell.handle && cell.value.type == SQLITE_BLOB) {
		bytes = sqlite3_value_blob(cell.handle);
		*length = bytes ? (size_t)sqlite3_value_bytes(cell.handle) : 0;
	}
	if (cell.value.type == SQLITE_NULL)
		return *length = 0, NULL;
	rows->database->text += *length;
	return bytes;
}
