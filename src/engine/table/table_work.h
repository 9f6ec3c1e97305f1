/*
 * Shared by sorting and searching of tables; private to them. A "place" is a position in the list
 * of rows being processed.
 */
#pragma once

#include "base/check.h"
#include "table/table.h"

struct table_work {
	const struct table *table;
	const uint32_t *rows; /* NULL: every row */
	size_t count;
	const struct progress *progress;
	struct error *error;
};

static inline uint32_t row_at(const struct table_work *work, size_t place)
{
	return work->rows ? work->rows[place] : (uint32_t)place;
}

/* View name, for assertion messages. */
const char *table_label(const struct table *table);

#define require_column(table, index)                                                               \
	require((size_t)(index) < (table)->columns, "view %s: %zu columns, no column %lld",        \
		table_label(table), (table)->columns, (long long)(index))

#define NO_PLACE UINT32_MAX

/*
 * Parent place of each place: the nearest preceding one of smaller depth, or NO_PLACE. NULL when
 * cancelled.
 */
uint32_t *table_find_parents(const struct table_work *work);

/* Numbers repeated texts, by address and length. */
struct dictionary {
	GROWING(struct value, texts, count, capacity);
	uint32_t *slots; /* index + 1; 0: free */
	size_t mask;
};

uint32_t dictionary_add(struct dictionary *dictionary, struct value text);
void dictionary_free(struct dictionary *dictionary);
