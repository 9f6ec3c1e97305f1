/*
 * Orders of plain numbers, for qsort and bsearch.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* -1, 0 or 1; of several numbers the first that differ: COMPARE(a, b) ?: COMPARE(c, d). */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Define the order NAME of items of a TYPE, for qsort and bsearch: ORDER is that of *x and *y. */
#define COMPARE_ITEMS(name, type, order)                                                           \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		const type *x = a;                                                                 \
		const type *y = b;                                                                 \
		return order;                                                                      \
	}

#define COMPARE_NUMBERS(name, type)                                                                \
	static inline int compare_##name(const void *a, const void *b)                             \
	{                                                                                          \
		type x = *(const type *)a, y = *(const type *)b;                                   \
		return COMPARE(x, y);                                                              \
	}

COMPARE_NUMBERS(int32, int32_t)
COMPARE_NUMBERS(int64, int64_t)
COMPARE_NUMBERS(uint32, uint32_t)
COMPARE_NUMBERS(uint64, uint64_t)
COMPARE_NUMBERS(size, size_t)
COMPARE_NUMBERS(double, double)
