/*
 * Sorting what is nearly in order.
 */
#ifndef STRATA_BASE_SORT_H
#define STRATA_BASE_SORT_H

#include "base/progress.h"

/*
 * Sort COUNT elements of SIZE bytes, equal ones as they come.  A merge sort of the runs that are
 * there, rising or falling: one pass over what is in order already, and never more compares than
 * qsort makes. False when cancelled: they are all there, in any order.
 */
bool sort_runs(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b),
	       const struct progress *progress);

#endif
