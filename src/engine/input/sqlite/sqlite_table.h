/*
 * The rows of one table, by the columns that a reader asks for and the table happens to have.
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_TABLE_H
#define STRATA_INPUT_SQLITE_SQLITE_TABLE_H

#include "input/sqlite/sqlite_database.h"

enum sqlite_kind { COLUMN_INT, COLUMN_REAL, COLUMN_TEXT, COLUMN_BLOB };

struct sqlite_column {
	const char *name; /* alternatives by '|', best first */
	enum sqlite_kind kind;
	bool needed; /* without it the table is of no use: counted, not read */
};

struct sqlite_rows;

/*
 * The rows of table NAME.  NULL when there are none to read: the table is missing, is a view or
 * lacks a needed column (counted as damage), or reading has failed.  A column is named by its index
 * in COLUMNS (COUNT of them), which must outlive the rows.
 */
struct sqlite_rows *sqlite_rows_open(struct sqlite_database *database, const char *name,
				     const struct sqlite_column *columns, size_t count);
void sqlite_rows_close(struct sqlite_rows *rows); /* NULL is fine */

/* On to the next row; false at the end (NULL is at its end). */
bool sqlite_rows_next(struct sqlite_rows *rows);

bool sqlite_rows_have(const struct sqlite_rows *rows, size_t column);

/*
 * Values of the current row.  A column that is missing or NULL gives NO_VALUE, NaN or NULL; so does
 * a value of another type than its column's, which is counted as damage.  A whole number is an
 * integer also where it is kept as REAL, and any number is text: the affinity of a column may have
 * made it one (DLProf declares names as STRING, and a name "15" is then kept as 15).  Text ends in
 * a NUL and is valid until the next row.
 */
int64_t sqlite_int(const struct sqlite_rows *rows, size_t column);
double sqlite_real(const struct sqlite_rows *rows, size_t column);
const char *sqlite_text(const struct sqlite_rows *rows, size_t column, size_t *length);
const void *sqlite_blob(const struct sqlite_rows *rows, size_t column, size_t *length);

#endif
