/*
 * Profiles built in parts.
 *
 * A part is an unfinished profile with a builder of its own, filled by one thread while others fill
 * theirs.  Appended in order, the parts make the profile that one builder would have made of all
 * rows in that order, to the last number: ids are handed out at first use, so the first uses of a
 * part in its order, behind those of the parts before, are those of the whole.
 */
#ifndef STRATA_MODEL_APPEND_H
#define STRATA_MODEL_APPEND_H

#include "model/builder.h"

struct id_map {
	uint32_t *to;
	size_t count, capacity;
};

/* What the ids of a part are in the whole, as far as they have been appended.  All zero at first.
 */
struct append_map {
	struct id_map strings, processes, tracks, configs, frames;
};

void append_map_free(struct append_map *map);

/*
 * Move the rows of PART, and what was counted as damage, behind those of WHOLE.  The part keeps its
 * strings, processes, lanes and launch parameters, and may be filled and appended again.  Metadata
 * and devices are not for parts.
 */
void builder_append(struct builder *whole, struct builder *part, struct append_map *map);

#endif
