/*
 * Sequence numbers of operators, read from the texts of ranges: "name, seq = 5".
 */
#ifndef STRATA_TOOLS_PYPROF_SEQUENCES_H
#define STRATA_TOOLS_PYPROF_SEQUENCES_H

#include "tools/pyprof/pyprof_kernels.h"

/* Sort; remove duplicates and entries equivalent to their predecessor. */
void pyprof_prune_sequences(struct pyprof_texts *found);

/* Insert a number in its place, once; there is room. */
void pyprof_insert_id(struct pyprof_ids *ids, int64_t id);

/* The distinct numbers in the texts, ascending, in ARENA. */
struct pyprof_ids pyprof_ids_of(struct arena *arena, const struct pyprof_texts *found);

#endif
