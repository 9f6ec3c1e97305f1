/*
 * Prefix sums of structures.
 */
#pragma once

#include <stddef.h>

/* Replace each of COUNT + 1 ITEMS by the sum of those before it; ADD(&sum, &item) adds one. */
#define exclusive_prefix_sum(items, count, add)                                                    \
	do {                                                                                       \
		__typeof__(*(items)) sum_ = { 0 };                                                 \
		for (size_t i_ = 0; i_ <= (count); i_++) {                                         \
			__typeof__(*(items)) own_ = (items)[i_];                                   \
			(items)[i_] = sum_;                                                        \
			add(&sum_, &own_);                                                         \
		}                                                                                  \
	} while (0)
