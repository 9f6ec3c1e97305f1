/*
 * Real DLProf databases: views match the rows in golden/dlprof/queries.json, and strata's own
 * shares of time over the same range match DLProf's.
 */
#include "dlprof_golden.h"

#include "tools/dlprof/dlprof_aggregate.h"
#include "tools/dlprof/dlprof_views.h"

#define TIMES                                                                                      \
	{ "cpu_total", "cpu_total_ns" }, { "cpu_avg", "cpu_avg_ns" }, { "cpu_min", "cpu_min_ns" }, \
		{ "cpu_max", "cpu_max_ns" }, { "gpu_total", "gpu_total_ns" },                      \
		{ "gpu_avg", "gpu_avg_ns" }, { "gpu_min", "gpu_min_ns" },                          \
		{ "gpu_max", "gpu_max_ns" }, { "overhead_total", "overhead_total_ns" },            \
		{ "overhead_avg", "overhead_avg_ns" }, { "idle_total", "idle_total_ns" },          \
	{                                                                                          \
		"idle_max", "idle_max_ns"                                                          \
	}

static const struct golden_comparison reports[] = {
	{ "ops",
	  &dlprof_detailed.view,
	  NULL,
	  0,
	  { { "op_id", "op_id" },
	    { "op_name", "op_name" },
	    { "op_type", "op_type" },
	    { "direction", "direction" },
	    { "num_calls", "calls" },
	    { "tc_eligible", "tc_eligible" },
	    { "using_tc", "tc_used" },
	    { "data_type", "data_type" },
	    TIMES } },
	{ "op_types",
	  &dlprof_op_type.view,
	  NULL,
	  0,
	  { { "op_type", "op_type" }, { "num_nodes", "ops" }, { "num_calls", "calls" }, TIMES } },
	{ "group_ops",
	  &dlprof_group_op.view,
	  "json_extract(r.value, '$[0]') = 1",
	  1,
	  { { "full_name", "path" },
	    { "num_op_instances", "calls" },
	    { "num_supported_leaf_ops", "eligible_ops" },
	    { "num_tc_leaf_ops", "tc_ops" },
	    TIMES } },
	{ "kernels_by_op",
	  &dlprof_kernel.view,
	  NULL,
	  0,
	  { { "op_id", "op_id" },
	    { "kernel", "name" },
	    { "uses_tc", "tc_used" },
	    { "gpu_total", "gpu_total_ns" },
	    { "gpu_avg", "gpu_avg_ns" },
	    { "gpu_min", "gpu_min_ns" },
	    { "gpu_max", "gpu_max_ns" },
	    { "api_total", "api_total_ns" },
	    { "api_avg", "api_avg_ns" },
	    { "api_min", "api_min_ns" },
	    { "api_max", "api_max_ns" } } },
	{ "kernel_instances",
	  &dlprof_iteration.view,
	  NULL,
	  0,
	  { { "iter_value", "step" },
	    { "op_id", "op_id" },
	    { "kernel", "name" },
	    { "api_start", "api_start_ns" },
	    { "api_time", "api_dur_ns" },
	    { "gpu_start", "start_ns" },
	    { "gpu_time", "dur_ns" },
	    { "uses_tc", "tc_used" } } },
	{ "expert_systems",
	  &dlprof_expert_systems.view,
	  NULL,
	  0,
	  { { "exp_sys_id", "detector" },
	    { "problem", "problem" },
	    { "recommendation", "recommendation" } } },
};

/* The explorer's views of the file. */
static const struct golden_comparison views[] = {
	{ "iterations",
	  &view_steps,
	  NULL,
	  0,
	  { { "iter_value", "step" }, { "start_time", "start_ns" }, { "duration", "dur_ns" } } },
	{ "op_types",
	  &view_operators,
	  NULL,
	  0,
	  { { "op_type", "name" }, { "num_calls", "calls" }, { "cpu_total", "cpu_total_ns" } } },
};

/* ---- totals ---- */

static void compare_totals(const struct run *run, const char *file)
{
	static const char *const metrics[][2] = {
		{ "wall_time", "Wall Clock Time (ns)" },
		{ "gpu_utilization", "GPU Utilization %" },
		{ "tc_utilization", "Tensor Core Kernel Utilization %" },
		{ "tc_duration_pct", "Tensor Core Kernel Duration %" },
		{ "non_tc_duration_pct", "Non-Tensor Core Kernel Duration %" },
		{ "memory_duration_pct", "Memory Duration %" },
		{ "dataloader_duration_pct", "Dataloader Duration %" },
		{ "io_duration_pct", "IO Duration %" },
		{ "cpu_duration_pct", "CPU Duration %" },
		{ "other_duration_pct", "Other Duration %" },
		{ "avg_iteration_time", "Average Iteration Time (ns)" },
		{ "iter_total", "Total Iterations" },
		{ "iter_stop", "Stop Iteration" },
	};
	struct table *summary = golden_view(run, &dlprof_summary.view);

	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
		sqlite3_stmt *row = golden_rows(file, "totals", &metrics[i][0], 1, NULL);
		bool found = false;
		assert_int_equal(sqlite3_step(row), SQLITE_ROW);
		for (size_t r = 0; r < summary->rows; r++) {
			struct value name = table_cell(summary, r, "metric");
			if (name.length == strlen(metrics[i][1]) &&
			    memcmp(name.text, metrics[i][1], name.length) == 0)
				found = golden_is(row, 0, table_cell(summary, r, "value"));
		}
		if (!found)
			fail_msg("%s: the total %s is not shown", file, metrics[i][0]);
		sqlite3_finalize(row);
	}
	table_free(summary);
}

static void compare_kernel_time(const struct run *run, const char *file)
{
	static const char *const columns[] = { "n", "gpu" };
	sqlite3_stmt *row = golden_rows(file, "raw_counts", columns, 2,
					"json_extract(r.value, '$[0]') = 'kernels'");
	struct table *kernels = golden_view(run, &view_kernels);
	int64_t calls = 0, total = 0;

	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	for (size_t i = 0; i < kernels->rows; i++) {
		calls += table_number(kernels, i, "calls");
		total += table_number(kernels, i, "total_ns");
	}
	assert_int_equal(calls, sqlite3_column_int64(row, 0));
	assert_int_equal(total, sqlite3_column_int64(row, 1));
	sqlite3_finalize(row);
	table_free(kernels);
}

/*
 * GPU time per call, of the types of ops that set no memory: DLProf leaves that out, and the time
 * in which two kernels of an op overlap.
 */
static void compare_gpu_of_calls(const struct run *run, const char *file)
{
	static const char *const columns[] = { "op_type", "gpu_avg", "gpu_min", "gpu_max" };
	sqlite3_stmt *type = golden_rows(file, "op_types", columns, 4,
					 "json_extract(r.value, '$[0]') <> 'conv2d'");
	struct table *operators = golden_view(run, &view_operators);
	size_t found = 0;

	for (; sqlite3_step(type) == SQLITE_ROW; found++) {
		size_t row =
			row_with(operators, "name", (const char *)sqlite3_column_text(type, 0));
		bool blank = !run->ranks[0].profile->activities;
		for (int i = 1; i < 4; i++) {
			static const char *const own[] = { "", "gpu_avg_ns", "gpu_min_ns",
							   "gpu_max_ns" };
			struct value value = table_cell(operators, row, own[i]);
			if (blank ? value.kind != VALUE_MISSING : !golden_is(type, i, value))
				fail_msg("%s: %s of %s is %s", file, own[i],
					 (const char *)sqlite3_column_text(type, 0),
					 (const char *)sqlite3_column_text(type, i));
		}
	}
	assert_true(found > 0);
	sqlite3_finalize(type);
	table_free(operators);
}

/* ---- strata's own shares ---- */

/* Sums of ops, types, groups and kernels are compared with the golden rows, above. */
static void check_shares(const struct run *run, const char *file)
{
	const struct dlprof *dlprof = dlprof_of(run->ranks[0].profile);
	const struct dlprof_aggregation *theirs = &dlprof->aggregations[0];
	struct dlprof_aggregation ours;
	struct error error = { 0 };

	assert_true(dlprof_aggregate(dlprof, run->ranks[0].profile->strings,
				     &(struct dlprof_range){ 0 }, &ours, NULL, &error));
	assert_int_equal(ours.wall, theirs->wall);
	assert_int_equal(ours.iterations, theirs->iterations);
	for (int i = 0; i < DLPROF_SHARES; i++)
		assert_float_equal(ours.share[i], theirs->share[i], 1e-5);
	dlprof_aggregation_clear(&ours);
}

static void check_reports(const struct run *run, const char *file)
{
	golden_compare(reports, sizeof reports / sizeof *reports, run, file);
	compare_totals(run, file);
}

static void check_views(const struct run *run, const char *file)
{
	golden_compare(views, sizeof views / sizeof *views, run, file);
	compare_kernel_time(run, file);
	compare_gpu_of_calls(run, file);
}

TEST(reports_match_stored_rows)
{
	golden_each(check_reports);
}

TEST(views_match_stored_rows)
{
	golden_each(check_views);
}

TEST(own_shares_match_stored_shares)
{
	golden_each(check_shares);
}

TEST_PROGRAM(golden_open, golden_close)
