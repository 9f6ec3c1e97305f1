/*
 * A heap of large blocks on huge pages: one fault for 2 MiB instead of 512. Blocks lie side by side
 * in address space that is reserved once, so that columns share huge pages.
 *
 * Where address space is limited, and under sanitizers, there is no heap: every function works
 * then, and no block is from the heap. Thread safe.
 */
#ifndef STRATA_BASE_HUGE_PAGES_H
#define STRATA_BASE_HUGE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum {
	HEAP_BLOCK_MIN = 1 << 17, /* smaller blocks are malloc's, … */
	HEAP_BLOCK_MAX = 1 << 30, /* …and larger ones, which the system may refuse */
};

/* NULL for other sizes, and when there is no room. The bytes are not zeroed. */
void *heap_alloc(size_t size);
/* Resize a block where it is; false when the pages after it are in use. */
bool heap_resize(void *block, size_t size);
void heap_free(void *block);

/* Give unused memory back to the system if it is more than MOST bytes. */
void heap_keep(size_t most);

bool heap_owns(const void *memory);  /* is it a block from here? */
size_t heap_size(const void *block); /* bytes the block can hold */

#endif
