/*
 * Binary search: by a condition, and in ascending values, near a guess.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The first I from LOW on, below HIGH, that fulfills CONDITION, or HIGH. All after one that does
 * fulfill it, too.
 */
#define search_first(i, low, high, condition)                                                      \
	({                                                                                         \
		__typeof__((low) + (high)) search_low_ = (low), search_high_ = (high);             \
		while (search_low_ < search_high_) {                                               \
			__typeof__(search_low_) i =                                                \
				search_low_ + (search_high_ - search_low_) / 2;                    \
			if (condition)                                                             \
				search_high_ = i;                                                  \
			else                                                                       \
				search_low_ = i + 1;                                               \
		}                                                                                  \
		search_low_;                                                                       \
	})

/* Values of 64 bits that are STRIDE bytes apart: an array of them, or a member of structures. */
struct ascending {
	const int64_t *first;
	size_t stride, count;
};

/* A member of an array of structures; an array of values. */
#define ASCENDING(items, member, count)                                                            \
	((struct ascending){ (count) ? &(items)->member : NULL, sizeof *(items), (count) })

#define ASCENDING_ARRAY(items, count) ((struct ascending){ (items), sizeof *(items), (count) })

static inline int64_t ascending_at(struct ascending values, size_t i)
{
	return *(const int64_t *)(const void *)((const char *)values.first + i * values.stride);
}

/* The first value of at least WANTED between LOW and HIGH, or HIGH. */
static inline size_t search_between(struct ascending values, int64_t wanted, size_t low,
				    size_t high)
{
	return search_first(i, low, high, ascending_at(values, i) >= wanted);
}

/*
 * The first value of at least WANTED, or the count; sought ever farther from NEAR, at most the
 * count: in O(log distance).
 */
static inline size_t search_near(struct ascending values, int64_t wanted, size_t near)
{
	size_t low = near, high = near, step = 1;
	for (; low && ascending_at(values, low - 1) >= wanted; step *= 2) {
		high = low - 1;
		low = high > step ? high - step : 0;
	}
	for (; high < values.count && ascending_at(values, high) < wanted; step *= 2) {
		low = high + 1;
		high += step;
	}
	return search_between(values, wanted, low, high < values.count ? high : values.count);
}
