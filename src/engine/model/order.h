/*
 * Sorts rows by track, then time, enclosing rows first.
 */
#ifndef STRATA_MODEL_ORDER_H
#define STRATA_MODEL_ORDER_H

#include "base/progress.h"

/*
 * Sort COUNT rows by (track, start, longer first, file order); returns the old row numbers, which
 * the caller frees. Rows with KEEP 0 are omitted (KEEP NULL: none). FIRST and NUMBER receive each
 * track's range, *KEPT the length. NULL when cancelled.
 */
uint32_t *lane_order(const int64_t *start, const int64_t *dur, const uint32_t *track,
		     const uint8_t *keep, uint32_t count, size_t tracks, uint32_t *first,
		     uint32_t *number, uint32_t *kept, const struct progress *progress);

#endif
