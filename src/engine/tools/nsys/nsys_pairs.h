/*
 * Device activities with the API calls of their process and correlation id.
 */
#pragma once

#include "derived/selection.h"

/*
 * An activity has a pair with each call, as the runtime and the driver may both record theirs;
 * CALL is NO_ROW when there is none.
 */
struct nsys_pair {
	uint32_t activity, call;
};

/*
 * The pairs of the selected activities of a kind in KINDS (bits 1 << ACTIVITY_…), activities and
 * the calls of each in the order of the file. The caller frees with mem_free; NULL when cancelled.
 */
struct nsys_pair *nsys_pairs(const struct selection *selection, unsigned kinds, size_t *count,
			     const struct progress *progress);

/* Position of a span in the file, for spans of one table. */
uint32_t nsys_record(const struct profile *profile, uint32_t span);
