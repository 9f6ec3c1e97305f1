/*
 * Rows of the operators and kernels views from tables of operators that a profiler printed.
 */
#include "derived/kernel_family.h"
#include "model/python_stats.h"
#include "views/views.h"

#include <math.h>

static const char stage[] = "summing operators", kernel_stage[] = "summing kernels";

static void operator_totals_add_to(double *sum, double value)
{
	if (!isnan(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

static void operator_totals_add_row(struct python_operator *sum, const struct python_operator *row)
{
	if (sum->calls == NO_VALUE)
		sum->calls = row->calls;
	else if (row->calls != NO_VALUE &&
		 __builtin_add_overflow(sum->calls, row->calls, &sum->calls))
		sum->calls = INT64_MAX;
	sum->gpu_min_s = fmin(sum->gpu_min_s, row->gpu_min_s); /* NaN only if both are */
	sum->gpu_max_s = fmax(sum->gpu_max_s, row->gpu_max_s);
	sum->gpu_deviation_s = isnan(sum->gpu_self_s) ? row->gpu_deviation_s : NAN;
	OPERATOR_SUMS(operator_totals_add_to);
}

static struct value cell_scaled(double value, double scale)
{
	double scaled = value * scale;
	return isnan(scaled) || fabs(scaled) > 9e18 ? value_missing() : value_int(llround(scaled));
}

/* Time per call; blank without calls. */
static struct value seconds_per_call(double seconds, int64_t calls)
{
	return calls > 0 ? cell_real(seconds * 1e9 / (double)calls) : value_missing();
}

static void write_row(struct table *table, const struct profile *profile,
		      const struct python_operator *sum, bool by_shape)
{
	struct ref ref = { REF_OPERATOR, sum->name, by_shape ? sum->shapes : NO_ROW,
			   sum->stack ? sum->stack : NO_ROW };
	size_t row = table_add_row(table, ref);
	table_set_listed(table, row, "name", cell_text(profile, sum->name));
	table_set_listed(table, row, "section", cell_text(profile, sum->section));
	if (by_shape)
		table_set_listed(table, row, "input_shapes", cell_text(profile, sum->shapes));
	OPERATOR_TOTAL_CELLS(table_set_listed);
	if (!isnan(sum->flops))
		table->default_columns =
			"name,input_shapes,stack,calls,gpu_self_ns,gpu_total_ns,cpu_self_ns,"
			"cpu_total_ns,flops,section";
}

/* The row with the name, section, stack and (BY_SHAPE) shapes of ROW; the first is added to SUMS.
 */
static struct python_operator *find_sum(struct python_stats *sums, struct keyed *keys,
					const struct python_operator *row, bool by_shape)
{
	const uint32_t key[] = { row->name, row->section, by_shape ? row->shapes : 0, row->stack };
	uint32_t at = keyed_add(keys, key, sizeof key);
	if (at < sums->operator_count)
		return &sums->operators[at];
	struct python_operator *sum = python_operator_add(sums);
	sum->name = row->name;
	sum->section = row->section;
	sum->shapes = key[2];
	sum->stack = row->stack;
	return sum;
}

bool add_operator_totals(struct table *table, const struct view_query *query, bool by_shape)
{
	const struct profile *profile = query->selection->profile;
	const struct python_stats *stats = profile->python;
	struct python_stats *sums = python_stats_new();
	AUTO_KEYED struct keyed keys = { 0 };
	bool ok = true;
	table->default_sort = "gpu_self_ns:desc,cpu_self_ns:desc,cpu_total_ns:desc";
	table->stated[0].column = "cpu_self_ns";
	table->stated[0].sum = python_fact_sum(stats, PYTHON_CPU_SELF);
	table->stated[1].column = "gpu_self_ns";
	table->stated[1].sum = python_fact_sum(stats, PYTHON_GPU_SELF);
	for_rows (ok, i, stats->operator_count, query->progress, stage) {
		const struct python_operator *row = &stats->operators[i];
		if (row->kind == ROW_OPERATOR || row->kind == ROW_COPY)
			operator_totals_add_row(find_sum(sums, &keys, row, by_shape), row);
	}
	for_heavy_rows (ok, i, sums->operator_count, query->progress, stage, 16)
		write_row(table, profile, &sums->operators[i], by_shape);
	python_stats_free(sums);
	return ok;
}

/* ---- kernels ---- */

struct kernels {
	struct table *table;
	const struct view_query *query;
	const struct kernel_name *names; /* by string */
	struct python_stats *sums;       /* kernels */
	double all;                      /* nanoseconds of all, as far as stated */
};

static enum kernel_family family_of(const struct kernels *kernels,
				    const struct python_operator *sum)
{
	return (enum kernel_family)kernels->names[sum->name].family;
}

/* What a row has, whether it is of a kernel or of a family. */
static void put_sums(const struct kernels *kernels, size_t row, const struct python_operator *sum,
		     enum kernel_family family)
{
	struct table *table = kernels->table;
	KERNEL_TOTAL_CELLS(table_set_listed);
}

/* Of a kernel without families, or of a family. */
static void put_share(const struct kernels *kernels, size_t row, const struct python_operator *sum)
{
	table_set_listed(kernels->table, row, "share_pct",
			 cell_real(1e11 * sum->gpu_self_s / kernels->all));
}

static size_t write_kernel(const struct kernels *kernels, const struct python_operator *sum)
{
	struct ref ref = { REF_KERNEL, sum->name, NO_ROW, NO_ROW };
	size_t row = table_add_row(kernels->table, ref);
	table_set_listed(kernels->table, row, "name",
			 cell_text(kernels->query->selection->profile, sum->name));
	if (sum->section) {
		table_set_listed(kernels->table, row, "section",
				 cell_text(kernels->query->selection->profile, sum->section));
		kernels->table->default_columns =
			"name,calls,total_ns,share_pct,avg_ns,min_ns,max_ns,section";
	}
	put_sums(kernels, row, sum, family_of(kernels, sum));
	return row;
}

static bool write_kernels(const struct kernels *kernels)
{
	bool ok = true;
	for_heavy_rows (ok, i, kernels->sums->operator_count, kernels->query->progress,
			kernel_stage, 16) {
		const struct python_operator *sum = &kernels->sums->operators[i];
		put_share(kernels, write_kernel(kernels, sum), sum);
	}
	return ok;
}

/* A row for each family, with its kernels below it. */
static bool write_families(const struct kernels *kernels)
{
	const struct python_stats *sums = kernels->sums;
	struct python_stats *families = python_stats_new();
	bool held[KERNEL_FAMILIES] = { 0 }, ok = true;
	for (size_t f = 0; f < KERNEL_FAMILIES; f++)
		python_operator_add(families);
	for (size_t i = 0; i < sums->operator_count; i++) {
		enum kernel_family family = family_of(kernels, &sums->operators[i]);
		operator_totals_add_row(&families->operators[family], &sums->operators[i]);
		held[family] = true;
	}
	for (size_t f = 0; f < KERNEL_FAMILIES && ok; f++) {
		if (!held[f])
			continue;
		size_t row = table_add_row(kernels->table, NO_REF);
		table_set_listed(kernels->table, row, "name",
				 value_text(kernel_family_name((enum kernel_family)f)));
		table_set_listed(kernels->table, row, "depth", value_int(0));
		put_sums(kernels, row, &families->operators[f], (enum kernel_family)f);
		put_share(kernels, row, &families->operators[f]);
		for (size_t i = 0; i < sums->operator_count && ok; i++) {
			ok = progress_heavy_row(kernels->query->progress, kernel_stage, i,
						kernels->sums->operator_count, 16);
			if (family_of(kernels, &sums->operators[i]) != f)
				continue;
			row = write_kernel(kernels, &sums->operators[i]);
			table_set_depth(kernels->table, row, 1);
			table_set_listed(kernels->table, row, "depth", value_int(1));
		}
	}
	kernels->table->is_tree = true;
	python_stats_free(families);
	return ok;
}

bool add_kernel_totals(struct table *table, const struct view_query *query, bool by_family)
{
	const struct python_stats *stats = query->selection->profile->python;
	struct kernels kernels = {
		.table = table,
		.query = query,
		.names = derived_kernel_names(query->selection->derived, query->progress),
		.sums = python_stats_new(),
		.all = python_kernel_ns(stats),
	};
	AUTO_KEYED struct keyed keys = { 0 };
	bool ok = kernels.names != NULL;
	table->stated[0].column = "total_ns";
	table->stated[0].sum = kernels.all;
	for_rows (ok, i, stats->operator_count, query->progress, kernel_stage) {
		const struct python_operator *row = &stats->operators[i];
		if (row->kind == ROW_KERNEL)
			operator_totals_add_row(find_sum(kernels.sums, &keys, row, false), row);
	}
	ok = ok && (by_family ? write_families : write_kernels)(&kernels);
	python_stats_free(kernels.sums);
	return ok;
}
