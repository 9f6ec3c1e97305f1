/*
 * Reads the rows of a table from the pages of the file, several times as fast as SQLite steps
 * through a statement. Whatever is unusual (computed columns, damage, a format of later versions)
 * is left to SQLite: the reader stops before the row in question and yields nothing SQLite would
 * not.
 *
 * The file must not change meanwhile: it is opened as immutable (sqlite_database.c). Format:
 * "Database File Format" of SQLite's documentation.
 */
#pragma once

#include "base/mem.h"

#include <sqlite3.h>

struct sqlite_ahead;
struct sqlite_pages;

/* NULL when the table must be left to SQLite, also when it is small. */
struct sqlite_pages *sqlite_pages_open(sqlite3 *db, const char *table);
void sqlite_pages_close(struct sqlite_pages *pages); /* NULL is fine */

/*
 * Name the next column to read, as known to exist; IS_TEXT: its values are asked for as text. False
 * when the table must be left to SQLite. Columns are then numbered in this order.
 */
bool sqlite_pages_want(struct sqlite_pages *pages, const char *column, bool is_text);

/* A value: TYPE as sqlite3_value_type; NULL has the integer NO_VALUE. */
struct page_cell {
	union {
		int64_t integer;
		double real;
		size_t place; /* of a text, terminated, or a blob among the bytes of the batch */
	} value;
	uint32_t length; /* of a text or a blob */
	int type;
};

enum pages_status {
	PAGES_ROW,
	PAGES_END,
	PAGES_LEFT, /* this row and those after it must be read by SQLite */
};

/* Rows that follow each other: the values of one, in the order of the columns, then of the next. */
struct page_batch {
	struct page_cell *cells;
	size_t rows;
	enum pages_status next; /* after these rows; PAGES_ROW: there are more, perhaps */
	GROWING(char, bytes, bytes_count);
};

/* Read the next rows, in place of those in BATCH (zeroed at first), which may be none. */
void sqlite_pages_read(struct sqlite_pages *pages, struct page_batch *batch);
void page_batch_clear(struct page_batch *batch);

/* ---- reading ahead ---- */

/* Owns PAGES, of which all columns are named. LIST: all that are open; it must outlive them. */
struct sqlite_ahead *sqlite_ahead_new(struct sqlite_pages *pages, struct sqlite_ahead **list);
void sqlite_ahead_free(struct sqlite_ahead *ahead); /* NULL is fine */
void sqlite_ahead_free_all(struct sqlite_ahead **list);

/* The next rows, valid until the next call; none after a batch that PAGES_ROW does not follow. */
const struct page_batch *sqlite_ahead_next(struct sqlite_ahead *ahead);
