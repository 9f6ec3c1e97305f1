/*
 * Verdicts of a comparison: how sure it is that a row takes more or less time, and of which kind.
 */
#include "views/diff/diff.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const struct spread no_spread = { 0, 0 };

const struct spread *diff_spread_at(const struct spread *spreads, uint32_t row)
{
	return row == NO_ROW ? &no_spread : &spreads[row];
}

const char *diff_change_name(enum change change)
{
	static const char *const names[] = { "faster", "likely faster", "same", "likely slower",
					     "slower" };
	return names[change - FASTER];
}

/* Device or host times of both sides. */
struct diff_verdict_times {
	const struct spread *base, *new;
	const struct matched *matched;
	const double *noise;
	const struct comparison *comparison;
};

static bool has_equal_calls(const struct comparison *comparison, const struct pair *pair)
{
	return diff_row_of(&comparison->base, pair->base)->calls ==
	       diff_row_of(&comparison->new, pair->new)->calls;
}

/* The calls that correspond say the opposite of all. */
static bool is_contradicted(const struct diff_verdict_times *times, const struct pair *pair,
			    enum change change)
{
	double more = diff_spread_at(times->new, pair->new)->time -
		      diff_spread_at(times->base, pair->base)->time;
	return (change > SAME && more < 0) || (change < SAME && more > 0);
}

/* JUDGED becomes false if there are times, but none that correspond. */
static enum change diff_verdict_compare_times(const struct diff_verdict_times *times, size_t index,
					      bool *judged)
{
	const struct comparison *comparison = times->comparison;
	const struct pair *pair = &comparison->pairs[index];
	const struct matched *matched = &times->matched[index];
	enum change by_step = SAME, by_call = SAME;
	if (comparison->steps)
		by_step = spread_compare(diff_spread_at(times->base, pair->base),
					 diff_spread_at(times->new, pair->new), comparison->steps,
					 times->noise[index]);
	if (matched_covers(matched))
		by_call = matched_compare(matched, times->noise[index]);
	else if (!comparison->steps) {
		if (has_equal_calls(comparison, pair))
			by_call = matched_compare_all(matched, times->noise[index]);
		if (is_contradicted(times, pair, by_call))
			by_call = SAME;
		*judged &= !matched->calls &&
			   matched->only_base + matched->only_new + matched->waiting == 0;
	}
	return abs((int)by_call) > abs((int)by_step) ? by_call : by_step;
}

static bool has_device_time(const struct comparison *comparison, size_t index)
{
	const struct pair *pair = &comparison->pairs[index];
	const struct diff_row *base = diff_row_of(&comparison->base, pair->base);
	const struct diff_row *new = diff_row_of(&comparison->new, pair->new);
	return (base->gpu != NO_VALUE && base->gpu) || (new->gpu != NO_VALUE &&new->gpu);
}

/* The surer one of device and host time decides, device time if they are equally sure. */
static struct decision decide(const struct comparison *comparison, size_t index)
{
	const struct diff_side *base = &comparison->base, *new = &comparison->new;
	const struct diff_verdict_times gpu = { base->gpu, new->gpu, comparison->gpu,
						comparison->gpu_noise, comparison };
	const struct diff_verdict_times cpu = { base->cpu, new->cpu, comparison->cpu,
						comparison->cpu_noise, comparison };
	struct decision decision = { .device = has_device_time(comparison, index), .judged = true };
	if (decision.device)
		decision.change = diff_verdict_compare_times(&gpu, index, &decision.judged);
	enum change host = diff_verdict_compare_times(&cpu, index, &decision.judged);
	if (abs((int)host) > abs((int)decision.change)) {
		decision.change = host;
		decision.device = false;
	}
	decision.judged |= decision.change != SAME;
	return decision;
}

bool diff_decide(struct comparison *comparison, const struct progress *progress,
		 struct error *error)
{
	const struct diff_side *base = &comparison->base, *new = &comparison->new;
	size_t count = comparison->count;
	bool by_step = base->steps && new->steps;
	comparison->gpu = match_calls(&base->gpu_calls, &new->gpu_calls, comparison->pairs, count,
				      by_step, progress);
	if (comparison->gpu)
		comparison->cpu = match_calls(&base->cpu_calls, &new->cpu_calls, comparison->pairs,
					      count, by_step, progress);
	if (!comparison->cpu)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	comparison->gpu_noise = mem_zalloc(count, sizeof *comparison->gpu_noise);
	comparison->cpu_noise = mem_zalloc(count, sizeof *comparison->cpu_noise);
	noise_between_runs(comparison->gpu, comparison->pairs, count, comparison->gpu_noise);
	noise_between_runs(comparison->cpu, comparison->pairs, count, comparison->cpu_noise);
	comparison->decisions = mem_zalloc(count, sizeof *comparison->decisions);
	for (size_t i = 0; i < count; i++)
		if (comparison->pairs[i].base != NO_ROW && comparison->pairs[i].new != NO_ROW)
			comparison->decisions[i] = decide(comparison, i);
	return true;
}

bool diff_is_renamed(const struct comparison *comparison, size_t index)
{
	const struct pair *pair = &comparison->pairs[index];
	return pair->base != NO_ROW && pair->new != NO_ROW &&
	       (comparison->new.rows[pair->new].renamed ||
		comparison->base.align[pair->base].key != comparison->new.align[pair->new].key);
}

/* Is a difference without a sure change too large to call the row the same? */
static bool is_notable(const struct comparison *comparison, size_t index)
{
	const double notable = 0.10;
	const struct pair *pair = &comparison->pairs[index];
	bool device = has_device_time(comparison, index);
	const struct diff_side *base = &comparison->base, *new = &comparison->new;
	const struct spread *before = diff_spread_at(device ? base->gpu : base->cpu, pair->base);
	const struct spread *after = diff_spread_at(device ? new->gpu : new->cpu, pair->new);
	return fabs(after->time - before->time) > notable * before->time;
}

const char *diff_verdict(const struct comparison *comparison, size_t index)
{
	const struct pair *pair = &comparison->pairs[index];
	const struct diff_row *base = diff_row_of(&comparison->base, pair->base);
	const struct diff_row *new = diff_row_of(&comparison->new, pair->new);
	int64_t bytes = diff_difference(base->bytes, new->bytes);
	if (pair->base == NO_ROW || pair->new == NO_ROW)
		return pair->base == NO_ROW ? "new" : "gone";
	if (!bytes && !diff_difference(base->gpu, new->gpu) &&
	    !diff_difference(base->cpu, new->cpu) && !diff_difference(base->calls, new->calls) &&
	    !diff_is_renamed(comparison, index))
		return NULL;
	if (comparison->grouping->bytes)
		return bytes > 0 ? "more" : bytes < 0 ? "less" : "same";
	const struct decision *decision = &comparison->decisions[index];
	if (!decision->judged)
		return "not comparable";
	return decision->change == SAME && is_notable(comparison, index)
		       ? "within noise"
		       : diff_change_name(decision->change);
}

bool diff_is_noise(struct value verdict)
{
	return value_compare(verdict, value_text("same")) == 0 ||
	       value_compare(verdict, value_text("within noise")) == 0;
}

/* "GPU" or "CPU": what the verdict compares, if it found a change. */
const char *diff_compared(const struct comparison *comparison, size_t index)
{
	const struct decision *decision = &comparison->decisions[index];
	return decision->change == SAME ? NULL : decision->device ? "GPU" : "CPU";
}

void diff_decisions_free(struct comparison *comparison)
{
	mem_free(comparison->gpu);
	mem_free(comparison->cpu);
	mem_free(comparison->gpu_noise);
	mem_free(comparison->cpu_noise);
	mem_free(comparison->decisions);
}
