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
	const char *section = iterations_section;
	dlprof_summary_add_value(results, section, "Total Iterations", value_int(from->iterations));
	dlprof_summary_add_value(results, section, "Aggregated Iterations",
				 value_int(from->aggregated));
	dlprof_summary_add_value(results, section, "Start Iteration", value_int(from->first));
	dlprof_summary_add_value(results, section, "Stop Iteration", value_int(from->last));
	dlprof_summary_add_value(results, section, "Average Iteration Time (ns)",
				 cell_real(from->average_iteration ?: NAN));
	dlprof_summary_add_value(results, section, "Iteration Time Standard Deviation",
				 cell_real(from->wall ? from->deviation : NAN));
}

static void add_category(struct dlprof_results *results, const char *section, const char *name,
			 const struct dlprof_category *category)
{
	bool known = section != kernels_section || results->dlprof->call_count;
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
	add_category(results, ops_section, "All ops", &ops[DLPROF_ALL_OPS]);
	add_category(results, ops_section, "Ops using TC", &ops[DLPROF_TC_OPS]);
	add_category(results, ops_section, "Ops eligible for TC but not using",
		     &ops[DLPROF_ELIGIBLE_OPS]);
	add_category(results, ops_section, "All other ops", &ops[DLPROF_OTHER_OPS]);
	add_category(results, kernels_section, "All kernels", &all);
	add_category(results, kernels_section, "Kernels using TC", &kernels[DLPROF_TC_KERNELS]);
	add_category(results, kernels_section, "Memory", &kernels[DLPROF_MEMORY]);
	add_category(results, kernels_section, "All other kernels", &kernels[DLPROF_OTHER_KERNELS]);
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
