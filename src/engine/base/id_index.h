/*
 * Rows by id, for ids that a profiler has counted up.  They index an array then, which is a
 * fraction of a hash table and is gone through in order; ids that are strewn or repeat go into a
 * table.
 */
#ifndef STRATA_BASE_ID_INDEX_H
#define STRATA_BASE_ID_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct id_index;

/* For about COUNT ids, most of them from LEAST to MAX. */
struct id_index *id_index_new(int64_t least, int64_t max, size_t count);
void id_index_free(struct id_index *index); /* NULL is fine */

/* Ids count within a SPACE. */
void id_index_add(struct id_index *index, uint32_t space, int64_t id, uint32_t row);

/* The row with this id that was added first, or UINT32_MAX. */
uint32_t id_index_find(const struct id_index *index, uint32_t space, int64_t id);

/* All of them, in the order they were added: the first, then the next until UINT32_MAX. */
struct id_walk {
	size_t cursor;
	uint64_t key;
	int stage;
};
uint32_t id_index_first(const struct id_index *index, uint32_t space, int64_t id,
			struct id_walk *walk);
uint32_t id_index_next(const struct id_index *index, struct id_walk *walk);

#endif
