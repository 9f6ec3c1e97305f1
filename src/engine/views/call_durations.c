#include "views/call_durations.h"

#include "model/profile.h"

#include <math.h>

void spread_add(struct duration_spread *spread, int64_t ns)
{
	spread_join(spread, &(struct duration_spread){ 1, ns, ns, ns });
}

void spread_join(struct duration_spread *to, const struct duration_spread *from)
{
	if (!from->count)
		return;
	to->min = !to->count || from->min < to->min ? from->min : to->min;
	to->max = !to->count || from->max > to->max ? from->max : to->max;
	to->sum += from->sum;
	to->count += from->count;
}

void spread_set(const struct duration_spread *spread, struct table *table, size_t row,
		const char *const ids[3])
{
	if (!spread->count)
		return;
	table_set(table, row, ids[0], value_real((double)spread->sum / (double)spread->count));
	table_set(table, row, ids[1], value_int(spread->min));
	table_set(table, row, ids[2], value_int(spread->max));
}

void spread_set_gpu(const struct duration_spread *spread, struct table *table, size_t row)
{
	static const char *const ids[] = { "gpu_avg_ns", "gpu_min_ns", "gpu_max_ns" };
	if (table->selection.profile->activities)
		spread_set(spread, table, row, ids);
}

void call_durations_add(struct call_durations *durations, int64_t ns)
{
	double before = (double)ns - durations->mean;
	spread_add(&durations->spread, ns);
	durations->mean += before / (double)durations->spread.count;
	durations->squares += before * ((double)ns - durations->mean);
}

void call_durations_join(struct call_durations *to, const struct call_durations *from)
{
	if (!from->spread.count)
		return;
	if (!to->spread.count) {
		*to = *from;
		return;
	}
	double calls = (double)to->spread.count, more = (double)from->spread.count;
	double apart = from->mean - to->mean;
	to->squares += from->squares + apart * apart * calls * more / (calls + more);
	to->mean += apart * more / (calls + more);
	spread_join(&to->spread, &from->spread);
}

void call_durations_set(const struct call_durations *durations, struct table *table, size_t row)
{
	static const char *const ids[] = { "avg_ns", "min_ns", "max_ns" };
	double calls = (double)durations->spread.count;
	if (!durations->spread.count)
		return;
	spread_set(&durations->spread, table, row, ids);
	table_set(table, row, "stddev_ns",
		  value_real(calls > 1 ? sqrt(durations->squares / (calls - 1)) : 0));
}
