/*
 * The SQL operator REGEXP: the engine's regular expressions, with their limits.
 */
#ifndef STRATA_SQL_REGEXP_H
#define STRATA_SQL_REGEXP_H

#include <sqlite3.h>
#include <stdbool.h>

struct error;

/*
 * Define "TEXT REGEXP PATTERN" in DB: true if PATTERN matches anywhere in TEXT, NULL if one of them
 * is NULL. ERROR receives why an expression was refused or gave up; it must outlive DB. False if
 * SQLite refuses.
 */
bool sql_register_regexp(sqlite3 *db, struct error *error);

#endif
