/*
 * SQLite databases that other tools left behind: opened so that nothing is written, locked or made
 * beside them, and nothing in them acts (no views, triggers, functions or extensions of theirs).
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_OPEN_H
#define STRATA_INPUT_SQLITE_SQLITE_OPEN_H

#include <sqlite3.h>

#include <stdbool.h>
#include <stdint.h>

struct error;
struct intern;

/*
 * NULL with ERROR_INPUT when it cannot be read as a database, or when a log beside it says that
 * what is in the file is not the whole truth.  Close with sqlite3_close.
 */
sqlite3 *sqlite_open(const char *path, struct error *error);

/* Is the file shorter than it says?  It opens all the same; what is missing then ends its table. */
bool sqlite_is_cut(const char *path);

/* Is there a table of this name that holds its own rows (no view, nothing virtual)? */
bool sqlite_has_table(sqlite3 *database, const char *table);
bool sqlite_has_column(sqlite3 *database, const char *table, const char *column);

/* NULL with ERROR_INPUT.  Finish with sqlite3_finalize. */
sqlite3_stmt *sqlite_prepare(sqlite3 *database, const char *sql, struct error *error);

/*
 * The next row.  *DONE at the end; false with ERROR_INPUT when the file is damaged.
 */
bool sqlite_next(sqlite3_stmt *statement, bool *done, struct error *error);

/* The text of a column of the row, interned; 0 for NULL. */
uint32_t sqlite_intern(sqlite3_stmt *statement, int column, struct intern *strings);

#endif
