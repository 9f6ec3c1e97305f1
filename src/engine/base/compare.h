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

/* So by members: ORDER has UP, DOWN and UP_TEXT of one each, the first that differs counts. */
#define COMPARE_MEMBERS(name, type, order) COMPARE_ITEMS(name, type, 0 order)
#define UP(member) ?: COMPARE(x->member, y->member)
#define DOWN(member) ?: COMPARE(y->member, x->member)
#define UP_TEXT(member) ?: strcmp(x->member, y->member)

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
