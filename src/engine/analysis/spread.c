#include "analysis/spread.h"

#include "model/profile.h"

#include <math.h>

static const double STANDARD_ERRORS = 5, STANDARD_ERRORS_LIKELY = 3.5, CHANGE_MIN = 0.03;

/* Sums per row within a group. */
struct spread_histogram {
	double count, sum, squares;
};

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

typedef void adder(struct spread *spread, const struct spread_histogram *histogram);

/* Sum each row's samples per group and pass the sums to ADD. False when cancelled. */
static bool spread_add_groups(const struct samples *samples, struct spread *spreads, bool upwards,
			      adder *add, const struct progress *progress)
{
	enum { WEIGHT = 8 }; /* cost of a sample, which may climb a tree */
	bool ok = true;
	size_t *starts = mem_zalloc((size_t)samples->groups + 1, sizeof *starts);
	size_t *order = sort_by_group(samples, starts);
	struct spread_histogram *histograms = mem_zalloc(samples->rows, sizeof *histograms);
	uint32_t *touched = mem_alloc((size_t)samples->rows * sizeof *touched);
	for (uint32_t group = 0; ok && group < samples->groups; group++) {
		uint32_t count = 0;
		for (size_t i = starts[group]; ok && i < starts[group + 1]; i++) {
			const struct sample *sample = &samples->items[order[i]];
			ok = progress_heavy_row(progress, "comparing", i, samples->count, WEIGHT);
			for (uint32_t row = sample->row; row != NO_ROW;
			     row = upwards ? samples->parent[row] : NO_ROW) {
				struct spread_histogram *histogram = &histograms[row];
				if (histogram->count == 0)
					touched[count++] = row;
				histogram->count++;
				histogram->sum += (double)sample->ns;
				histogram->squares += (double)sample->ns * (double)sample->ns;
			}
		}
		while (count) {
			uint32_t row = touched[--count];
			add(&spreads[row], &histograms[row]);
			histograms[row] = (struct spread_histogram){ 0 };
		}
	}
	mem_free(starts);
	mem_free(order);
	mem_free(histograms);
	mem_free(touched);
	return ok;
}

static double variance_of(double count, double sum, double squares)
{
	double value = count < 2 ? 0 : (squares - sum * sum / count) / (count - 1);
	return value > 0 ? value : 0;
}

/* Until all steps are added, time is the sum and variance the sum of squares. */
static void spread_add_step(struct spread *spread, const struct spread_histogram *histogram)
{
	spread->time += histogram->sum;
	spread->variance += histogram->sum * histogram->sum;
}

struct spread *spread_over_steps(const struct samples *samples, const struct progress *progress)
{
	struct spread *spreads = mem_zalloc(samples->rows, sizeof *spreads);
	double steps = samples->groups;
	if (!spread_add_groups(samples, spreads, samples->parent != NULL, spread_add_step,
			       progress)) {
		mem_free(spreads);
		return NULL;
	}
	for (uint32_t row = 0; row < samples->rows && steps > 0; row++) {
		struct spread *spread = &spreads[row];
		spread->variance = variance_of(steps, spread->time, spread->variance) / steps;
		spread->time /= steps;
	}
	return spreads;
}

static void spread_add_calls(struct spread *spread, const struct spread_histogram *histogram)
{
	spread->time += histogram->sum;
	spread->variance += histogram->count *
			    variance_of(histogram->count, histogram->sum, histogram->squares);
}

struct spread *spread_over_calls(const struct samples *samples, const struct progress *progress)
{
	struct spread *spreads = mem_zalloc(samples->rows, sizeof *spreads);
	if (!spread_add_groups(samples, spreads, false, spread_add_calls, progress)) {
		mem_free(spreads);
		return NULL;
	}
	for (uint32_t row = samples->rows; samples->parent && row-- > 0;) {
		uint32_t above = samples->parent[row];
		if (above == NO_ROW)
			continue;
		spreads[above].time += spreads[row].time;
		spreads[above].variance += spreads[row].variance;
	}
	return spreads;
}

enum change change_of(double more, double error, double likely, double certain)
{
	double size = fabs(more);
	int strength = size > STANDARD_ERRORS * error && size > certain         ? 2
		       : size > STANDARD_ERRORS_LIKELY * error && size > likely ? 1
										: 0;
	return (enum change)(more < 0 ? -strength : strength);
}

enum change spread_compare(const struct spread *base, const struct spread *new, uint32_t steps,
			   double noise)
{
	double few = steps > 2 ? 1 + 2.0 / (steps - 2) : 1;
	double larger = fmax(base->time, new->time), between = noise * fmin(base->time, new->time);
	double error = sqrt(base->variance + new->variance + between *between) * few;
	return change_of(new->time - base->time, error, CHANGE_MIN * larger, CHANGE_MIN * larger);
}
