/*
 * Reads the rows of a table from the pages of the file, several times as fast as SQLite steps
 * through a statement. Whatever is unusual (computed columns, damage, a format of later versions)
 * is left to SQLite: the reader stops before the row in question and yields nothing SQLite would
 * not.
 *
 * The file must not change meanwhile: it is opened as immutable (sqlite_open.h). Format: "Database
 * File Format" of SQLite's documentation.
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_PAGES_H
#define STRATA_INPUT_SQLITE_SQLITE_PAGES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite_pages;

/* NULL when the table must be left to SQLite, also when it is small. */
struct sqlite_pages *sqlite_pages_open(sqlite3 *db, const char *table);
void sqlite_pages_close(struct sqlite_pages *pages); /* NULL is fine */

/*
 * Name the next column to read, as known to exist; IS_TEXT: its values are asked for as text. False
 * when the table must be left to SQLite. Columns are then numbered in this order.
 */
bool sqlite_pages_want(struct sqlite_pages *pages, const char *column, bool is_text);

enum pages_status {
	PAGES_ROW,
	PAGES_END,
	PAGES_LEFT, /* this row and those after it must be read by SQLite */
};
enum pages_status sqlite_pages_next(struct sqlite_pages *pages);

/* A value of the row, valid until the next: TYPE as sqlite3_value_type. */
struct page_value {
	int type;
	int64_t integer;
	double real;
	const unsigned char *bytes; /* of text, not terminated, and of blobs */
	size_t length;
};
struct page_value sqlite_pages_value(const struct sqlite_pages *pages, size_t column);

/* Most values are integers, stored as such, or NULL, for which NULL is given; false for others. */
bool sqlite_pages_integer(const struct sqlite_pages *pages, size_t column, int64_t null,
			  int64_t *value);

#endif
