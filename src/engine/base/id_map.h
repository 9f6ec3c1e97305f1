/*
 * Maps ids to rows while both are read: an array as long as ids are about as large as there are of
 * them, a hash table for the others. For ids known beforehand, and for several rows of an id, see
 * id_index.h.
 */
#pragma once

#include "base/hash.h"

struct id_map {
	GROWING(uint32_t, row, places); /* by id: its row; UINT32_MAX: none */
	size_t count;                   /* of ids added */
	struct hash *others;            /* ids without a place; NULL: none */
};

void id_map_clear(struct id_map *map);

/* The first row added under an id stays. ROW is not UINT32_MAX. */
void id_map_add(struct id_map *map, int64_t id, uint32_t row);

/* The row of an id, or UINT32_MAX. */
static inline uint32_t id_map_find(const struct id_map *map, int64_t id)
{
	if ((uint64_t)id < map->places && map->row[id] != UINT32_MAX)
		return map->row[id];
	return map->others ? hash_first(map->others, (uint64_t)id) : UINT32_MAX;
}
