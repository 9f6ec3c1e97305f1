/*
 * SQL aggregates that SQLite lacks: median(X) and stdev(X).
 */
#ifndef STRATA_SQL_AGGREGATES_H
#define STRATA_SQL_AGGREGATES_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * Define in DB the median (the mean of the middle two of an even count) and the standard deviation
 * of a sample (0 for one value). Both skip NULL and are NULL without values. False if SQLite
 * refuses.
 */
bool sql_register_aggregates(sqlite3 *db);

#endif
