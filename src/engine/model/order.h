/*
 * The order of rows: lanes one behind the other, each by time, enclosing rows first.
 */
#ifndef STRATA_MODEL_ORDER_H
#define STRATA_MODEL_ORDER_H

#include "base/progress.h"

/*
 * The order of COUNT rows by (track, start, longer first, file): an array of old row numbers that
 * the caller frees.  Rows whose KEEP is 0 are left out (KEEP NULL: none).  FIRST and NUMBER (by
 * track) receive each lane's range; *KEPT the length.  NULL when cancelled.
 */
uint32_t *lane_order(const int64_t *start, const int64_t *dur, const uint32_t *track,
		     const uint8_t *keep, uint32_t count, size_t tracks, uint32_t *first,
		     uint32_t *number, uint32_t *kept, const struct progress *progress);

#endif
