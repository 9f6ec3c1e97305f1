/*
 * The tables that a query reads, and their rows in other orders: for lookups, ORDER BY and GROUP
 * BY. Each is made on first use and kept until the query ends.
 */
#pragma once

#include "table/view.h"

struct sql_source;

enum { ORDER_MAX = 6 }; /* columns rows are ordered by */

struct built {
	struct built *next;
	const struct view *view;
	const struct sql_fold *fold; /* whose groups the rows are; NULL: the view's */
	char *key;                   /* values of the hidden columns */
	struct table *table;
	struct row_order *orders;
	float *distinct; /* by column: estimated distinct values; 0: not estimated yet */
};

void built_free(struct built *built);

/* Rows sorted by COUNT columns, stably. */
struct row_order {
	struct row_order *next;
	size_t near; /* where the last lookup began */
	size_t count;
	struct sort_key key[ORDER_MAX];
	uint32_t *rows;
};

/* NULL with SOURCE's error when cancelled. */
struct row_order *built_order(struct sql_source *source, struct built *built,
			      const struct sort_key *keys, size_t count);

/*
 * The first position in an ascending order whose row is not less (AFTER: greater) in its first
 * columns than the COUNT values; missing cells are greater than all values. It is sought from
 * position NEAR on, ever farther.
 */
size_t row_order_bound(const struct built *built, const struct row_order *order,
		       const struct value *values, size_t count, bool after, size_t near);
/* The end of the rows that equal the COUNT values and whose next column is not missing. */
size_t row_order_end(const struct built *built, const struct row_order *order,
		     const struct value *values, size_t count);

/* Distinct values of a column, estimated from a sample; at least 1. */
double built_distinct(struct built *built, int column);
