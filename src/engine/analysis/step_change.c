#include "analysis/step_change.h"

#include "analysis/rank_summary.h"
#include "base/compare.h"
#include "base/mem.h"
#include "derived/derived.h"
#include "model/profile.h"

#include <math.h>
#include <stdlib.h>

static const double STANDARD_ERRORS = 5, CHANGE_MIN = 0.03, CHANGE_MIN_OF_FEW = 0.10;
static const double DEVIATION_OF_MEDIAN = 1.4826; /* scales the MAD to a standard deviation */

static double median(double *values, uint32_t count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof *values, compare_double);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static bool in_scope(int64_t number, const struct scope *scope)
{
	return !scope->has_steps || (number >= scope->step_first && number <= scope->step_last);
}

/* Durations of the complete steps in scope, at most as many as the rank has; their number. */
static uint32_t step_change_collect(const struct derived *derived, const struct scope *scope,
				    double *values)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < derived->step_count; i++) {
		const struct step *step = &derived->steps[i];
		if (!step->partial && in_scope(step->number, scope))
			values[count++] = (double)(step->end - step->start);
	}
	return count;
}

static uint32_t collect_kept(const struct rank_summary *summary, const struct scope *scope,
			     double *values)
{
	uint32_t count = 0;
	for (size_t i = 0; i < summary->step_count; i++) {
		const struct step_summary *step = &summary->steps[i];
		if (!step->partial && in_scope(step->number, scope))
			values[count++] = (double)step->dur;
	}
	return count;
}

static struct step_series step_change_series_of(const struct rank *rank, const struct scope *scope)
{
	struct step_series series = { 0, 0, 0 };
	bool kept = rank->profile->tables != NULL;
	size_t steps = kept ? rank->summary->step_count : rank->derived->step_count;
	double *values = mem_alloc(steps * sizeof *values);
	series.count = kept ? collect_kept(rank->summary, scope, values)
			    : step_change_collect(rank->derived, scope, values);
	series.median = median(values, series.count);
	for (uint32_t i = 0; i < series.count; i++)
		values[i] = fabs(values[i] - series.median);
	series.spread = DEVIATION_OF_MEDIAN * median(values, series.count);
	mem_free(values);
	return series;
}

struct step_change step_change_of(const struct rank *base, const struct rank *new,
				  const struct scope *scope)
{
	struct step_change change = { .base = step_change_series_of(base, scope),
				      .new = step_change_series_of(new, scope) };
	double before = change.base.spread * change.base.spread;
	double after = change.new.spread *change.new.spread;
	bool few = change.base.count < SPREAD_STEPS || change.new.count < SPREAD_STEPS;
	double larger = fmax(change.base.median, change.new.median);
	double error =
		sqrt(before / fmax(change.base.count, 1) + after / fmax(change.new.count, 1));
	change.noise = STANDARD_ERRORS * error;
	change.single_noise = STANDARD_ERRORS * sqrt(before + after);
	change.few = few;
	change.least = (few ? CHANGE_MIN_OF_FEW : CHANGE_MIN) * larger;
	return change;
}

bool step_change_known(const struct step_change *change)
{
	return change->base.count > 1 && change->new.count > 1;
}

enum change step_change_verdict(const struct step_change *change)
{
	return change_of(change->new.median - change->base.median, change->noise / STANDARD_ERRORS,
			 change->least, change->few ? INFINITY : change->least);
}

enum change step_change_single(const struct step_change *change, double base, double new)
{
	return change_of(new - base, change->single_noise / STANDARD_ERRORS, change->least,
			 change->few ? INFINITY : change->least);
}
