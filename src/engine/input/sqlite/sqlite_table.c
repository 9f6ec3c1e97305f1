#include "input/sqlite/sqlite_table.h"

#include "base/buffer.h"
#include "base/check.h"
#include "base/hash.h"
#include "input/sqlite/sqlite_pages.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
	/* limit of what a generated column yields beyond what is stored */
	TEXT_FACTOR = 16,    /* bytes of text read from a table, by byte of its file, */
	TEXT_MIN = 16 << 20, /* but at least these */
};

struct sqlite_rows {
	struct sqlite_database *database;
	sqlite3_stmt *statement;
	struct sqlite_ahead
		*ahead; /* rows read from pages; NULL: SQLite steps through the statement */
	const struct page_batch *batch; /* of them, */
	size_t row;                     /* the one after the current in it, */
	const struct page_cell *cells;  /* and the values of the current; NULL: of the statement */
	size_t cells_a_row;
	uint64_t paged;      /* rows read from pages */
	struct buffer *text; /* by column: a number as text */
	size_t count;        /* of columns */
	int *place;          /* by requested column: position in the statement, -1 when missing */
	uint64_t text_max;   /* bytes of text and blobs to read at most */
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

/* The first of the alternatives ("a|b!") that exists, in NAME; false when none does. */
static bool find_column(const struct sqlite_database *database, const char *table,
			const char *alternatives, struct buffer *name)
{
	for (;;) {
		size_t length = strcspn(alternatives, "|:! ");
		buffer_clear(name);
		buffer_add(name, alternatives, length);
		if (sqlite3_table_column_metadata(database->db, "main", table, buffer_text(name),
						  NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
			return true;
		if (alternatives[length] != '|')
			return false;
		alternatives += length + 1;
	}
}

/* Name the columns to read from pages; else the statement reads them. */
static void want_column(struct sqlite_pages **pages, const char *name, bool is_text)
{
	if (*pages && !sqlite_pages_want(*pages, name, is_text)) {
		sqlite_pages_close(*pages);
		*pages = NULL;
	}
}

/* Move from one word of a list to the next; false at the end. */
static bool next_word(const char **list, size_t *length)
{
	*list += *length;
	*list += strspn(*list, " ");
	*length = strcspn(*list, " ");
	return *length > 0;
}

/* SELECT the existing columns. False when a needed one is missing. */
static bool choose_columns(struct sqlite_rows *rows, const char *table, const char *columns,
			   struct buffer *sql)
{
	struct sqlite_database *database = rows->database;
	struct sqlite_pages *pages =
		database->no_pages ? NULL : sqlite_pages_open(database->db, table);
	AUTO_BUFFER struct buffer name = { 0 };
	bool whole = true;
	int chosen = 0;
	size_t length = 0;
	buffer_puts(sql, "SELECT ");
	for (size_t i = 0; next_word(&columns, &length); i++) {
		bool found = find_column(database, table, columns, &name);
		rows->place[i] = found ? chosen++ : -1;
		whole &= found || columns[length - 1] != '!';
		if (!found)
			continue;
		if (chosen > 1)
			buffer_puts(sql, ", ");
		add_identifier(sql, buffer_text(&name));
		want_column(&pages, buffer_text(&name), memchr(columns, ':', length));
	}
	buffer_puts(sql, " FROM ");
	add_identifier(sql, table);
	buffer_puts(sql, " NOT INDEXED"); /* a corrupt index may contradict its table */
	rows->cells_a_row = (size_t)chosen;
	if (pages)
		rows->ahead = sqlite_ahead_new(pages, &database->ahead);
	return whole && chosen;
}

struct sqlite_rows *sqlite_rows_open(struct sqlite_database *database, const char *name,
				     const char *columns, size_t count)
{
	const char *word = columns;
	size_t table = sqlite_database_find(database, name), words = 0, length = 0;
	while (next_word(&word, &length))
		words++;
	require(words == count, "%zu columns are named, %zu wanted: %s", words, count, columns);
	if (table == database->table_count && sqlite_database_has_view(database, name))
		profile_damage(database->profile, "view in place of a table", "not loaded",
			       UINT64_MAX);
	if (table == database->table_count || database->failed)
		return NULL;
	struct sqlite_rows *rows = mem_zalloc(1, sizeof *rows);
	AUTO_BUFFER struct buffer sql = { 0 };
	rows->database = database;
	rows->count = count;
	database->text = 0;
	rows->text_max = TEXT_MIN + TEXT_FACTOR * database->profile->file_bytes;
	rows->place = mem_alloc(count * sizeof *rows->place);
	database->used[table] = true;
	rows->text = mem_zalloc(count, sizeof *rows->text);
	bool whole = choose_columns(rows, database->tables[table], columns, &sql);
	if (!whole)
		profile_damage(database->profile, "table lacks a required column", "not loaded",
			       UINT64_MAX);
	else if (sqlite3_prepare_v2(database->db, buffer_text(&sql), -1, &rows->statement, NULL))
		sqlite_database_fail(database, sqlite3_errcode(database->db));
	return keep_if(rows->statement, rows, sqlite_rows_close);
}

void sqlite_rows_close(struct sqlite_rows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->statement);
	sqlite_ahead_free(rows->ahead);
	for (size_t i = 0; i < rows->count; i++)
		buffer_free(&rows->text[i]);
	mem_free_all(rows->text, rows->place, rows);
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

static bool sqlite_table_step(struct sqlite_rows *rows)
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

/* Leave the rows after those read from pages to the statement. */
static bool leave_pages(struct sqlite_rows *rows)
{
	sqlite_ahead_free(rows->ahead);
	rows->ahead = NULL;
	rows->cells = NULL;
	rows->database->rows_read -= rows->paged;
	for (uint64_t i = 0; i < rows->paged; i++)
		if (!sqlite_table_step(rows))
			return false;
	return sqlite_table_step(rows);
}

static bool next_of_pages(struct sqlite_rows *rows)
{
	while (!rows->batch || rows->row == rows->batch->rows) {
		enum pages_status next = rows->batch ? rows->batch->next : PAGES_ROW;
		if (next != PAGES_ROW)
			return next == PAGES_LEFT && leave_pages(rows);
		rows->batch = sqlite_ahead_next(rows->ahead);
		rows->row = 0;
		sqlite_database_report(rows->database);
		if (rows->database->failed)
			return false;
	}
	rows->cells = rows->batch->cells + rows->row++ * rows->cells_a_row;
	rows->paged++;
	rows->database->rows_read++;
	return true;
}

static bool sqlite_table_next(struct sqlite_rows *rows)
{
	if (!rows || rows->database->failed)
		return false;
	if (rows->database->text > rows->text_max) {
		note_damage(rows, "table whose values are larger than the file");
		return false;
	}
	return rows->ahead ? next_of_pages(rows) : sqlite_table_step(rows);
}

bool sqlite_rows_next(struct sqlite_rows **rows)
{
	if (sqlite_table_next(*rows))
		return true;
	sqlite_rows_close(*rows);
	*rows = NULL;
	return false;
}

/* A value of the current row; of texts and blobs only the type and where they are. */
struct sqlite_table_cell {
	struct page_cell value;
	sqlite3_value *handle; /* NULL: in the batch */
};

/*
 * Type and content of a value of a statement are asked for without the locks and checks that each
 * call by column takes; one thread uses the connection.
 */
static struct sqlite_table_cell cell_at(const struct sqlite_rows *rows, size_t column)
{
	int place = rows->place[column];
	struct sqlite_table_cell cell = { .value.type = SQLITE_NULL };
	if (place < 0)
		return cell;
	if (rows->cells)
		return (struct sqlite_table_cell){ .value = rows->cells[place] };
	cell.handle = sqlite3_column_value(rows->statement, place);
	cell.value.type = sqlite3_value_type(cell.handle);
	if (cell.value.type == SQLITE_INTEGER)
		cell.value.value.integer = sqlite3_value_int64(cell.handle);
	else if (cell.value.type == SQLITE_FLOAT)
		cell.value.value.real = sqlite3_value_double(cell.handle);
	return cell;
}

/* A REAL with an integral value, as data frames store integer columns with NULLs. */
static bool sqlite_table_is_whole(double real)
{
	double max = (double)(INT64_C(1) << 53);
	return real >= -max && real <= max && real == trunc(real);
}

/* Is a value acceptable as WANTED? */
static bool serves_as(const struct page_cell *value, int wanted)
{
	if (wanted == SQLITE_INTEGER && value->type == SQLITE_FLOAT)
		return sqlite_table_is_whole(value->value.real);
	if (wanted == SQLITE_FLOAT || wanted == SQLITE_TEXT)
		return value->type == wanted || value->type == SQLITE_INTEGER ||
		       value->type == SQLITE_FLOAT;
	return value->type == wanted;
}

/* The acceptable value of a column, else of type NULL. One of another type counts as damage. */
static struct sqlite_table_cell sqlite_table_value_of(const struct sqlite_rows *rows, size_t column,
						      int type)
{
	struct sqlite_table_cell cell = cell_at(rows, column);
	if (cell.value.type == SQLITE_NULL || serves_as(&cell.value, type))
		return cell;
	profile_damage(rows->database->profile, "value of the wrong type", "treated as missing",
		       UINT64_MAX);
	cell.value.type = SQLITE_NULL;
	return cell;
}

int64_t sqlite_int(const struct sqlite_rows *rows, size_t column)
{
	int place = rows->place[column];
	if (place < 0)
		return NO_VALUE;
	const struct page_cell *cell = rows->cells ? rows->cells + place : NULL;
	if (cell && (cell->type == SQLITE_INTEGER || cell->type == SQLITE_NULL))
		return cell->value.integer;
	struct page_cell value = sqlite_table_value_of(rows, column, SQLITE_INTEGER).value;
	return value.type == SQLITE_NULL    ? NO_VALUE
	       : value.type == SQLITE_FLOAT ? (int64_t)value.value.real
					    : value.value.integer;
}

double sqlite_real(const struct sqlite_rows *rows, size_t column)
{
	if (rows->place[column] < 0)
		return NAN;
	struct page_cell value = sqlite_table_value_of(rows, column, SQLITE_FLOAT).value;
	return value.type == SQLITE_NULL      ? NAN
	       : value.type == SQLITE_INTEGER ? (double)value.value.integer
					      : value.value.real;
}

/* Print a number as SQLite does. */
static void print_number(struct buffer *text, const struct page_cell *number)
{
	char real[32];
	buffer_clear(text);
	if (number->type == SQLITE_INTEGER)
		buffer_printf(text, "%" PRId64, number->value.integer);
	else
		buffer_puts(text,
			    sqlite3_snprintf(sizeof real, real, "%!.15g", number->value.real));
}

/* Of a text, or of a BLOB. */
static const void *sqlite_bytes_of(const struct sqlite_rows *rows, size_t column, bool blob,
				   size_t *length)
{
	*length = 0;
	if (rows->place[column] < 0)
		return NULL;
	struct sqlite_table_cell cell =
		sqlite_table_value_of(rows, column, blob ? SQLITE_BLOB : SQLITE_TEXT);
	const void *bytes = NULL;
	if (cell.value.type == SQLITE_NULL)
		return NULL;
	if (cell.handle) {
		bytes = blob ? sqlite3_value_blob(cell.handle) : sqlite3_value_text(cell.handle);
		*length = bytes ? (size_t)sqlite3_value_bytes(cell.handle) : 0;
	} else if (!blob && cell.value.type != SQLITE_TEXT) {
		print_number(&rows->text[column], &cell.value);
		bytes = buffer_text(&rows->text[column]);
		*length = rows->text[column].length;
	} else if (!blob || cell.value.length) { /* without bytes it is NULL, as SQLite has it */
		bytes = rows->batch->bytes + cell.value.value.place;
		*length = cell.value.length;
	}
	rows->database->text += *length;
	return bytes;
}

const char *sqlite_text(const struct sqlite_rows *rows, size_t column, size_t *length)
{
	return sqlite_bytes_of(rows, column, false, length);
}

int64_t sqlite_text_int(const struct sqlite_rows *rows, size_t column)
{
	size_t length;
	char *end;
	const char *text = sqlite_text(rows, column, &length);
	long long number = text ? strtoll(text, &end, 10) : 0;
	return text && length && !*end ? number : NO_VALUE;
}

uint32_t sqlite_intern(const struct sqlite_rows *rows, size_t column)
{
	size_t length;
	const char *text = sqlite_text(rows, column, &length);
	return text ? intern_add(rows->database->profile->strings, text, length) : 0;
}

bool sqlite_is_blob(const struct sqlite_rows *rows, size_t column)
{
	return cell_at(rows, column).value.type == SQLITE_BLOB;
}

const void *sqlite_blob(const struct sqlite_rows *rows, size_t column, size_t *length)
{
	return sqlite_bytes_of(rows, column, true, length);
}

struct hash *sqlite_strings(struct sqlite_database *database, const char *name, const char *columns)
{
	enum { ID, TEXT, COLUMNS };
	struct sqlite_rows *rows = sqlite_rows_open(database, name, columns, COLUMNS);
	struct hash *strings = rows ? hash_new(1024) : NULL;
	while (sqlite_rows_next(&rows)) {
		size_t length;
		int64_t id = sqlite_int(rows, ID);
		const char *text = sqlite_text(rows, TEXT, &length);
		if (id != NO_VALUE && text)
			hash_add(strings, (uint64_t)id,
				 intern_add(database->profile->strings, text, length));
	}
	return strings;
}
