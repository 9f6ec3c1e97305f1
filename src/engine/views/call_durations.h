/*
 * The columns of times per call: mean, minimum, maximum and sample standard deviation.
 */
#ifndef STRATA_VIEWS_CALL_DURATIONS_H
#define STRATA_VIEWS_CALL_DURATIONS_H

#include "base/moments.h"
#include "table/table.h"

/* Set these columns: mean, minimum, maximum; blank without calls. */
void spread_set(const struct moments *times, struct table *table, size_t row,
		const char *const ids[3]);
/* Set gpu_avg_ns, gpu_min_ns and gpu_max_ns; blank also if the profile has no GPU work at all. */
void spread_set_gpu(const struct moments *times, struct table *table, size_t row);

/* Set avg_ns, min_ns, max_ns and stddev_ns; blank without calls. */
void call_durations_set(const struct moments *durations, struct table *table, size_t row);

#endif
