#include "base/id_index.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

struct place {
	uint32_t row;   /* UINT32_MAX: free */
	uint32_t space; /* of the row; ids of other spaces are in the hash table */
};

struct id_index {
	int64_t least;
	uint64_t places;
	struct place *place;
	struct hash *others;
	size_t other_count;
};

struct id_index *id_index_new(int64_t least, int64_t max, size_t count)
{
	struct id_index *index = mem_zalloc(1, sizeof *index);
	uint64_t range = (uint64_t)max - (uint64_t)least;
	index->least = least;
	if (max >= least && range < (uint64_t)count * 4) {
		index->places = range + 1;
		index->place = mem_alloc((size_t)index->places * sizeof *index->place);
		memset(index->place, 0xff, (size_t)index->places * sizeof *index->place);
	}
	index->others = hash_new(index->places ? 16 : count);
	return index;
}

void id_index_free(struct id_index *index)
{
	if (!index)
		return;
	hash_free(index->others);
	mem_free(index->place);
	mem_free(index);
}

static struct place *find_place(const struct id_index *index, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)index->least;
	return at < index->places ? &index->place[at] : NULL;
}

void id_index_add(struct id_index *index, uint32_t space, int64_t id, uint32_t row)
{
	struct place *place = find_place(index, id);
	if (place && place->row == UINT32_MAX) {
		*place = (struct place){ .row = row, .space = space };
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
	const struct place *place = find_place(index, id);
	/* Without a hash table an id missing from the array does not exist. */
	walk->stage = index->other_count ? AT_OTHERS : AT_END;
	if (walk->stage == AT_OTHERS)
		walk->key = hash_pair(space, (uint64_t)id);
	if (place && place->row == UINT32_MAX)
		return UINT32_MAX;
	return place && place->space == space ? place->row : id_index_next(index, walk);
}

uint32_t id_index_find(const struct id_index *index, uint32_t space, int64_t id)
{
	struct id_walk walk;
	return id_index_first(index, space, id, &walk);
}
