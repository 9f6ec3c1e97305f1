#include "base/id_index.h"

#include "base/hash.h"

struct id_index {
	int64_t least;
	uint64_t places;
	uint32_t *row;  /* by id: its first row; UINT32_MAX: none */
	uint32_t space; /* of the array; ids of other spaces are in the hash table */
	struct hash *others;
	size_t other_count;
};

/* Places an id at most: as many bytes as a hash table takes. */
enum { PLACES_AN_ID = 12 };

struct id_index *id_index_new(int64_t least, int64_t max, size_t count)
{
	struct id_index *index = mem_zalloc(1, sizeof *index);
	uint64_t range = (uint64_t)max - (uint64_t)least;
	index->least = least;
	index->space = UINT32_MAX;
	if (max >= least && range < (uint64_t)count * PLACES_AN_ID) {
		index->places = range + 1;
		index->row = mem_no_rows((size_t)index->places);
	}
	index->others = hash_new(index->places ? 16 : count);
	return index;
}

FREE_OBJECT(id_index_free, struct id_index, OWN_BY(hash_free, others) OWN(row))

/* The place of an id in the array; NULL: it is in the hash table. */
static uint32_t *find_place(const struct id_index *index, uint32_t space, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)index->least;
	return at < index->places && space == index->space ? &index->row[at] : NULL;
}

void id_index_add(struct id_index *index, uint32_t space, int64_t id, uint32_t row)
{
	if (index->space == UINT32_MAX)
		index->space = space;
	uint32_t *place = find_place(index, space, id);
	if (place && *place == UINT32_MAX) {
		*place = row;
		return;
	}
	hash_add(index->others, hash_pair(space, (uint64_t)id), row);
	index->other_count++;
}

/* Next stage of a walk. */
enum { IN_OTHERS, AT_OTHERS, AT_END };

uint32_t id_index_next(const struct id_index *index, struct id_walk *walk)
{
	uint32_t row = UINT32_MAX;
	if (walk->stage == AT_OTHERS)
		row = hash_find(index->others, walk->key, &walk->cursor);
	else if (walk->stage == IN_OTHERS)
		row = hash_next(index->others, &walk->cursor);
	walk->stage = row == UINT32_MAX ? AT_END : IN_OTHERS;
	return row;
}

uint32_t id_index_first(const struct id_index *index, uint32_t space, int64_t id,
			struct id_walk *walk)
{
	const uint32_t *place = find_place(index, space, id);
	/* Without a hash table an id missing from the array does not exist. */
	walk->stage = index->other_count ? AT_OTHERS : AT_END;
	if (walk->stage == AT_OTHERS)
		walk->key = hash_pair(space, (uint64_t)id);
	return place ? *place : id_index_next(index, walk);
}
