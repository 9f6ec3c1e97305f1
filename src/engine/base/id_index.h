/*
 * Maps ids to rows: an array for ids that count up, a hash table for sparse or repeated ones.
 *
 * The array takes a fraction of the memory of a hash table and is accessed sequentially.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct id_index;

/* For about COUNT ids, most of them between LEAST and MAX. */
struct id_index *id_index_new(int64_t least, int64_t max, size_t count);
void id_index_free(struct id_index *index); /* NULL is fine */

/* Ids are unique within a SPACE, of which UINT32_MAX is none. */
void id_index_add(struct id_index *index, uint32_t space, int64_t id, uint32_t row);

/* Iterate over all rows of an id in insertion order; UINT32_MAX ends it. */
struct id_walk {
	size_t cursor;
	uint64_t key;
	int stage;
};
uint32_t id_index_first(const struct id_index *index, uint32_t space, int64_t id,
			struct id_walk *walk);
uint32_t id_index_next(const struct id_index *index, struct id_walk *walk);
