/*
 * What rows of a file refer to by ids: an array of items and their ids. Ids are as in the file;
 * NO_VALUE is none.
 */
#pragma once

#include "base/hash.h"
#include "model/profile.h"

/* The first value of an id in a map, or NO_ROW. MAP may be NULL. */
static inline uint32_t id_find(const struct hash *map, int64_t id)
{
	return !map || id == NO_VALUE ? NO_ROW : hash_first(map, (uint64_t)id);
}

static inline void id_add(struct hash *map, int64_t id, uint32_t value)
{
	if (id != NO_VALUE)
		hash_add(map, (uint64_t)id, value);
}

/* The interned string of an id, 0 for none. An id that is missing counts as damage. */
uint32_t id_string(struct profile *profile, const struct hash *strings, int64_t id);

/* Items of one type. Zeros are an empty table. */
struct id_table {
	struct hash *places; /* id → index */
	void *items;
	size_t count, size;
};

/*
 * A new item of SIZE bytes, zeroed; without an id it is only in the array. Of equal ids the first
 * counts. The item stays in place until the next is added.
 */
void *id_table_add(struct id_table *table, size_t size, int64_t id);
/* The item of an id, or NULL. */
void *id_table_find(const struct id_table *table, int64_t id);
void id_table_clear(struct id_table *table);
