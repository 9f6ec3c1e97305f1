/*
 * Count, sum, minimum, maximum, mean and standard deviation of integers that arrive one by one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Zeroed it is empty, and all members are 0. */
struct moments {
	int64_t count, sum, min, max;
	double mean, squares; /* running mean and sum of squared deviations from it (Welford) */
};

void moments_add(struct moments *moments, int64_t value);

/* Add all values of FROM (Chan, Golub and LeVeque, Updating Formulae, 1979). */
void moments_merge(struct moments *to, const struct moments *from);

/* The sum by the count, exact while the sum is; not a number without values. */
double moments_mean(const struct moments *moments);

/* The sample standard deviation (n - 1); 0 for fewer than two values. */
double moments_deviation(const struct moments *moments);

/* Sorts VALUES; the mean of the middle two of an even count, 0 of none. */
double median_double(double *values, size_t count);
