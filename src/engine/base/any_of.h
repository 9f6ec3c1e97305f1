/*
 * Does any number below a count fulfill a condition?
 */
#pragma once

#include <stdbool.h>

/* True if an I from 0 on, below COUNT, fulfills CONDITION; those after the first are not tried. */
#define any_of(i, count, condition)                                                                \
	({                                                                                         \
		bool any_of_ = false;                                                              \
		for (__typeof__((count) + 0) i = 0; i < (count) && !any_of_; i++)                  \
			any_of_ = (condition);                                                     \
		any_of_;                                                                           \
	})
