#include "analysis/spread.h"

#include "model/profile.h"

#include <math.h>

/* Indexes of samples sorted by group (counting sort); STARTS [groups + 1] receives their ranges. */
static size_t *sort_by_group(const struct samples *samples, size_t *starts)
{
	size_t *order = mem_alloc(samples->count * sizeof *order);
	for (size_t i = 0; i < samples->count; i++)
		starts[samples->items[i].group + 1]++;
	for (uint32_t group = 0; group < samples->groups; group++)
		starts[group + 1] += starts[group];
	for (size_t i = samples->count; i-- > 0;)
		order[--starts[samples->items[i].group + 1]] = i;
	/* each start has moved to its group's end: shift them back */
	for (uint32_t group = 0; group < samples->groups; group++)
		starts[group] = starts[group + 1];
	starts[samples->groups] = samples->count;
	return order;
}

/* The row that includes ROW, or NO_ROW. */
static uint32_t row_above(const struct samples *samples, uint32_t row)
{
	return samples->parent ? samples->parent[row] : NO_ROW;
}

/* Until all steps are added, time is the sum and variance the sum of squares. False when cancelled.
 */
static bool add_steps(const struct samples *samples, struct spread *spreads,
		      const struct progress *progress)
{
	enum { WEIGHT = 8 }; /* cost of a sample, which may climb a tree */
	bool ok = true;
	AUTO_FREE size_t *starts = mem_zalloc((size_t)samples->groups + 1, sizeof *starts);
	AUTO_FREE size_t *order = sort_by_group(samples, starts);
	AUTO_FREE double *sums = mem_zalloc(samples->rows, sizeof *sums);
	for (uint32_t group = 0; ok && group < samples->groups; group++) {
		for (size_t i = starts[group]; ok && i < starts[group + 1]; i++) {
			const struct sample *sample = &samples->items[order[i]];
			ok = progress_heavy_row(progress, "comparing", i, samples->count, WEIGHT);
			for (uint32_t row = sample->row; row != NO_ROW;
			     row = row_above(samples, row)) {
				/* the square of the sum, by differences */
				double ns = (double)sample->ns;
				spreads[row].time += ns;
				spreads[row].variance += ns * (ns + 2 * sums[row]);
				sums[row] += ns;
			}
		}
		for (size_t i = starts[group]; i < starts[group + 1]; i++)
			for (uint32_t row = samples->items[order[i]].row; row != NO_ROW;
			     row = row_above(samples, row))
				sums[row] = 0;
	}
	return ok;
}

struct spread *spread_over_steps(const struct samples *samples, const struct progress *progress)
{
	struct spread *spreads = mem_zalloc(samples->rows, sizeof *spreads);
	double steps = samples->groups;
	if (!add_steps(samples, spreads, progress)) {
		mem_free(spreads);
		return NULL;
	}
	for_each_mutable (spread, spreads, samples->rows) {
		double squares = spread->variance - spread->time * spread->time / fmax(steps, 1);
		spread->variance = steps > 1 ? fmax(squares, 0) / (steps - 1) / steps : 0;
		spread->time /= fmax(steps, 1);
	}
	return spreads;
}
