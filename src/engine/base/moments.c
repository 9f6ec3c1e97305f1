#include "base/moments.h"

#include "base/compare.h"

#include <math.h>
#include <stdlib.h>

void moments_add(struct moments *moments, int64_t value)
{
	double before = (double)value - moments->mean;
	moments->min = !moments->count || value < moments->min ? value : moments->min;
	moments->max = !moments->count || value > moments->max ? value : moments->max;
	moments->sum += value;
	moments->count++;
	moments->mean += before / (double)moments->count;
	moments->squares += before * ((double)value - moments->mean);
}

void moments_merge(struct moments *to, const struct moments *from)
{
	if (!from->count)
		return;
	if (!to->count) {
		*to = *from;
		return;
	}
	double apart = from->mean - to->mean, n = (double)from->count;
	to->min = from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->sum += from->sum;
	to->squares +=
		from->squares + apart * apart * n * (double)to->count / ((double)to->count + n);
	to->count += from->count;
	to->mean += apart * n / (double)to->count;
}

double moments_mean(const struct moments *moments)
{
	return (double)moments->sum / (double)moments->count;
}

double moments_deviation(const struct moments *moments)
{
	return moments->count > 1 ? sqrt(moments->squares / (double)(moments->count - 1)) : 0;
}

double median_double(double *values, size_t count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof *values, compare_double);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
