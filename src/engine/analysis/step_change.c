#include "analysis/step_change.h"

#include "analysis/rank_summary.h"
#include "base/moments.h"
#include "derived/derived.h"

#include <math.h>

enum {
	STEPS_MANY = 8,   /* from here on, outliers stand out from the others */
	STEPS_PAIRED = 5, /* from here on, differences of single steps tell their variance */
};
static const double VARIANCE_OF_MEDIAN = 1.57;    /* in variances of a mean */
static const double DEVIATION_OF_MEDIAN = 1.4826; /* scales the MAD to a standard deviation */

/* Durations of the complete steps in scope, at most as many as the rank has; their number. */
static uint32_t step_change_collect(const struct derived *derived, const struct scope *scope,
				    double *values)
{
	uint32_t count = 0;
	for_each (step, derived->steps, derived->step_count)
		if (!step->partial && scope_has_step(scope, step))
			values[count++] = (double)(step->end - step->start);
	return count;
}

static uint32_t collect_kept(const struct rank_summary *summary, const struct scope *scope,
			     double *values)
{
	uint32_t count = 0;
	for_each (step, summary->steps, summary->step_count) {
		const struct step numbered = { .number = step->number }; /* phases are not kept */
		if (!step->partial && scope_has_step(scope, &numbered))
			values[count++] = (double)step->dur;
	}
	return count;
}

/* Durations of the complete steps in scope; their number. The caller frees VALUES. */
static uint32_t collect(const struct rank *rank, const struct scope *scope, double **values)
{
	bool kept = rank->profile->tables != NULL;
	size_t steps = kept ? rank->summary->step_count : rank->derived->step_count;
	*values = mem_alloc(steps * sizeof **values);
	return kept ? collect_kept(rank->summary, scope, *values)
		    : step_change_collect(rank->derived, scope, *values);
}

/* Reorders VALUES. */
static struct step_series step_change_series_of(double *values, uint32_t count)
{
	struct step_series series = { .count = count, .median = median_double(values, count) };
	struct moments all = { 0 };
	for (uint32_t i = 0; i < count; i++) {
		moments_add(&all, (int64_t)values[i]);
		values[i] = fabs(values[i] - series.median);
	}
	series.spread = DEVIATION_OF_MEDIAN * median_double(values, count);
	if (count < STEPS_MANY) /* half of a few may be close by chance */
		series.spread = fmax(series.spread, moments_deviation(&all));
	return series;
}

struct step_change step_change_between(double *before, uint32_t base_count, double *after,
				       uint32_t new_count)
{
	struct step_change change = { .paired = INFINITY };
	struct moments more = { 0 };
	for (uint32_t i = 0; i < base_count && i < new_count; i++)
		moments_add(&more, (int64_t)(after[i] - before[i]));
	if (base_count == new_count && base_count >= STEPS_PAIRED)
		change.paired = pow(moments_deviation(&more), 2) / base_count;
	change.base = step_change_series_of(before, base_count);
	change.new = step_change_series_of(after, new_count);
	return change;
}

struct step_change step_change_of(const struct rank *base, const struct rank *new,
				  const struct scope *scope)
{
	double *before, *after;
	uint32_t base_count = collect(base, scope, &before);
	uint32_t new_count = collect(new, scope, &after);
	struct step_change change = step_change_between(before, base_count, after, new_count);
	mem_free_all(before, after);
	return change;
}

static struct difference evidence_of(const struct step_change *change, double base, double new,
				     double variance)
{
	double count = (double)change->base.count + change->new.count;
	return (struct difference){ .base = base,
				    .new = new,
				    .more = new - base,
				    .variance = variance,
				    .freedom = count - 2,
				    .known = change->base.count > 1 && change->new.count > 1,
				    .of_steps = true };
}

struct difference step_change_evidence(const struct step_change *change)
{
	const struct step_series *base = &change->base, *new = &change->new;
	double before = base->spread * base->spread / fmax(base->count, 1);
	double after = new->spread *new->spread / fmax(new->count, 1);
	struct difference all = evidence_of(change, base->median, new->median,
					    VARIANCE_OF_MEDIAN * (before + after));
	const struct spread paired = { .variance = VARIANCE_OF_MEDIAN * change->paired };
	difference_pair_steps(&all, &paired, 1, base->count);
	return all;
}

struct difference step_change_single(const struct step_change *change, double base, double new)
{
	double before = change->base.spread, after = change->new.spread;
	return evidence_of(change, base, new, before * before + after * after);
}
