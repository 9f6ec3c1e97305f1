/*
 * Sorting of arrays.
 */
#pragma once

#include "base/progress.h"

#include <stdlib.h>

/* qsort, also of no items, whose array may be NULL. */
#define sort_items(items, count, compare) sort_any((items), (count), sizeof *(items), (compare))
static inline void sort_any(void *items, size_t count, size_t size,
			    int (*compare)(const void *a, const void *b))
{
	if (count)
		qsort(items, count, size, compare);
}

/*
 * Stable, for nearly sorted arrays: natural merge sort of COUNT elements of SIZE bytes. Merges the
 * ascending and descending runs, so sorted input costs one pass and no input more compares than
 * qsort. False when cancelled: all elements are kept, in unspecified order.
 */
bool sort_runs(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b),
	       const struct progress *progress);
