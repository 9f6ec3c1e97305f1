/*
 * Mean, minimum, maximum and sample standard deviation of the durations of calls.
 */
#ifndef STRATA_VIEWS_CALL_DURATIONS_H
#define STRATA_VIEWS_CALL_DURATIONS_H

#include "table/table.h"

struct call_durations {
	int64_t count, sum, min, max; /* ns */
	double mean, squares;         /* running mean and sum of squared deviations (Welford) */
};

void call_durations_add(struct call_durations *durations, int64_t ns);
/* Add those of other calls (Chan, Golub and LeVeque, Updating Formulae, 1979). */
void call_durations_join(struct call_durations *to, const struct call_durations *from);
/* Set avg_ns, min_ns, max_ns and stddev_ns; blank without calls. */
void call_durations_set(const struct call_durations *durations, struct table *table, size_t row);

#endif
