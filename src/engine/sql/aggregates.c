#include "sql/sql_functions.h"

#include "base/compare.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* ---- median ---- */

struct median_values {
	double *value;
	size_t count, capacity;
};

static void median_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct median_values *values = sqlite3_aggregate_context(context, sizeof *values);
	if (!values || sqlite3_value_type(arguments[0]) == SQLITE_NULL)
		return;
	if (values->count == values->capacity) {
		size_t capacity = values->capacity ? 2 * values->capacity : 16;
		double *grown = sqlite3_realloc64(values->value, capacity * sizeof *grown);
		if (!grown) {
			sqlite3_result_error_nomem(context);
			return;
		}
		values->value = grown;
		values->capacity = capacity;
	}
	values->value[values->count++] = sqlite3_value_double(arguments[0]);
}

/* SQLite calls it after an error, too. */
static void median_final(sqlite3_context *context)
{
	struct median_values *values = sqlite3_aggregate_context(context, 0);
	if (!values || !values->count)
		return;
	const double *middle = values->value + values->count / 2;
	qsort(values->value, values->count, sizeof *values->value, compare_double);
	sqlite3_result_double(context, values->count % 2 ? *middle : (middle[-1] + *middle) / 2);
	sqlite3_free(values->value);
}

/* ---- standard deviation: Welford's sums, which lose no digits to cancellation ---- */

/* Packed: SQLite aligns the memory of an aggregate to 8 bytes, a long double wants 16. */
struct stdev_sums {
	int64_t count;
	long double mean, squares;
} __attribute__((packed, aligned(8)));

static void stdev_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct stdev_sums *sums = sqlite3_aggregate_context(context, sizeof *sums);
	if (!sums || sqlite3_value_type(arguments[0]) == SQLITE_NULL)
		return;
	long double value = (long double)sqlite3_value_double(arguments[0]);
	long double off = value - sums->mean;
	sums->mean += off / (long double)++sums->count;
	sums->squares += off * (value - sums->mean);
}

static void stdev_final(sqlite3_context *context)
{
	const struct stdev_sums *sums = sqlite3_aggregate_context(context, 0);
	if (!sums || !sums->count)
		return;
	long double others = (long double)(sums->count > 1 ? sums->count - 1 : 1);
	sqlite3_result_double(context, (double)sqrtl(sums->squares / others));
}

static bool aggregates_define(sqlite3 *db, const char *name,
			      void (*step)(sqlite3_context *, int, sqlite3_value **),
			      void (*final)(sqlite3_context *))
{
	int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	return sqlite3_create_function_v2(db, name, 1, flags, NULL, NULL, step, final, NULL) ==
	       SQLITE_OK;
}

bool sql_register_aggregates(sqlite3 *db)
{
	return aggregates_define(db, "median", median_step, median_final) &&
	       aggregates_define(db, "stdev", stdev_step, stdev_final);
}
