/*
 * What strata adds to SQL: the aggregates median(X) and stdev(X), and the operator REGEXP with the
 * engine's regular expressions and their limits.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

struct error;

/*
 * Define in DB the median (the mean of the middle two of an even count) and the standard deviation
 * of a sample (0 for one value). Both skip NULL and are NULL without values. False if SQLite
 * refuses.
 */
bool sql_register_aggregates(sqlite3 *db);

/*
 * Define "TEXT REGEXP PATTERN" in DB: true if PATTERN matches anywhere in TEXT, NULL if one of them
 * is NULL. ERROR receives why an expression was refused or gave up; it must outlive DB. False if
 * SQLite refuses.
 */
bool sql_register_regexp(sqlite3 *db, struct error *error);
