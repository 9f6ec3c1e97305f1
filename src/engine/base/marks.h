/*
 * Marked rows, and how many of them come before a row: 12 bytes for 64 rows. Columns of which most
 * rows are zero are kept for the marked ones alone.
 */
#pragma once

#include "base/mem.h"

struct marks {
	uint64_t *bits;
	uint32_t *before; /* by 64 rows: marked rows before them */
	size_t words;
};

/* Of rows 0 to ROWS - 1, none marked. The caller frees with marks_free. */
static inline struct marks marks_new(size_t rows)
{
	size_t words = rows / 64 + 1;
	return (struct marks){ .bits = mem_zalloc(words, sizeof(uint64_t)),
			       .before = mem_zalloc(words, sizeof(uint32_t)),
			       .words = words };
}

static inline void marks_free(struct marks *marks) /* accepts all zero */
{
	mem_free(marks->bits);
	mem_free(marks->before);
	*marks = (struct marks){ 0 };
}

static inline void marks_set(struct marks *marks, size_t row)
{
	marks->bits[row / 64] |= (uint64_t)1 << row % 64;
}

static inline bool marks_has(const struct marks *marks, size_t row)
{
	return marks->bits[row / 64] >> row % 64 & 1;
}

/* Count them, once all are set; returns their number. */
static inline uint32_t marks_count(struct marks *marks)
{
	uint32_t count = 0;
	for (size_t i = 0; i < marks->words; i++) {
		marks->before[i] = count;
		count += (uint32_t)__builtin_popcountll(marks->bits[i]);
	}
	return count;
}

/* The number of marked rows before ROW, which may be the number of rows; counted before. */
static inline uint32_t marks_before(const struct marks *marks, size_t row)
{
	uint64_t lower = ((uint64_t)1 << row % 64) - 1;
	return marks->before[row / 64] +
	       (uint32_t)__builtin_popcountll(marks->bits[row / 64] & lower);
}
