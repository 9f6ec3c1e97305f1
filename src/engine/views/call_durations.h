/*
 * Mean, minimum and maximum of a time per call; of durations also the sample standard deviation.
 */
#ifndef STRATA_VIEWS_CALL_DURATIONS_H
#define STRATA_VIEWS_CALL_DURATIONS_H

#include "table/table.h"

struct duration_spread {
	int64_t count, sum, min, max; /* calls; ns */
};

void spread_add(struct duration_spread *spread, int64_t ns);
void spread_join(struct duration_spread *to,
		 const struct duration_spread *from); /* that of other calls */
/* Set these columns: mean, minimum, maximum; blank without calls. */
void spread_set(const struct duration_spread *spread, struct table *table, size_t row,
		const char *const ids[3]);
/* Set gpu_avg_ns, gpu_min_ns and gpu_max_ns; blank also if the profile has no GPU work at all. */
void spread_set_gpu(const struct duration_spread *spread, struct table *table, size_t row);

struct call_durations {
	struct duration_spread spread;
	double mean, squares; /* running mean and sum of squared deviations (Welford) */
};

void call_durations_add(struct call_durations *durations, int64_t ns);
/* Add those of other calls (Chan, Golub and LeVeque, Updating Formulae, 1979). */
void call_durations_join(struct call_durations *to, const struct call_durations *from);
/* Set avg_ns, min_ns, max_ns and stddev_ns; blank without calls. */
void call_durations_set(const struct call_durations *durations, struct table *table, size_t row);

#endif
