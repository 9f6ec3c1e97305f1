/*
 * Builds a profile from parts filled in parallel.
 *
 * A part is an unfinished profile with its own builder, filled by one thread. Appending the parts
 * in order gives exactly the profile that one builder would have made from all rows in that order:
 * ids are assigned at first use, and first uses concatenate.
 */
#pragma once

#include "model/builder.h"

struct append_ids {
	GROWING(uint32_t, to, count);
};

/* Ids of a part mapped to ids of the whole, as far as appended; initially all zero. */
struct append_map {
	struct append_ids strings, processes, tracks, configs, infos, frames;
};

void append_map_free(struct append_map *map);

/*
 * Move the rows and damage counts of PART to the end of WHOLE. The part keeps its strings,
 * processes, tracks and launch parameters and can be refilled and appended again. A part must not
 * have metadata or devices.
 */
void builder_append(struct builder *whole, struct builder *part, struct append_map *map);
