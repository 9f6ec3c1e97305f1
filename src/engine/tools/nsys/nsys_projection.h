/*
 * GPU projection of NVTX ranges: from the start of the first activity launched in a range to the
 * end of the last one.
 */
#pragma once

#include "tools/nsys/nsys_pairs.h"
#include "tools/nsys/nsys_ranges.h"

/*
 * Call TAKE for each pair and each range around its call; then, with NO_ROW, for the pairs outside
 * of all ranges or without a call. False when cancelled.
 */
typedef void nsys_take_pair(void *context, const struct nsys_pair *pair, uint32_t range);
bool nsys_pairs_by_range(const struct profile *profile, const struct nsys_ranges *ranges,
			 const struct nsys_pair *pairs, size_t count, nsys_take_pair *take,
			 void *context, const struct progress *progress);

struct nsys_projection {
	uint32_t range;     /* NO_ROW: of the work launched outside of all ranges */
	uint32_t track;     /* thread that launched */
	uint32_t children;  /* of a range: number that launch work, too */
	int64_t start, end; /* of the work; without any: INT64_MAX, INT64_MIN */
	int64_t operations; /* launches, by correlation id */
};

struct nsys_projections {
	struct nsys_ranges ranges;
	struct nsys_projection
		*item; /* those with work, by row number of the range; NO_ROW first */
	size_t count;
};

/* False when cancelled. The caller frees. */
bool nsys_projections_make(struct nsys_projections *projections, const struct selection *selection,
			   const struct progress *progress);
void nsys_projections_free(struct nsys_projections *projections);
