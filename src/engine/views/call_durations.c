#include "views/call_durations.h"

#include "model/profile.h"

void spread_set(const struct moments *times, struct table *table, size_t row,
		const char *const ids[3])
{
	if (!times->count)
		return;
	table_set(table, row, ids[0], value_real(moments_mean(times)));
	table_set(table, row, ids[1], value_int(times->min));
	table_set(table, row, ids[2], value_int(times->max));
}

void spread_set_gpu(const struct moments *times, struct table *table, size_t row)
{
	static const char *const ids[] = { "gpu_avg_ns", "gpu_min_ns", "gpu_max_ns" };
	if (table->selection.profile->activities)
		spread_set(times, table, row, ids);
}

void call_durations_set(const struct moments *durations, struct table *table, size_t row)
{
	static const char *const ids[] = { "avg_ns", "min_ns", "max_ns" };
	spread_set(durations, table, row, ids);
	if (durations->count)
		table_set(table, row, "stddev_ns", value_real(moments_deviation(durations)));
}
