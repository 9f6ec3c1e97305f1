#include "views/call_durations.h"

#include <math.h>

void call_durations_add(struct call_durations *durations, int64_t ns)
{
	double before = (double)ns - durations->mean;
	durations->min = !durations->count || ns < durations->min ? ns : durations->min;
	durations->max = !durations->count || ns > durations->max ? ns : durations->max;
	durations->sum += ns;
	durations->count++;
	durations->mean += before / (double)durations->count;
	durations->squares += before * ((double)ns - durations->mean);
}

void call_durations_join(struct call_durations *to, const struct call_durations *from)
{
	if (!from->count)
		return;
	if (!to->count) {
		*to = *from;
		return;
	}
	double apart = from->mean - to->mean, count = (double)(to->count + from->count);
	to->min = from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->squares +=
		from->squares + apart * apart * (double)to->count * (double)from->count / count;
	to->mean += apart * (double)from->count / count;
	to->sum += from->sum;
	to->count += from->count;
}

void call_durations_set(const struct call_durations *durations, struct table *table, size_t row)
{
	if (!durations->count)
		return;
	double calls = (double)durations->count;
	table_set(table, row, "avg_ns", value_real((double)durations->sum / calls));
	table_set(table, row, "min_ns", value_int(durations->min));
	table_set(table, row, "max_ns", value_int(durations->max));
	table_set(table, row, "stddev_ns",
		  value_real(durations->count > 1 ? sqrt(durations->squares / (calls - 1)) : 0));
}
