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
	GROWING(struct value, texts, count);
	uint32_t *slots; /* index + 1; 0: free */
	size_t mask;
};

void dictionary_grow(struct dictionary *dictionary);

static inline size_t dictionary_slot(const struct dictionary *dictionary, const struct value *text)
{
	uint64_t hash = ((uint64_t)(uintptr_t)text->text ^ text->length * 0xc2b2ae3d27d4eb4fu) *
			0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 24) & dictionary->mask;
	for (;; at = (at + 1) & dictionary->mask) {
		uint32_t number = dictionary->slots[at];
		if (!number || (dictionary->texts[number - 1].text == text->text &&
				dictionary->texts[number - 1].length == text->length))
			return at;
	}
}

static inline uint32_t dictionary_add(struct dictionary *dictionary, const struct value *text)
{
	if (dictionary->count * 2 >= dictionary->mask)
		dictionary_grow(dictionary);
	size_t at = dictionary_slot(dictionary, text);
	if (!dictionary->slots[at]) {
		*mem_push(dictionary->texts, dictionary->count) = *text;
		dictionary->slots[at] = (uint32_t)dictionary->count;
	}
	return dictionary->slots[at] - 1;
}

void dictionary_free(struct dictionary *dictionary);
