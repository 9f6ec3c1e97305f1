/*
 * Iterates over a table by requested columns, of which some may be missing.
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_TABLE_H
#define STRATA_INPUT_SQLITE_SQLITE_TABLE_H

#include "input/sqlite/sqlite_database.h"

enum sqlite_kind { COLUMN_INT, COLUMN_REAL, COLUMN_TEXT, COLUMN_BLOB };

struct sqlite_column {
	const char *name; /* alternatives separated by '|', best first */
	enum sqlite_kind kind;
	bool needed; /* without it the table is skipped and counted as damage */
};

struct sqlite_rows;

/*
 * Rows of table NAME; columns are named by index in COLUMNS (COUNT of them), which must outlive the
 * rows. NULL when the table is missing, is a view or lacks a needed column (counted as damage), or
 * after a failure.
 */
struct sqlite_rows *sqlite_rows_open(struct sqlite_database *database, const char *name,
				     const struct sqlite_column *columns, size_t count);
void sqlite_rows_close(struct sqlite_rows *rows); /* NULL is fine */

/* Advance; false at the end (NULL is at its end). */
bool sqlite_rows_next(struct sqlite_rows *rows);

/*
 * Values of the current row. A missing or NULL column gives NO_VALUE, NaN or NULL; so does a value
 * of the wrong type, which counts as damage. Integral REALs are accepted as integers and any number
 * as text, because column affinity may have converted them (DLProf declares names as STRING, so a
 * name "15" is stored as 15). Text is NUL-terminated and valid until the next row.
 */
int64_t sqlite_int(const struct sqlite_rows *rows, size_t column);
double sqlite_real(const struct sqlite_rows *rows, size_t column);
const char *sqlite_text(const struct sqlite_rows *rows, size_t column, size_t *length);
/* Is the value a blob? For columns that hold text or, in newer files, a binary form of it. */
bool sqlite_is_blob(const struct sqlite_rows *rows, size_t column);
const void *sqlite_blob(const struct sqlite_rows *rows, size_t column, size_t *length);

#endif
