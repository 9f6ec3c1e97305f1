/*
 * Does any number below a count fulfill a condition, how many do; which element of an array is the
 * first to?
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if an I from 0 on, below COUNT, fulfills CONDITION; those after the first are not tried. */
#define any_of(i, count, condition)                                                                \
	({                                                                                         \
		bool any_of_ = false;                                                              \
		for (__typeof__((count) + 0) i = 0; i < (count) && !any_of_; i++)                  \
			any_of_ = (condition);                                                     \
		any_of_;                                                                           \
	})

/* How many I from 0 on, below COUNT, fulfill CONDITION. */
#define count_where(i, count, condition)                                                           \
	({                                                                                         \
		__typeof__((count) + 0) count_where_ = 0;                                          \
		for (__typeof__((count) + 0) i = 0; i < (count); i++)                              \
			count_where_ += (condition) ? 1 : 0;                                       \
		count_where_;                                                                      \
	})

/* The sum of TERM, in its type, of each I from 0 on, below COUNT. */
#define sum_of(i, count, term)                                                                     \
	({                                                                                         \
		__typeof__((count) + 0) i = 0;                                                     \
		__typeof__((term) + 0) sum_of_ = 0;                                                \
		for (; i < (count); i++)                                                           \
			sum_of_ += (term);                                                         \
		sum_of_;                                                                           \
	})

/* The first I from FROM on, below END, that fulfills CONDITION; UINT32_MAX, as NO_ROW is. */
#define row_where(i, from, end, condition)                                                         \
	({                                                                                         \
		uint32_t row_where_ = UINT32_MAX;                                                  \
		for (uint32_t i = (from); i < (end) && row_where_ == UINT32_MAX; i++)              \
			row_where_ = (condition) ? i : UINT32_MAX;                                 \
		row_where_;                                                                        \
	})

/* The first I from FROM on upwards, by the PARENTS of rows, that fulfills CONDITION; UINT32_MAX. */
#define row_upwards(i, from, parents, condition)                                                   \
	({                                                                                         \
		uint32_t i = (from);                                                               \
		while (i != UINT32_MAX && !(condition))                                            \
			i = (parents)[i];                                                          \
		i;                                                                                 \
	})

/* A pointer AT to the first of COUNT ITEMS that fulfills CONDITION; NULL. */
#define first_of(at, items, count, condition)                                                      \
	({                                                                                         \
		__typeof__((items) + 0) first_of_ = NULL, at = (items);                            \
		for (size_t left_ = (size_t)(count); left_ && !first_of_; left_--, at++)           \
			first_of_ = (condition) ? at : NULL;                                       \
		first_of_;                                                                         \
	})

/* RESULT of the first AT, a pointer into the array ITEMS, that fulfills CONDITION; or OTHERWISE. */
#define looked_up(at, items, condition, result, otherwise)                                         \
	({                                                                                         \
		__typeof__((items) + 0) at = (items),                                              \
					end_of_items_ = at + sizeof(items) / sizeof *at;           \
		while (at < end_of_items_ && !(condition))                                         \
			at++;                                                                      \
		at < end_of_items_ ? (result) : (otherwise);                                       \
	})
