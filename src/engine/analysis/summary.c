#include "analysis/summary.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>

static int summary_compare(const void *a, const void *b)
{
	const struct amount *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Summarize COUNT > 0 sorted amounts. */
static struct summary summary_summarize(const struct amount *amounts, size_t count)
{
	const struct amount *middle = amounts + count / 2;
	struct summary summary = {
		.count = (int64_t)count,
		.min = amounts[0].value,
		.max = amounts[count - 1].value,
		.median = count % 2 ? (double)middle->value
				    : ((double)middle[-1].value + (double)middle->value) / 2,
	};
	long double squares = 0;
	for (size_t i = 0; i < count; i++)
		summary.total += amounts[i].value;
	summary.mean = (double)summary.total / (double)count;
	for (size_t i = 0; i < count; i++) {
		long double off = (long double)amounts[i].value - (long double)summary.mean;
		squares += off * off;
	}
	if (count > 1)
		summary.deviation = (double)sqrtl(squares / (long double)(count - 1));
	return summary;
}

struct summary *summary_make(struct amount *amounts, size_t count, uint32_t groups,
			     const struct progress *progress)
{
	if (!sort_runs(amounts, count, sizeof *amounts, summary_compare, progress))
		return NULL;
	struct summary *summaries = mem_zalloc(groups, sizeof *summaries);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && amounts[to].group == amounts[from].group; to++)
			;
		summaries[amounts[from].group] = summary_summarize(amounts + from, to - from);
	}
	return summaries;
}
