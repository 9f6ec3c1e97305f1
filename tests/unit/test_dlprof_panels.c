/*
 * DLProf's panels: the figures that its viewer shows of real databases, in the views that the
 * dashboard and the explorer show.
 */
#include "dlprof_golden.h"

#include "tools/dlprof/dlprof_views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-4;
}

static double number_at(const struct table *table, size_t row, const char *column)
{
	struct value value = table_cell(table, row, column);
	return value.kind == VALUE_REAL ? value.real : (double)value.integer;
}

/* Row of METRIC in SECTION; fails the test if there is none. */
static size_t fact_of(const struct table *table, const char *section, const char *metric)
{
	for (size_t row = 0; row < table->rows; row++)
		if (cell_is(table, row, "section", section) &&
		    cell_is(table, row, "metric", metric))
			return row;
	fail_msg("no %s of %s", metric, section);
	return 0;
}

/* ---- iterations: resource usage breakdown, performance summary ---- */

static int64_t sum_of(const struct table *table, size_t row, const char *const columns[4])
{
	int64_t sum = 0;
	for (int i = 0; i < 4 && columns[i]; i++)
		sum += table_number(table, row, columns[i]);
	return sum;
}

/*
 * Classes of time, by the same priorities, of one device: DLProf's memory, CPU and kernel classes
 * are two each here. Of several devices DLProf's are means.
 */
static void check_breakdown(const struct run *run, const char *file)
{
	static const struct {
		const char *golden[2], *own[4];
	} classes[] = {
		{ { "duration" }, { "dur_ns" } },
		{ { "tc_duration", "non_tc_duration" }, { "kernel_ns", "communication_ns" } },
		{ { "memory_duration" }, { "memcpy_ns", "memset_ns" } },
		{ { "dataloader_duration" }, { "dataloader_ns" } },
		{ { "cpu_duration", "io_duration" }, { "runtime_ns", "cpu_exec_ns" } },
		{ { "other_duration" }, { "other_ns" } },
	};
	struct table *steps = golden_view(run, &view_steps);
	bool one = run->ranks[0].profile->device_count == 1;
	for (size_t i = 0; i < (one ? sizeof classes / sizeof *classes : 1); i++) {
		size_t parts = classes[i].golden[1] ? 2 : 1, rows = 0;
		sqlite3_stmt *golden =
			golden_rows(file, "iterations_profiled", classes[i].golden, parts, NULL);
		for (; sqlite3_step(golden) == SQLITE_ROW; rows++) {
			int64_t wanted = sqlite3_column_int64(golden, 0) +
					 (parts > 1 ? sqlite3_column_int64(golden, 1) : 0);
			if (sum_of(steps, rows, classes[i].own) != wanted)
				fail_msg("%s: %s of iteration %zu is not %lld", file,
					 classes[i].golden[0], rows, (long long)wanted);
		}
		assert_int_equal(rows, steps->rows);
		sqlite3_finalize(golden);
	}
	table_free(steps);
}

TEST(classes_of_time)
{
	golden_each(check_breakdown);
}

/* ---- GPU utilization, by device ---- */

static void check_devices(const struct run *run, const char *file)
{
	static const char *const utilization[] = { "device_id", "gpu_name", "gpu_utilization" };
	static const char *const properties[] = { "device_id", "sm_count",
						  "compute_capability_major",
						  "compute_capability_minor" };
	struct table *overview = golden_view(run, &view_overview);
	sqlite3_stmt *golden = golden_rows(file, "device_utilization", utilization, 3, NULL);
	char section[32], capability[32];
	size_t found = 0;
	for (; sqlite3_step(golden) == SQLITE_ROW; found++) {
		snprintf(section, sizeof section, "device %d", sqlite3_column_int(golden, 0));
		size_t row = fact_of(overview, section, "name");
		assert_cell(overview, row, "value", (const char *)sqlite3_column_text(golden, 1));
		if (!run->ranks[0].profile->activities || run->ranks[0].profile->device_count > 1)
			continue; /* no kernel ran */
		row = fact_of(overview, section, "gpu_util_pct");
		assert_true(is_near(number_at(overview, row, "value"),
				    sqlite3_column_double(golden, 2)));
	}
	assert_int_equal(found, run->ranks[0].profile->device_count);
	sqlite3_finalize(golden);
	golden = golden_rows(file, "gpus", properties, 4, NULL);
	while (sqlite3_step(golden) == SQLITE_ROW) {
		snprintf(section, sizeof section, "device %d", sqlite3_column_int(golden, 0));
		snprintf(capability, sizeof capability, "%d.%d", sqlite3_column_int(golden, 2),
			 sqlite3_column_int(golden, 3));
		size_t row = fact_of(overview, section, "sm_count");
		assert_int_equal(table_number(overview, row, "value"),
				 sqlite3_column_int64(golden, 1));
		row = fact_of(overview, section, "compute_capability");
		assert_cell(overview, row, "value", capability);
	}
	sqlite3_finalize(golden);
	table_free(overview);
}

TEST(devices)
{
	golden_each(check_devices);
}

/* ---- kernel GPU time: Tensor Cores, memory, other ---- */

static int64_t golden_number(const char *file, const char *query, const char *column,
			     const char *where)
{
	sqlite3_stmt *golden = golden_rows(file, query, &column, 1, where);
	assert_int_equal(sqlite3_step(golden), SQLITE_ROW);
	int64_t number = sqlite3_column_int64(golden, 0);
	sqlite3_finalize(golden);
	return number;
}

#define CATEGORY(name) "json_extract(r.value, '$[0]') = '" name "'"

static void check_kernel_time(const struct run *run, const char *file)
{
	struct table *kernels = golden_view(run, &view_kernels);
	struct table *launches = golden_view(run, &view_launches);
	int64_t tensor = 0, other = 0, memory = 0;
	for (size_t row = 0; row < kernels->rows; row++)
		*(cell_is(kernels, row, "tensor_core", "yes") ? &tensor : &other) +=
			table_number(kernels, row, "total_ns");
	for (size_t row = 0; row < launches->rows; row++)
		if (cell_is(launches, row, "kind", "memcpy") ||
		    cell_is(launches, row, "kind", "memset"))
			memory += table_number(launches, row, "dur_ns");
	assert_int_equal(
		tensor, golden_number(file, "kernel_categories", "gpu_time", CATEGORY("using_tc")));
	assert_int_equal(memory,
			 golden_number(file, "kernel_categories", "gpu_time", CATEGORY("memory")));
	assert_int_equal(other,
			 golden_number(file, "kernel_categories", "gpu_time", CATEGORY("other")));
	table_free(kernels);
	table_free(launches);
}

TEST(kernel_time_by_class)
{
	golden_each(check_kernel_time);
}

/* ---- ops: top 10, overhead and idle time by type, instances ---- */

static int by_gpu_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x < y) - (x > y);
}

static void check_top_ops(const struct run *run, const char *file)
{
	static const char *const columns[] = { "gpu_time", "op_id", "tc_eligible", "using_tc",
					       "num_calls" };
	static const char *const own[] = { "gpu_total_ns", "op_id", "tc_eligible", "tc_used",
					   "calls" };
	struct table *ops = golden_view(run, &dlprof_detailed.view);
	sqlite3_stmt *golden = golden_rows(file, "top10_gpu_ops", columns, 5, NULL);
	int64_t *times = mem_alloc((ops->rows + 1) * sizeof *times);
	size_t rank = 0;
	for (size_t row = 0; row < ops->rows; row++)
		times[row] = table_number(ops, row, "gpu_total_ns");
	qsort(times, ops->rows, sizeof *times, by_gpu_time);
	for (; sqlite3_step(golden) == SQLITE_ROW; rank++) {
		size_t row = row_with(ops, "op_id", (const char *)sqlite3_column_text(golden, 1));
		assert_int_equal(times[rank], sqlite3_column_int64(golden, 0));
		for (int i = 0; i < 5; i++)
			if (!golden_is(golden, i, table_cell(ops, row, own[i])))
				fail_msg("%s: %s of op %zu", file, columns[i], rank);
	}
	assert_int_equal(rank, 10);
	sqlite3_finalize(golden);
	mem_free(times);
	table_free(ops);
}

TEST(top_ops)
{
	golden_each(check_top_ops);
}

/* CPU time, CPU overhead and GPU idle time of types of ops, as columns of the view operators. */
static void check_op_types(const struct run *run, const char *file)
{
	static const char *const columns[] = { "op_type",        "num_calls",    "cpu_total",
					       "overhead_total", "overhead_avg", "idle_total",
					       "idle_max" };
	static const char *const own[] = { "name",
					   "calls",
					   "cpu_total_ns",
					   "overhead_total_ns",
					   "overhead_avg_ns",
					   "idle_total_ns",
					   "idle_max_ns" };
	/* idle time is, with kernels that have a launch */
	int known = profile_has_recorded(run->ranks[0].profile, RECORDED_KERNELS) &&
				    profile_has_recorded(run->ranks[0].profile, RECORDED_LINKS)
			    ? 7
			    : 5;
	struct table *operators = golden_view(run, &view_operators);
	sqlite3_stmt *golden = golden_rows(file, "op_types", columns, 7, NULL);
	size_t found = 0;
	for (; sqlite3_step(golden) == SQLITE_ROW; found++) {
		size_t row =
			row_with(operators, "name", (const char *)sqlite3_column_text(golden, 0));
		for (int i = 0; i < known; i++)
			if (!golden_is(golden, i, table_cell(operators, row, own[i])))
				fail_msg("%s: %s of %s", file, columns[i],
					 (const char *)sqlite3_column_text(golden, 0));
	}
	assert_int_equal(found, operators->rows);
	sqlite3_finalize(golden);
	table_free(operators);
}

TEST(op_types_in_operators)
{
	golden_each(check_op_types);
}

/* ---- ops and kernels: the kernels of a selected op ---- */

/* Sum of the kernels of one operator, as the explorer lists them when it is opened. */
static int64_t kernels_of(const struct run *run, const char *name, int64_t *calls)
{
	const struct profile *profile = run->ranks[0].profile;
	struct scope scope;
	int64_t total = 0;
	scope_init(&scope);
	scope.operator_name = intern_find(profile->strings, name, strlen(name));
	assert_int_not_equal(scope.operator_name, NO_ROW);
	struct table *kernels = trace_view(run, "kernels", &scope, NULL);
	*calls = 0;
	for (size_t row = 0; row < kernels->rows; row++) {
		total += table_number(kernels, row, "total_ns");
		*calls += table_number(kernels, row, "calls");
	}
	table_free(kernels);
	scope_clear(&scope);
	return total;
}

static void check_kernels_of_ops(const struct run *run, const char *file)
{
	static const char *const columns[] = { "op_id", "gpu_total", "calls" };
	struct table *ops = golden_view(run, &dlprof_detailed.view);
	struct table *types = golden_view(run, &view_operators);
	for (size_t type = 0; type < types->rows; type++) {
		const char *name = table_cell(types, type, "name").text;
		sqlite3_stmt *golden = golden_rows(file, "kernels_by_op", columns, 3, NULL);
		int64_t total = 0, calls = 0, shown;
		while (sqlite3_step(golden) == SQLITE_ROW) {
			size_t op = row_with(ops, "op_id",
					     (const char *)sqlite3_column_text(golden, 0));
			if (!cell_is(ops, op, "op_type", name))
				continue;
			total += sqlite3_column_int64(golden, 1);
			calls += sqlite3_column_int64(golden, 2);
		}
		sqlite3_finalize(golden);
		assert_int_equal(kernels_of(run, name, &shown), total);
		assert_int_equal(shown, calls);
	}
	table_free(ops);
	table_free(types);
}

TEST(kernels_of_ops)
{
	golden_each(check_kernels_of_ops);
}

/* Executions of ops, with times since the start of the profile. */
static void check_instances(const struct run *run, const char *file)
{
	static const char *const columns[] = { "cpu_start", "cpu_stop" };
	const struct profile *profile = run->ranks[0].profile;
	struct table *calls = golden_view(run, &view_calls);
	sqlite3_stmt *golden = golden_rows(file, "op_instances", columns, 2, NULL);
	size_t found = 0;
	for (; sqlite3_step(golden) == SQLITE_ROW; found++) {
		int64_t start = sqlite3_column_int64(golden, 0) - profile->base_ns;
		int64_t dur = sqlite3_column_int64(golden, 1) - sqlite3_column_int64(golden, 0);
		bool shown = false;
		for (size_t row = 0; row < calls->rows && !shown; row++)
			shown = table_number(calls, row, "start_ns") == start &&
				table_number(calls, row, "dur_ns") == dur;
		if (!shown)
			fail_msg("%s: the op at %lld is no call", file, (long long)start);
	}
	assert_true(found > 0);
	sqlite3_finalize(golden);
	table_free(calls);
}

TEST(instances_are_calls)
{
	golden_each(check_instances);
}

/* Copies with their direction, bytes and duration. */
static void check_copies(const struct run *run, const char *file)
{
	static const char *const columns[] = { "num_bytes", "m.gpu_stop-m.gpu_start" };
	struct table *launches = golden_view(run, &view_launches);
	sqlite3_stmt *golden = golden_rows(file, "memcpys", columns, 2, NULL);
	size_t wanted = 0, copies = 0;
	for (size_t row = 0; row < launches->rows; row++)
		copies += cell_is(launches, row, "kind", "memcpy");
	for (; sqlite3_step(golden) == SQLITE_ROW; wanted++) {
		bool shown = false;
		for (size_t row = 0; row < launches->rows && !shown; row++)
			shown = cell_is(launches, row, "kind", "memcpy") &&
				golden_is(golden, 0, table_cell(launches, row, "bytes")) &&
				golden_is(golden, 1, table_cell(launches, row, "dur_ns"));
		if (!shown)
			fail_msg("%s: copy %zu is not shown", file, wanted);
	}
	assert_int_equal(wanted, copies);
	sqlite3_finalize(golden);
	table_free(launches);
}

TEST(copies)
{
	golden_each(check_copies);
}

/* ---- system configuration, recommendations ---- */

static void check_system(const struct run *run, const char *file)
{
	static const char *const columns[] = { "num_gpus",     "cpu_model",      "driver_version",
					       "framework",    "cuda_version",   "cudnn_version",
					       "nsys_version", "dlprof_version", "dlprof_build" };
	static const char *const own[] = {
		"GPUs",         "CPU",           "driver version",         "framework",
		"CUDA version", "cuDNN version", "Nsight Systems version", "DLProf version",
		"DLProf build"
	};
	struct table *info = golden_view(run, &view_info);
	sqlite3_stmt *golden = golden_rows(file, "system_config", columns, 9, NULL);
	assert_int_equal(sqlite3_step(golden), SQLITE_ROW);
	for (int i = 0; i < 9; i++) {
		const char *wanted = (const char *)sqlite3_column_text(golden, i);
		if (*wanted)
			assert_cell(info, fact_of(info, "metadata", own[i]), "value", wanted);
	}
	sqlite3_finalize(golden);
	table_free(info);
}

TEST(system_configuration)
{
	golden_each(check_system);
}

/* Stored recommendations are rows of the view advice, with DLProf's words. */
static void check_advice(const struct run *run, const char *file)
{
	static const char *const columns[] = { "exp_sys_id", "problem", "recommendation" };
	struct table *advice = golden_view(run, &view_advice);
	sqlite3_stmt *golden = golden_rows(file, "expert_systems", columns, 3, NULL);
	size_t stored = 0, wanted = 0;
	for (size_t row = 0; row < advice->rows; row++)
		stored += cell_is(advice, row, "severity", "stored");
	for (; sqlite3_step(golden) == SQLITE_ROW; wanted++) {
		size_t row = 0;
		while (row < advice->rows &&
		       !(cell_is(advice, row, "severity", "stored") &&
			 golden_is(golden, 0, table_cell(advice, row, "detector")) &&
			 golden_is(golden, 1, table_cell(advice, row, "evidence")) &&
			 golden_is(golden, 2, table_cell(advice, row, "recommendation"))))
			row++;
		if (row == advice->rows)
			fail_msg("%s: %s is not shown", file, sqlite3_column_text(golden, 1));
	}
	assert_int_equal(stored, wanted);
	sqlite3_finalize(golden);
	table_free(advice);
}

TEST(recommendations)
{
	golden_each(check_advice);
}

TEST_PROGRAM(golden_open, golden_close)
