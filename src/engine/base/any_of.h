/*
 * Does any number below a count fulfill a condition; which element of an array is the first to?
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True if an I from 0 on, below COUNT, fulfills CONDITION; those after the first are not tried. */
#define any_of(i, count, condition)                                                                \
	({                                                                                         \
		bool any_of_ = false;                                                              \
		for (__typeof__((count) + 0) i = 0; i < (count) && !any_of_; i++)                  \
			any_of_ = (condition);                                                     \
		any_of_;                                                                           \
	})

/* A pointer AT to the first of COUNT ITEMS that fulfills CONDITION; NULL. */
#define first_of(at, items, count, condition)                                                      \
	({                                                                                         \
		__typeof__((items) + 0) first_of_ = NULL, at = (items);                            \
		for (size_t left_ = (size_t)(count); left_ && !first_of_; left_--, at++)           \
			first_of_ = (condition) ? at : NULL;                                       \
		first_of_;                                                                         \
	})
