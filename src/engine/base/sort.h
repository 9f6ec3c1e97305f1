/*
 * Stable sort for nearly sorted arrays.
 */
#ifndef STRATA_BASE_SORT_H
#define STRATA_BASE_SORT_H

#include "base/progress.h"

/*
 * Natural merge sort of COUNT elements of SIZE bytes: merges the ascending and descending runs, so
 * sorted input costs one pass and no input more compares than qsort. False when cancelled: all
 * elements are kept, in unspecified order.
 */
bool sort_runs(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b),
	       const struct progress *progress);

#endif
