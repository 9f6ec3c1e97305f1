/*
 * What sorting and searching a table share.  Nobody else includes this.  "Place" is an index into
 * the list of rows that is worked on.
 */
#ifndef STRATA_TABLE_TABLE_WORK_H
#define STRATA_TABLE_TABLE_WORK_H

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

/* Name of the view, for messages about bugs. */
const char *table_label(const struct table *table);

#define require_column(table, index)                                                               \
	require((size_t)(index) < (table)->columns, "view %s: %zu columns, no column %lld",        \
		table_label(table), (table)->columns, (long long)(index))

#define NO_PLACE UINT32_MAX

/* The place of every place's parent: the nearest before it that is less deep; NO_PLACE.  NULL when
 * cancelled. */
uint32_t *table_find_parents(const struct table_work *work);

/* Texts that repeat: each distinct address and length gets a small number. */
struct dictionary {
	struct value *texts;
	size_t count, capacity;
	uint32_t *slots; /* number + 1; 0 is free */
	size_t mask;
};

uint32_t dictionary_add(struct dictionary *dictionary, struct value text);
void dictionary_free(struct dictionary *dictionary);

#endif
