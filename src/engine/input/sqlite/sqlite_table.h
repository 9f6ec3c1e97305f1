/*
 * Iterates over a table by requested columns, of which some may be missing.
 */
#pragma once

#include "input/sqlite/sqlite_database.h"

struct sqlite_rows;

/*
 * Rows of table NAME. COLUMNS names COUNT columns, separated by blanks; values are asked for by
 * their places in it: "id! name|label:text". Alternatives stand between '|', best first; a column
 * whose values are asked for as text ends in ":text"; without a column that ends in '!' the table
 * is skipped and counted as damage. NULL when the table is missing, is a view or lacks a needed
 * column (counted as damage), or after a failure.
 */
struct sqlite_rows *sqlite_rows_open(struct sqlite_database *database, const char *name,
				     const char *columns, size_t count);
void sqlite_rows_close(struct sqlite_rows *rows); /* before the end; NULL is fine */

/* Advance. False at the end (NULL is at its end), where it closes *ROWS and sets it to NULL. */
bool sqlite_rows_next(struct sqlite_rows **rows);

/* A loop over rows that sqlite_rows_open opens: ROWS is the current one. It runs to the end. */
#define sqlite_each(rows, ...)                                                                     \
	for (struct sqlite_rows *rows = sqlite_rows_open(__VA_ARGS__); sqlite_rows_next(&(rows));)

/* Of a table "NAME(_) _($1, "$2")" of columns (tables.txt): their places, and COLUMNS. */
#define SQLITE_PLACE(place, column) place,
#define SQLITE_COLUMN(place, column) " " column

/*
 * Values of the current row. A missing or NULL column gives NO_VALUE, NaN or NULL; so does a value
 * of the wrong type, which counts as damage. Integral REALs are accepted as integers and any number
 * as text, because column affinity may have converted them (DLProf declares names as STRING, so a
 * name "15" is stored as 15). Text is NUL-terminated and valid until the next row.
 */
int64_t sqlite_int(const struct sqlite_rows *rows, size_t column);
double sqlite_real(const struct sqlite_rows *rows, size_t column);
const char *sqlite_text(const struct sqlite_rows *rows, size_t column, size_t *length);
int64_t sqlite_text_int(const struct sqlite_rows *rows, size_t column); /* the number it writes */
uint32_t sqlite_intern(const struct sqlite_rows *rows, size_t column);  /* the text; 0: none */
/* Is the value a blob? For columns that hold text or, in newer files, a binary form of it. */
bool sqlite_is_blob(const struct sqlite_rows *rows, size_t column);
const void *sqlite_blob(const struct sqlite_rows *rows, size_t column, size_t *length);

/*
 * The interned texts of table NAME by their ids, which COLUMNS names in this order; NULL without
 * the table. The caller frees it with hash_free.
 */
struct hash *sqlite_strings(struct sqlite_database *database, const char *name,
			    const char *columns);
