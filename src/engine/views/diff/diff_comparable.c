/*
 * How far two runs can be compared: the share of their time in rows that both have, their devices,
 * their steps.
 */
#include "views/diff/diff.h"

#include "base/buffer.h"

#include <math.h>

static const double SHARE_FOR_YES = 0.9, SHARE_FOR_WEAK = 0.5;

static int64_t diff_comparable_time_of(const struct diff_row *row)
{
	return (row->gpu == NO_VALUE ? 0 : row->gpu) + (row->cpu == NO_VALUE ? 0 : row->cpu);
}

/*
 * The pair that decides whether the time of a leaf is in both runs: a comparison of layers lists no
 * kernels, whose names depend on the device, so the layer around them or, without one, the
 * outermost operator.
 */
static const struct pair *holder(const struct comparison *comparison, size_t index)
{
	const struct pair *pair = &comparison->pairs[index];
	if (comparison->grouping->kind_above && pair->parent)
		return &comparison->pairs[pair->parent];
	while (comparison->grouping->rows != DIFF_ALL && !diff_named_row(comparison, pair)->layer) {
		const struct pair *above = &comparison->pairs[pair->parent];
		if (above == comparison->pairs || diff_named_row(comparison, above)->run)
			break;
		pair = above;
	}
	return pair;
}

/* All time in an operator, of both runs; 0 if one lacks it. */
static double time_inside(const struct comparison *comparison, const struct pair *pair)
{
	double time = 0;
	if (pair->base == NO_ROW || pair->new == NO_ROW)
		return 0;
	for (int device = 0; device < 2; device++) {
		const struct diff_row *base = &comparison->base.rows[pair->base];
		const struct diff_row *new = &comparison->new.rows[pair->new];
		time += fmax(0, (double)(device ? base->gpu_total : base->cpu_total));
		time += fmax(0, (double)(device ? new->gpu_total : new->cpu_total));
	}
	return time;
}

/*
 * Time in rows that both runs have, as a share of all; of a tree, of its leaves; at least that
 * inside an operator that both have, which may be made of others.
 */
static double common_share(const struct comparison *comparison)
{
	double common = 0, all = 0, inside = 0;
	for (size_t i = 1; i < comparison->count; i++) {
		const struct pair *pair = &comparison->pairs[i];
		double time = 0;
		if (pair->base != NO_ROW && comparison->base.align[pair->base].size == 1)
			time += (double)diff_comparable_time_of(&comparison->base.rows[pair->base]);
		if (pair->new != NO_ROW && comparison->new.align[pair->new].size == 1)
			time += (double)diff_comparable_time_of(&comparison->new.rows[pair->new]);
		const struct pair *held = holder(comparison, i);
		common += held->base != NO_ROW && held->new != NO_ROW ? time : 0;
		all += time;
		if (comparison->grouping->totals)
			inside = fmax(inside, time_inside(comparison, pair));
	}
	return all > 0 ? fmin(1, fmax(common, inside) / all) : 1;
}

static const char *device_name(const struct profile *profile)
{
	return profile->device_count ? intern_text(profile->strings, profile->devices[0].name) : "";
}

bool diff_devices_differ(const struct comparison *comparison)
{
	const char *before = device_name(comparison->base.rank->profile);
	const char *after = device_name(comparison->new.rank->profile);
	return *before && *after && strcmp(before, after) != 0;
}

__attribute__((format(printf, 2, 3))) static void add_reason(struct buffer *reasons,
							     const char *format, ...)
{
	va_list arguments;
	buffer_puts(reasons, reasons->length ? "; " : "");
	va_start(arguments, format);
	buffer_vprintf(reasons, format, arguments);
	va_end(arguments);
}

/* Of runs of several ranks, one is compared: its share of the work depends on their number. */
static void add_ranks_reason(struct buffer *reasons, const struct comparison *comparison)
{
	size_t before = comparison->base.run->rank_count, after = comparison->new.run->rank_count;
	if (before != after)
		add_reason(reasons, "the base has %zu rank%s, the new run %zu", before,
			   before == 1 ? "" : "s", after);
}

/* A slow first step is in the times, but not in the mean step. */
static const char *slow_start(const struct diff_side *side)
{
	const struct derived *derived = side->rank->derived;
	return derived->step_count && derived->steps[0].slow_start ? " without its slow first one"
								   : "";
}

static void add_steps_reason(struct buffer *reasons, const struct comparison *comparison)
{
	if (comparison->base.rank->profile->tables || comparison->new.rank->profile->tables)
		add_reason(reasons, "a summary has sums of its steps, so calls are compared");
	else if (!comparison->steps)
		add_reason(reasons,
			   "one run has fewer than %d complete steps, so calls are compared",
			   SPREAD_STEPS);
	else if (comparison->base.steps != comparison->new.steps)
		add_reason(
			reasons,
			"the base has %u complete steps%s, the new run %u%s: times are totals, verdicts and order use the mean step",
			comparison->base.steps, slow_start(&comparison->base),
			comparison->new.steps, slow_start(&comparison->new));
}

void diff_note_comparable(struct table *table, const struct comparison *comparison)
{
	const struct profile *base = comparison->base.rank->profile;
	const struct profile *new = comparison->new.rank->profile;
	double share = common_share(comparison);
	AUTO_BUFFER struct buffer reasons = { 0 };
	if (share < SHARE_FOR_YES)
		add_reason(&reasons, "only %.0f%% of the time is in rows of both runs",
			   100 * share);
	if (diff_devices_differ(comparison))
		add_reason(&reasons, "the devices differ");
	add_ranks_reason(&reasons, comparison);
	if (base->truncated || new->truncated)
		add_reason(&reasons, "a file is truncated");
	bool weak = reasons.length || !comparison->steps;
	add_steps_reason(&reasons, comparison);
	table->comparable = share < SHARE_FOR_WEAK ? "no" : weak ? "weak" : "yes";
	table->reasons = table_printf(table, "%s", buffer_text(&reasons)).text;
	table_note(table, "Comparable: %s%s%s.", table->comparable, reasons.length ? "; " : "",
		   table->reasons);
}
