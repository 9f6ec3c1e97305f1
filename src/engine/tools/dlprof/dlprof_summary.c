/*
 * DLProf's summary and expert system advice.
 */
#include "tools/dlprof/dlprof_views.h"

#include <math.h>

static const char system_section[] = "System Config", summary_section[] = "Summary Report",
		  iterations_section[] = "Iterations", ops_section[] = "All Ops",
		  kernels_section[] = "All Kernels";

/* A line of the summary: a value, or the sums of CATEGORY (NULL: none). */
static void add_line(struct dlprof_results *results, const char *section, const char *metric,
		     struct value value, const struct dlprof_category *category)
{
	size_t row = table_add_row(results->table, NO_REF), column = 0;
	DLPROF_SUMMARY_COLUMNS(DLPROF_SET)
}

static void dlprof_summary_add_value(struct dlprof_results *results, const char *section,
				     const char *metric, struct value value)
{
	add_line(results, section, metric, value, NULL);
}

static void add_system(struct dlprof_results *results)
{
	static const char *const names[DLPROF_FACTS] = { DLPROF_SYSTEM_ROWS(LISTED_NAME) };
	for (int i = 0; i < DLPROF_FACTS; i++)
		if (results->dlprof->fact[i])
			dlprof_summary_add_value(results, system_section, names[i],
						 dlprof_text(results, results->dlprof->fact[i]));
}

static void add_shares(struct dlprof_results *results)
{
	static const char *const names[DLPROF_SHARES] = { DLPROF_SHARE_ROWS(LISTED_NAME) };
	dlprof_summary_add_value(results, summary_section, "Wall Clock Time (ns)",
				 results->sums.wall ? value_int(results->sums.wall)
						    : value_missing());
	for (int i = 0; i < DLPROF_SHARES; i++)
		dlprof_summary_add_value(results, summary_section, names[i],
					 cell_real(results->sums.share[i]));
}

static void add_iterations(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = &results->sums;
	DLPROF_ITERATION_LINES(dlprof_summary_add_value);
}

static void add_category(struct dlprof_results *results, const char *section, const char *name,
			 const struct dlprof_category *category)
{
	const struct dlprof_category *ops = results->sums.ops;
	bool of_kernels = section == kernels_section || category == &ops[DLPROF_TC_OPS] ||
			  category == &ops[DLPROF_ELIGIBLE_OPS];
	bool known = !of_kernels || results->dlprof->call_count;
	add_line(results, section, name, value_missing(), known ? category : NULL);
}

void dlprof_fill_summary(struct dlprof_results *results)
{
	const struct dlprof_category *ops = results->sums.ops;
	const struct dlprof_category *kernels = results->sums.kernels;
	struct dlprof_category all = kernels[DLPROF_ALL_KERNELS];
	for (int i = 0; i < DLPROF_TIMES; i++)
		all.time[i] += kernels[DLPROF_MEMORY].time[i];
	all.count += kernels[DLPROF_MEMORY].count;
	add_system(results);
	add_shares(results);
	add_iterations(results);
	DLPROF_CATEGORY_LINES(add_category);
}

void dlprof_fill_expert_systems(struct dlprof_results *results)
{
	const struct dlprof_aggregation *from = results->stored;
	for (size_t i = 0; from && i < from->advice_count; i++) {
		const struct dlprof_advice *advice = &from->advice[i];
		size_t row = table_add_row(results->table, NO_REF);
		size_t column = 0;
		DLPROF_ADVICE_COLUMNS(DLPROF_SET)
	}
	if (from)
		return;
	results->cancelled |= !dlprof_add_counterparts(results->table, results->query);
	table_note(results->table, "%s: findings of strata under the names of its detectors.",
		   results->derived
			   ? "DLProf made no advice"
			   : "DLProf's advice is for the range that it aggregated, not this one");
}
