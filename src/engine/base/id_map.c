#include "base/id_map.h"

enum {
	PLACES_AN_ID = 12, /* at most: as many bytes as a hash table takes */
	PLACES_MIN = 256,
};

CLEAR_MEMBERS(id_map_clear, struct id_map, OWN(row) OWN_BY(hash_free, others))

void id_map_add(struct id_map *map, int64_t id, uint32_t row)
{
	map->count++;
	if (id_map_find(map, id) != UINT32_MAX)
		return;
	if (id < 0 || (uint64_t)id >= PLACES_MIN + PLACES_AN_ID * (uint64_t)map->count) {
		map->others = map->others ? map->others : hash_new(16);
		hash_add(map->others, (uint64_t)id, row);
		return;
	}
	size_t end = (size_t)id + 1;
	mem_grow_filled(map->row, end, 0xff);
	map->places = map->places > end ? map->places : end;
	map->row[id] = row;
}
