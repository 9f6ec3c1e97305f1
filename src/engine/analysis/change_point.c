#include "analysis/change_point.h"

#include <math.h>

enum { RUNS_MIN = 2, VALUES_MIN = 2 * RUNS_MIN }; /* one run may be slow by chance */

static double mean_between(const double *values, size_t from, size_t end)
{
	double sum = 0;
	for (size_t i = from; i < end; i++)
		sum += values[i];
	return end > from ? sum / (double)(end - from) : 0;
}

/* The first of the second part, and how much less the squared distances are by the split. */
static size_t best_split(const double *values, size_t count, double *less)
{
	double mean = mean_between(values, 0, count), sum = 0;
	size_t best = RUNS_MIN;
	*less = 0;
	for (size_t i = 1; i + RUNS_MIN <= count; i++) {
		sum += values[i - 1] - mean;
		double gain = sum * sum * (double)count / ((double)i * (double)(count - i));
		if (i >= RUNS_MIN && gain > *less) {
			*less = gain;
			best = i;
		}
	}
	return best;
}

static struct change_point split(const double *values, size_t count, size_t series)
{
	double mean = mean_between(values, 0, count), less, squares = 0;
	struct change_point point = { SAME, 0, mean, mean };
	if (count < VALUES_MIN)
		return point;
	size_t first = best_split(values, count, &less);
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	double freedom = (double)count - 2, variance = fmax(squares - less, 0) / freedom;
	double before = mean_between(values, 0, first), after = mean_between(values, first, count);
	struct difference evidence = {
		.base = before,
		.new = after,
		.more = after - before,
		.variance = variance *(1 / (double)first + 1 / (double)(count - first)),
		.freedom = freedom,
		.tries = (double)series *(double)(count - 1),
		.known = true,
		.of_steps = true,
	};
	enum change change = difference_judge(&evidence);
	return change == SAME ? point : (struct change_point){ change, first, before, after };
}

struct change_point change_point_find(const double *values, size_t count, size_t series)
{
	struct change_point last = split(values, count, series), next = last;
	while (next.change != SAME) {
		size_t first = last.first;
		next = split(values + first, count - first, series);
		if (next.change == SAME)
			break;
		last = next;
		last.first += first;
	}
	size_t from = last.first ? change_point_find(values, last.first, series).first : 0;
	if (from) /* the runs before it had changed, too: compare with the later of them */
		next = split(values + from, count - from, series);
	if (from && next.change != SAME) {
		last = next;
		last.first += from;
	}
	return last;
}
