/*
 * Opens untrusted SQLite databases read-only, without locks, journals, views, triggers, functions
 * or extensions of the file.
 */
#ifndef STRATA_INPUT_SQLITE_SQLITE_OPEN_H
#define STRATA_INPUT_SQLITE_SQLITE_OPEN_H

#include <sqlite3.h>

#include <stdbool.h>
#include <stdint.h>

struct error;

/*
 * NULL with ERROR_INPUT when it is unreadable as a database, or when a journal beside it means that
 * the file is inconsistent. Close with sqlite3_close.
 */
sqlite3 *sqlite_open(const char *path, struct error *error);

/*
 * Is the file shorter than its header says? It opens, but reading the affected tables ends early.
 */
bool sqlite_is_cut(const char *path);

#endif
