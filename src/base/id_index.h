/*
 * The first row of each id, for ids that a profiler has counted up.  They index an array then, which
 * is a fraction of a hash table and is gone through in order; ids that are strewn go into a table.
 */
#ifndef STRATA_BASE_ID_INDEX_H
#define STRATA_BASE_ID_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct id_index;

/* For about COUNT ids, most of them from LEAST to MOST. */
struct id_index *id_index_new(int64_t least, int64_t most, size_t count);
void id_index_free(struct id_index *index);	/* NULL is fine */

/* Ids count within a SPACE.  Of rows with the same space and id the first that is added stays. */
void id_index_add(struct id_index *index, uint32_t space, int64_t id, uint32_t row);

/* The row, or UINT32_MAX. */
uint32_t id_index_find(const struct id_index *index, uint32_t space, int64_t id);

#endif
