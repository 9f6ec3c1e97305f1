/*
 * Merging of ascending runs of 64-bit values: in a heap of them, the run whose next value is least
 * is the first.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct merge_run { /* values NEXT to END, not empty */
	const int64_t *values;
	uint32_t next, end;
};

static inline void merge_sift_down(struct merge_run *heap, size_t count, size_t at)
{
	struct merge_run run = heap[at];
	int64_t value = run.values[run.next];
	for (size_t child; (child = at * 2 + 1) < count; at = child) {
		int64_t least = heap[child].values[heap[child].next];
		if (child + 1 < count && heap[child + 1].values[heap[child + 1].next] < least) {
			child++;
			least = heap[child].values[heap[child].next];
		}
		if (value <= least)
			break;
		heap[at] = heap[child];
	}
	heap[at] = run;
}

/* Make COUNT runs a heap. */
static inline void merge_begin(struct merge_run *runs, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		merge_sift_down(runs, count, i);
}

/* Go on to the next value; returns how many runs are left. */
static inline size_t merge_next(struct merge_run *heap, size_t count)
{
	if (++heap->next == heap->end)
		*heap = heap[--count];
	if (count)
		merge_sift_down(heap, count, 0);
	return count;
}
