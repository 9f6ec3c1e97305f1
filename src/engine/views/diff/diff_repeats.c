/*
 * Numbers and verdicts of the rows of a comparison into which layers of one class are folded.
 */
#include "views/diff/diff.h"

#include "base/error.h"
#include "table/repeats.h"

#include <math.h>

/* Sum of a column over the members; nothing if none has it. */
static void diff_repeats_add_up(struct table *table, const struct repeat *repeat, const char *id)
{
	size_t column = (size_t)table_need(table, id);
	int64_t sum = NO_VALUE;
	for (size_t i = 0; i < repeat->count; i++) {
		struct value value = table_value(table, repeat->members[i], column);
		if (value.kind == VALUE_INT)
			sum = (sum == NO_VALUE ? 0 : sum) + value.integer;
	}
	table_set_at(table, repeat->row, column, cell_int(sum));
}

/* Times of GPU (0) or CPU (1) of a row, per step if the runs have different numbers of them. */
static bool read_times(const struct comparison *comparison, const struct table *table, size_t row,
		       int clock, double *base, double *new)
{
	const char *const *columns = clock ? diff_cpu_columns : diff_gpu_columns;
	struct value before = table_cell(table, row, columns[0]);
	struct value after = table_cell(table, row, columns[1]);
	bool by_step = comparison->steps && comparison->base.steps != comparison->new.steps;
	*base = before.kind == VALUE_INT ? (double)before.integer : 0;
	*new = after.kind == VALUE_INT ? (double)after.integer : 0;
	if (by_step) {
		*base /= comparison->base.steps;
		*new /= comparison->new.steps;
	}
	return before.kind == VALUE_INT && after.kind == VALUE_INT;
}

static void set_ratio(const struct comparison *comparison, struct table *table, size_t row)
{
	double base, new;
	for (int clock = 0; clock < 2; clock++) {
		if (!read_times(comparison, table, row, clock, &base, &new) || base <= 0)
			continue;
		table_set(table, row, "ratio", value_real(new / base));
		return;
	}
}

static double change_by_clock(void *context, const struct table *table, size_t row, int clock)
{
	double base, new;
	read_times(context, table, row, clock, &base, &new);
	return new - base;
}

/* How much a row changed in the time that its verdict compares. */
static double change_compared(const struct table *table, size_t row)
{
	bool host = diff_is_of(table_cell(table, row, "compared"), "CPU");
	struct value gpu = table_cell(table, row, "delta_gpu_ns");
	struct value cpu = table_cell(table, row, "delta_cpu_ns");
	struct value change = host || gpu.kind != VALUE_INT ? cpu : gpu;
	return change.kind == VALUE_INT ? fabs((double)change.integer) : 0;
}

/* The verdict with the most time among those that are a change; otherwise that of all members. */
static struct value main_verdict(const struct table *table, const struct repeat *repeat)
{
	static const char *const changes[] = { "slower", "likely slower", "new",  "gone",
					       "faster", "likely faster", "more", "less" };
	struct value main = table_cell(table, repeat->members[0], "verdict");
	bool shared = true, noise = true;
	double most = -1;
	for (size_t i = 0; i < repeat->count; i++) {
		struct value verdict = table_cell(table, repeat->members[i], "verdict");
		shared &= value_compare(verdict, main) == 0;
		noise &= diff_is_noise(verdict);
	}
	main = shared ? main : noise ? value_text("within noise") : value_missing();
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
		double time = -1;
		for (size_t i = 0; i < repeat->count; i++)
			if (value_is(table_cell(table, repeat->members[i], "verdict"), changes[k]))
				time = fmax(time, 0) + change_compared(table, repeat->members[i]);
		if (time > most) {
			most = time;
			main = value_text(changes[k]);
		}
	}
	return main;
}

/* Set the main verdict and how many members have it, "1 of 16 slower", and what it compares. */
static void set_verdict(struct table *table, const struct repeat *repeat)
{
	struct value verdict = main_verdict(table, repeat), compared = value_missing();
	size_t count = 0;
	bool one = true;
	for (size_t i = 0; i < repeat->count; i++) {
		size_t row = repeat->members[i];
		if (value_compare(table_cell(table, row, "verdict"), verdict) != 0)
			continue;
		struct value value = table_cell(table, row, "compared");
		one &= !count || value_compare(value, compared) == 0;
		compared = value;
		count++;
	}
	if (verdict.kind == VALUE_TEXT && count < repeat->count)
		table_set(table, repeat->row, "verdict",
			  table_printf(table, "%zu of %zu %s", count, repeat->count, verdict.text));
	else
		table_set(table, repeat->row, "verdict", verdict);
	if (one && compared.kind == VALUE_TEXT)
		table_set(table, repeat->row, "compared", compared);
	if (diff_is_noise(verdict)) /* it stands out by chance */
		table_set(table, repeat->row, "outlier", value_missing());
}

/* Numbers of a folded row, and the members' verdict. */
static void add_repeats(void *context, struct table *table, const struct repeat *repeat)
{
	static const char *const sums[] = { REPEATED_SUM_ROWS };
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		diff_repeats_add_up(table, repeat, sums[i]);
	set_verdict(table, repeat);
	set_ratio(context, table, repeat->row);
}

bool diff_fold_repeats(struct comparison *comparison, struct table *table,
		       const struct progress *progress, struct error *error)
{
	const struct repeat_rules rules = { .measures = { "delta_gpu_ns", "delta_cpu_ns" },
					    .fill = add_repeats,
					    .change = change_by_clock,
					    .context = comparison,
					    .paths = !table->is_tree };
	return table_fold_repeats(table, &rules, progress) || error_cancelled(error);
}
