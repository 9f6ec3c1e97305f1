/* DLProf databases: the profile, and sums over any range of iterations. */
#include "trace_case.h"
#include "file_case.h"

#include "tools/dlprof/dlprof_aggregate.h"
#include "input/open.h"
#include "report/preset.h"
#include "tools/dlprof/dlprof_views.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- databases ---- */

/*
 * Three iterations that end with the op STEP_1: a convolution with a copy and a kernel, one with a
 * kernel on tensor cores, one with a kernel that runs until 300.
 */
static void make_database(char *path, const char *more, const char *max)
{
	const char *const parts[] = { data_text("dlprof_schema.sql"), more, max };
	sqlite3 *database;
	char *message = NULL;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	for (size_t i = 0; i < 3; i++)
		if (parts[i] && sqlite3_exec(database, parts[i], NULL, NULL, &message))
			fail_msg("%s", message);
	sqlite3_close(database);
}

static struct run *database_run(const char *more, const char *max)
{
	char path[] = "dlprof-case-XXXXXX";
	const char *paths[] = { path };
	struct error error = { 0 };

	make_database(path, more, max);
	struct run *run = run_open(paths, 1, NULL, NULL, &error);
	unlink(path);
	if (!run)
		fail_msg("refused: %s", error.message);
	return run;
}

static struct table *report(const struct run *run, const struct view *view, const char *group,
			    int64_t first, int64_t last)
{
	struct scope scope;
	struct error error = { 0 };

	scope_init(&scope);
	scope.has_steps = first >= 0;
	scope.step_first = first;
	scope.step_last = last;
	struct table *table = view_build(view, run, &scope, group, NULL, &error);
	if (!table)
		fail_msg("%s: %s", view->name, error.message);
	return table;
}

/* ---- the profile ---- */

TEST(ops_become_operators_in_paths)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"), NULL);
	const struct profile *profile = run->ranks[0].profile;
	uint32_t conv = span_named(profile, "conv2d"), above = profile->span_parent[conv];
	const struct op_info *info = profile_op_info(profile, conv);

	assert_string_equal(profile->format, "DLProf database (SQLite)");
	assert_int_equal(profile->span_kind[conv], SPAN_OPERATOR);
	assert_int_equal(profile->span_start[conv], 10);
	assert_int_equal(profile->span_dur[conv], 50);
	assert_string_equal(profile_string(profile, info->shapes), "[[4,3],[6,3],[6]]");
	assert_string_equal(profile_string(profile, info->types),
			    "[\"float\",\"float\",\"float\"]");
	assert_string_equal(profile_string(profile, info->stack), "b.py:2;a.py:1");
	assert_string_equal(span_text(profile, above), "B::g");
	above = profile->span_parent[above];
	assert_string_equal(span_text(profile, above), "A::f");
	/*
	 * A common path prefix is shared with the neighbour: from the convolution up to the step.
	 */
	assert_int_equal(profile->span_start[above], 10);
	assert_int_equal(profile->span_dur[above], 90);
	run_free(run);
}

/* Instances stored in any order are shown by thread and time, as if stored so. */
TEST(instances_in_any_order)
{
	static const char more[] =
		"INSERT INTO read_only_op_instances VALUES"
		"  (6, 2, 500, 560, 9, 8, 12, 16, 13), (7, 1, 570, 580, 9, 9, 1, 1, 1),"
		"  (8, 1, 400, 410, 9, 8, 12, 16, 13), (9, 2, 5, 7, 2, 9, 12, 16, 13),"
		"  (10, 2, 420, 430, 9, 8, 12, 16, 13), (11, 2, 300, 390, 9, 8, 1, 1, 1);";
	static const struct {
		int64_t start, dur, process, thread;
	} scopes[] = { { 5, 2, 2, 9 }, { 300, 260, 9, 8 }, { 10, 570, 9, 9 } };
	struct run *run = database_run(more, NULL);
	const struct profile *profile = run->ranks[0].profile;
	size_t found = 0;
	for (uint32_t i = 0; i < profile->spans; i++) {
		const struct track *track = &profile->tracks[profile->span_track[i]];
		if (strcmp(span_text(profile, i), "A::f") != 0)
			continue;
		assert_true(found < sizeof scopes / sizeof *scopes);
		assert_int_equal(profile->base_ns + profile->span_start[i], scopes[found].start);
		assert_int_equal(profile->span_dur[i], scopes[found].dur);
		assert_int_equal(track->tid, scopes[found].thread);
		assert_int_equal(profile->processes[track->process].pid, scopes[found].process);
		found++;
	}
	assert_int_equal(found, sizeof scopes / sizeof *scopes);
	run_free(run);
}

TEST(calls_are_linked_to_activities)
{
	struct run *run = database_run(NULL, NULL);
	const struct profile *profile = run->ranks[0].profile;
	uint32_t copy = activity_named(profile, "Memcpy HtoD");
	uint32_t kernel = activity_named(profile, "sm75_h1688_tensor()");

	assert_int_equal(profile->activities, 4);
	assert_int_equal(profile->activity_bytes[copy], 4096);
	assert_string_equal(span_text(profile, profile->activity_launch[copy]), "cudaMemcpyAsync");
	assert_int_equal(profile->base_ns + profile->span_start[profile->activity_launch[kernel]],
			 120);
	assert_int_equal(profile_config(profile, kernel)->grid[0], 8);
	assert_int_equal(profile_config(profile, kernel)->block[1], 2);
	assert_int_equal(profile_device(profile, 0)->sm_count, 40);
	run_free(run);
}

TEST(iterations_become_steps)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"), NULL);
	struct table *steps = trace_view(run, "steps", NULL, NULL);

	assert_int_equal(steps->rows, 3);
	assert_int_equal(table_number(steps, 1, "step"), 1);
	assert_int_equal(table_number(steps, 1, "start_ns"), 100);
	assert_int_equal(table_number(steps, 1, "dur_ns"), 99);
	assert_int_equal(table_number(steps, 0, "launches"), 2);
	assert_int_equal(table_number(steps, 2, "launches"), 1);
	table_free(steps);
	run_free(run);
}

/* ---- reports ---- */

/* Shares of time and advice are DLProf's; sums are those of the calls in its range. */
TEST(stored_results_are_shown)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"), NULL);
	struct table *summary = report(run, &dlprof_summary.view, NULL, -1, 0);
	struct table *advice = report(run, &dlprof_expert_systems.view, NULL, -1, 0);
	size_t row = row_with(summary, "metric", "All ops");

	assert_int_equal(table_number(summary, row, "gpu_total_ns"), 125);
	row = row_with(summary, "metric", "GPU Utilization %");
	assert_float_equal(table_cell(summary, row, "value").real, 40.25, 1e-9);
	assert_int_equal(advice->rows, 2);
	assert_cell(advice, 1, "recommendation", "five");
	table_free(advice);

	/* of iterations that DLProf did not aggregate: what strata finds in 300 ns */
	advice = report(run, &dlprof_expert_systems.view, NULL, 1, 1);
	assert_non_null(strstr(advice->note, "not this one"));
	assert_int_equal(advice->rows, 0);
	table_free(summary);
	table_free(advice);
	run_free(run);
}

/* DLProf adds an aggregation for each range and key op; the newest is shown by default. */
TEST(stored_aggregations_are_listed_and_selected)
{
	static const char second[] =
		"CREATE TABLE read_only_domains (id INTEGER PRIMARY KEY, domain_name_id INTEGER);"
		"INSERT INTO read_only_domains VALUES (1, 11);"
		"INSERT INTO model_summary VALUES (2, 2, 1, 99, 3, 1, 1, 1, 12.5, 2);";
	struct error error = { 0 };
	struct scope scope;
	struct run *run = database_run(data_text("dlprof_stored.sql"), second);
	struct table *list = report(run, &view_dlprof_aggregations, NULL, -1, 0);
	assert_int_equal(list->rows, 2);
	assert_int_equal(table_number(list, 0, "wall_ns"), 298);
	assert_int_equal(table_number(list, 1, "aggregation"), 2);
	assert_int_equal(table_number(list, 1, "first_iteration"), 1);
	assert_int_equal(table_number(list, 1, "last_iteration"), 1);
	assert_int_equal(table_cell(list, 1, "domain").kind, VALUE_TEXT);
	table_free(list);
	static const struct {
		const char *group;
		double utilization;
	} cases[] = { { NULL, 12.5 }, { "aggregation=1", 40.25 }, { "aggregation=2", 12.5 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct table *summary = report(run, &dlprof_summary.view, cases[i].group, -1, 0);
		size_t row = row_with(summary, "metric", "GPU Utilization %");
		assert_float_equal(table_cell(summary, row, "value").real, cases[i].utilization,
				   1e-9);
		table_free(summary);
	}
	scope_init(&scope);
	assert_null(view_build(&dlprof_summary.view, run, &scope, "aggregation=3", NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	assert_null(view_build(&dlprof_summary.view, run, &scope, "aggregation=0", NULL, &error));
	run_free(run);
}

/* Memory is listed by GPU without its number: equal totals are known of each. */
TEST(memory_of_gpus)
{
	static const char same[] =
		"CREATE TABLE gpu_memories (id INTEGER PRIMARY KEY, total INTEGER,"
		"  used INTEGER);"
		"INSERT INTO gpu_memories SELECT rowid, 8589934592, 2097152 "
		"FROM read_only_gpu_infos;";
	static const char none[] =
		"CREATE TABLE gpu_memories (id INTEGER PRIMARY KEY, total INTEGER,"
		"  used INTEGER);"
		"INSERT INTO gpu_memories SELECT rowid, 0, 0 "
		"FROM read_only_gpu_infos;";
	struct run *run = database_run(data_text("dlprof_stored.sql"), same);
	const struct profile *profile = run->ranks[0].profile;
	assert_true(profile->device_count > 0);
	for (size_t i = 0; i < profile->device_count; i++)
		assert_int_equal(profile->devices[i].memory_bytes, INT64_C(8589934592));
	assert_non_null(strstr(profile_metadata(profile, "GPU memory used"), "2.00 MiB"));
	run_free(run);
	run = database_run(data_text("dlprof_stored.sql"), none);
	profile = run->ranks[0].profile;
	assert_int_equal(profile->devices[0].memory_bytes, NO_VALUE);
	assert_null(profile_metadata(profile, "GPU memory used"));
	run_free(run);
}

/* Advice that the database holds stands beside strata's own, and says where it is from. */
TEST(stored_advice_is_shown_with_its_source)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"), NULL);
	struct table *advice = trace_view(run, "advice", NULL, NULL);
	const struct view *next;
	struct scope scope, narrowed;
	size_t count = 0;

	scope_init(&scope);
	for (size_t row = 0; row < advice->rows; row++) {
		if (strcmp(table_cell(advice, row, "source").text, "DLProf") != 0)
			continue;
		count++;
		assert_cell(advice, row, "severity", "stored");
		assert_true(table_cell(advice, row, "evidence").length > 0);
		assert_true(view_drill(run, table_ref(advice, row), &scope, &next, &narrowed));
		scope_clear(&narrowed);
	}
	assert_int_equal(count, 2);
	table_free(advice);
	run_free(run);
}

/* Name columns are declared STRING, so SQLite converts names that look like numbers. */
TEST(numeric_names_stay_text)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"),
				       "UPDATE read_only_ops SET op_name = '15' WHERE id = 1;"
				       "UPDATE read_only_system_config SET profile_name = '2024';");
	struct table *ops = report(run, &dlprof_detailed.view, NULL, 0, 1);
	struct table *summary = report(run, &dlprof_summary.view, NULL, -1, 0);

	assert_cell(ops, row_with(ops, "op_id", "STEP_1"), "op_name", "15");
	assert_cell(summary, row_with(summary, "metric", "Profile Name"), "value", "2024");
	table_free(ops);
	table_free(summary);
	run_free(run);
}

TEST(other_range_is_summed)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"), NULL);
	struct table *ops = report(run, &dlprof_detailed.view, NULL, 0, 1);
	struct table *launches = report(run, &dlprof_iteration.view, NULL, 0, 1);

	assert_int_equal(ops->rows, 2);
	assert_cell(ops, 0, "op_id", "CONV2D_1");
	assert_int_equal(table_number(ops, 0, "calls"), 2);
	assert_int_equal(table_number(ops, 0, "tc_used"), 1);
	assert_int_equal(table_number(ops, 0, "cpu_total_ns"), 100);
	assert_int_equal(table_number(ops, 0, "gpu_total_ns"), 65);
	assert_int_equal(table_number(ops, 0, "gpu_min_ns"), 30);
	assert_int_equal(table_number(ops, 0, "overhead_total_ns"), 74);
	assert_int_equal(table_number(ops, 0, "idle_total_ns"), 5);
	assert_int_equal(launches->rows, 2);
	assert_int_equal(table_number(launches, 1, "step"), 1);
	assert_cell(launches, 1, "input_shapes", "<N:4, C:3>; <K:6, C:3>; <6>");
	assert_cell(launches, 1, "parameters", "");
	table_free(ops);
	table_free(launches);
	run_free(run);
}

TEST(key_node_ends_iterations)
{
	struct run *run = database_run(NULL, NULL);
	struct table *summary = report(run, &dlprof_summary.view, "key=STEP_1", 0, 1);
	struct table *groups = report(run, &dlprof_group_op.view, "key=/module/A::f/step", 0, 1);
	size_t row = row_with(summary, "metric", "Wall Clock Time (ns)");

	assert_int_equal(table_number(summary, row, "value"), 99 + 99);
	row = row_with(summary, "metric", "Total Iterations");
	assert_int_equal(table_number(summary, row, "value"), 3);
	row = row_with(summary, "metric", "Tensor Core Kernel Utilization %");
	assert_float_equal(table_cell(summary, row, "value").real, 50, 1e-9);
	row = row_with(summary, "metric", "CPU Duration %");
	assert_float_equal(table_cell(summary, row, "value").real, 100 * 98.0 / 198, 1e-9);
	row = row_with(summary, "metric", "Other Duration %");
	assert_float_equal(table_cell(summary, row, "value").real, 100 * 35.0 / 198, 1e-9);
	row = row_with(groups, "path", "/module/A::f/");
	assert_int_equal(table_number(groups, row, "calls"), 4);
	assert_int_equal(table_number(groups, row, "cpu_total_ns"), 140);
	assert_int_equal(table_number(groups, row, "cpu_max_ns"), 70);
	row = row_with(groups, "path", "/module/A::f/B::g/");
	assert_int_equal(table_number(groups, row, "eligible_ops"), 1);
	table_free(summary);
	table_free(groups);
	run_free(run);
}

TEST(invalid_ranges_are_reported)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"), NULL);
	struct scope scope;
	struct error error = { 0 };

	scope_init(&scope);
	assert_null(view_build(&dlprof_kernel.view, run, &scope, "key=NOBODY_1", NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	assert_non_null(strstr(error.message, "NOBODY_1"));
	scope.has_steps = true;
	scope.step_first = 8;
	scope.step_last = 9;
	assert_null(view_build(&dlprof_kernel.view, run, &scope, NULL, NULL, &error));
	assert_int_equal(error.code, ERROR_USAGE);
	assert_non_null(strstr(error.message, "the steps are 0..2"));
	run_free(run);
}

/* ---- DLProf's text reports ---- */

static void assert_written(const struct run *run, const char *name, int64_t first, int64_t last,
			   const char *expected)
{
	const struct preset *preset = preset_find(name);
	struct output output = { 0 };
	struct extract extract;
	struct extract_options options = { .limit = SIZE_MAX, .all_columns = true };
	struct style style = { .raw = true };
	struct error error = { 0 };

	assert_non_null(preset);
	struct table *table = report(run, preset->view, NULL, first, last);
	assert_true(extract_make(&extract, table, &options, NULL, &error));
	assert_true(preset->forms[0].write(&output, &extract, &style, NULL, &error));
	assert_string_equal(buffer_text(&output.text), expected);
	buffer_free(&output.text);
	extract_clear(&extract);
	table_free(table);
}

TEST(reports_match_dlprof_format)
{
	struct run *run = database_run(data_text("dlprof_stored.sql"), NULL);

	assert_written(run, "dlprof-expert_systems", -1, 0,
		       "Expert Systems Feedback\nProblem,Recommendation\n"
		       "\"one, \"\"two\"\"\",\"three\"\n\"four\",\"five\"\n");
	assert_written(run, "dlprof-kernel", 0, 1,
		       "Kernel Report\n"
		       "Kernel Name,Op ID,Op Name,Direction,Uses TC,Total GPU Time (ns),"
		       "Avg GPU Time (ns),Min GPU Time (ns),Max GPU Time (ns),"
		       "Total API Time (ns),Avg API Time (ns),Min API Time (ns),"
		       "Max API Time (ns)\n"
		       "\"short\",\"CONV2D_1\",\"/module/A::f/B::g/conv2d\",fprop,no,30,30.0,30,"
		       "30,10,10.0,10,10\n"
		       "\"tensor\",\"CONV2D_1\",\"/module/A::f/B::g/conv2d\",fprop,yes,30,30.0,30,"
		       "30,10,10.0,10,10\n");
	assert_written(run, "dlprof-tensor_core", 0, 1,
		       "Tensor Core Report\n"
		       "Op ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),"
		       "TC GPU Time (ns),Non-TC GPU Time (ns),TC Utilization (%),"
		       "Total Kernel Count,TC Kernel Count,TC Kernel Names,Non-TC Kernel Count,"
		       "Non-TC Kernel Names\n"
		       "\"CONV2D_1\",\"/module/A::f/B::g/conv2d\",fprop,\"conv2d\",yes,60,30,30,"
		       "50.0,2,1,\"tensor\",1,\"short\"\n");
	run_free(run);
}

/* ---- invalid databases ---- */

static void assert_database_refused(const char *change, const char *because)
{
	char path[] = "dlprof-case-XXXXXX";
	struct error error = { 0 };

	make_database(path, data_text("dlprof_stored.sql"), change);
	assert_null(profile_open(path, NULL, &error));
	unlink(path);
	assert_int_equal(error.code, ERROR_INPUT);
	if (!strstr(error.message, because))
		fail_msg("says \"%s\", not \"%s\"", error.message, because);
}

TEST(missing_tables_are_named)
{
	assert_database_refused("DROP TABLE read_only_op_instances", "read_only_op_instances");
	assert_database_refused("ALTER TABLE read_only_ops RENAME TO x;"
				"CREATE VIEW read_only_ops AS SELECT * FROM x",
				"read_only_ops");
}

TEST(inconsistencies_are_counted)
{
	static const char *const changes[] = {
		"UPDATE read_only_op_instances SET cpu_stop = -5 WHERE id = 1",
		"UPDATE read_only_kernels SET gpu_stop = 9223372036854775807",
		"UPDATE read_only_kernels SET gpu_start = 'soon'",
		"UPDATE read_only_kernels SET op_instance = 1 << 40, grid_id = -1",
		"UPDATE read_only_op_instances SET read_only_ops_id = 99",
		"UPDATE read_only_kernels SET gpu_stop = 1 << 53, api_stop = 1 << 53",
		"UPDATE model_summary SET iter_total = -9223372036854775807, iter_start = 1 << 62",
		"UPDATE iteration_list SET start_time = stop_time + 1",
		"UPDATE dictionary SET string = x'00ff' WHERE id = 12",
		"UPDATE read_only_op_instances SET input_shapes_id = 99",
		"DELETE FROM dictionary",
		"DELETE FROM read_only_op_instances",
		"DELETE FROM iteration_list",
	};
	const struct view *const views[] = { &dlprof_summary.view, &dlprof_detailed.view,
					     &dlprof_iteration.view, &dlprof_group_op.view };

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct run *run = database_run(data_text("dlprof_stored.sql"), changes[i]);
		if (i < 5)
			assert_true(damage_count(run->ranks[0].profile, NULL) > 0 || i == 3);
		for (size_t v = 0; v < 4; v++)
			for (int first = -1; first <= 0; first++) {
				struct scope scope;
				struct error error = { 0 };
				scope_init(&scope);
				scope.has_steps = first == 0;
				struct table *table =
					view_build(views[v], run, &scope, NULL, NULL, &error);
				assert_true(table || error.code == ERROR_USAGE);
				table_free(table);
			}
		run_free(run);
	}
}

TEST(unused_devices_have_rows)
{
	struct run *run =
		database_run("INSERT INTO read_only_gpu_infos VALUES (2, 3, 'a device', 7, 5, 40),"
			     "  (3, 1, 'a device', 7, 5, 40);",
			     NULL);
	struct table *devices = trace_view(run, "devices", NULL, NULL);

	assert_int_equal(devices->rows, 3);
	assert_string_equal(table_cell(devices, 0, "device").text, "GPU0");
	assert_string_equal(table_cell(devices, 1, "device").text, "GPU1");
	assert_string_equal(table_cell(devices, 2, "device").text, "GPU3");
	assert_true(table_cell(devices, 0, "busy_pct").real > 0);
	assert_true(table_cell(devices, 2, "busy_pct").real == 0);
	assert_int_equal(table_cell(devices, 2, "dur_ns").kind, VALUE_MISSING);
	table_free(devices);
	run_free(run);
}

/* Without device work, whether a device was used is not known. */
TEST(devices_without_records_have_no_rows)
{
	struct run *run = database_run("DELETE FROM read_only_kernels;"
				       "DELETE FROM read_only_memcpys;",
				       NULL);
	struct table *devices = trace_view(run, "devices", NULL, NULL);

	assert_int_equal(run->ranks[0].profile->activities, 0);
	assert_int_equal(devices->rows, 0);
	table_free(devices);
	run_free(run);
}

/* Rows of reports lead to the events that they sum. */
TEST(rows_refer_to_events)
{
	struct run *run = database_run(NULL, NULL);
	struct scope scope;
	struct error error = { 0 };
	static const struct {
		const struct view *view;
		enum ref_kind kind;
	} rows[] = { { &dlprof_detailed.view, REF_CALL },
		     { &dlprof_kernel.view, REF_KERNEL },
		     { &dlprof_iteration.view, REF_LAUNCH } };

	scope_init(&scope);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct table *table = view_build(rows[i].view, run, &scope, NULL, NULL, &error);
		assert_non_null(table);
		assert_true(table->rows > 0);
		for (size_t row = 0; row < table->rows; row++)
			assert_int_equal(table_ref(table, row).kind, rows[i].kind);
		table_free(table);
	}
	scope_clear(&scope);
	run_free(run);
}
