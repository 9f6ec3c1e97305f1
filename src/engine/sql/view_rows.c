#include "sql/view_rows.h"

#include "base/any_of.h"
#include "sql/virtual_tables.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 1024 }; /* rows looked at to estimate distinct values */

void built_free(struct built *built)
{
	for (struct row_order *order = built->orders, *next; order; order = next) {
		next = order->next;
		mem_free_all(order->rows, order);
	}
	table_free(built->table);
	mem_free_all(built->distinct, built->key, built);
}

/* True if SQL equality never holds for it. */
static bool equals_nothing(struct value value)
{
	return value.kind == VALUE_MISSING || (value.kind == VALUE_REAL && isnan(value.real));
}

/* ---- orders ---- */

static bool is_order(const struct row_order *order, const struct sort_key *keys, size_t count)
{
	return order->count == count &&
	       !any_of(i, count,
		       order->key[i].column != keys[i].column ||
			       order->key[i].descending != keys[i].descending ||
			       order->key[i].missing_first != keys[i].missing_first);
}

struct row_order *built_order(struct sql_source *source, struct built *built,
			      const struct sort_key *keys, size_t count)
{
	for (struct row_order *order = built->orders; order; order = order->next)
		if (is_order(order, keys, count))
			return order;
	struct table flat = *built->table; /* in SQL the rows of a tree are rows like others */
	size_t rows_count = 0;
	flat.is_tree = false;
	uint32_t *rows =
		table_sort(&flat, keys, count, NULL, &rows_count, source->progress, &source->error);
	if (!rows)
		return NULL;
	struct row_order *order = mem_zalloc(1, sizeof *order);
	*order = (struct row_order){ .next = built->orders, .count = count, .rows = rows };
	memcpy(order->key, keys, count * sizeof *keys);
	built->orders = order;
	return order;
}

static struct value cell_at(const struct built *built, const struct row_order *order, size_t at,
			    size_t key)
{
	return table_value(built->table, order->rows[at], (size_t)order->key[key].column);
}

static int compare_at(const struct built *built, const struct row_order *order, size_t at,
		      const struct value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct value value = cell_at(built, order, at, i);
		int result = equals_nothing(value) ? 1 : value_compare(value, values[i]);
		if (result)
			return result;
	}
	return 0;
}

size_t row_order_bound(const struct built *built, const struct row_order *order,
		       const struct value *values, size_t count, bool after, size_t near)
{
	size_t low = near, high = near, step = 1, rows = built->table->rows;
	for (; low && compare_at(built, order, low - 1, values, count) >= after; step *= 2) {
		high = low - 1;
		low = high > step ? high - step : 0;
	}
	for (; high < rows && compare_at(built, order, high, values, count) < after; step *= 2) {
		low = high + 1;
		high = rows - low > step ? low + step : rows;
	}
	return search_first(i, low, high, compare_at(built, order, i, values, count) >= after);
}

size_t row_order_end(const struct built *built, const struct row_order *order,
		     const struct value *values, size_t count)
{
	return search_first(i, (size_t)0, built->table->rows,
			    compare_at(built, order, i, values, count) >=
				    !equals_nothing(cell_at(built, order, i, count)));
}

/* ---- estimates ---- */

static int compare_values(const void *a, const void *b)
{
	return value_compare(*(const struct value *)a, *(const struct value *)b);
}

/*
 * Distinct values of ROWS rows by those of a sample: values seen once stand for others that were
 * not seen (the guaranteed-error estimator of Charikar et al., 2000), all different for a key.
 */
static double estimate(struct value *sample, size_t count, double rows)
{
	size_t distinct = 0, once = 0;
	qsort(sample, count, sizeof *sample, compare_values);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && !compare_values(&sample[first], &sample[end]);)
			end++;
		distinct++;
		once += end - first == 1;
	}
	if (once == count)
		return rows;
	return (double)(distinct - once) + sqrt(rows / (double)count) * (double)once;
}

double built_distinct(struct built *built, int column)
{
	const struct table *table = built->table;
	if (!table->rows)
		return 1;
	built->distinct = built->distinct ?: mem_zalloc(table->columns, sizeof *built->distinct);
	if (built->distinct[column] == 0) {
		struct value sample[SAMPLE];
		size_t count = table->rows < SAMPLE ? table->rows : SAMPLE;
		size_t alike = 0; /* rows that have the value of the one after them */
		for (size_t i = 0; i < count; i++) {
			size_t row = i * table->rows / count;
			sample[i] = table_value(table, row, (size_t)column);
			alike += row + 1 < table->rows &&
				 !value_compare(sample[i],
						table_value(table, row + 1, (size_t)column));
		}
		/* rows with one value may follow each other, as those of a step */
		double runs = (double)table->rows * (double)(count - alike) / (double)count;
		built->distinct[column] = (float)estimate(sample, count, runs < 1 ? 1 : runs);
	}
	return built->distinct[column] < 1 ? 1 : (double)built->distinct[column];
}
