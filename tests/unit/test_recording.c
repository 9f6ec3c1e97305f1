/*
 * Empty views and blank columns say how to record what they lack.
 */
#include "trace_case.h"

#include "model/recording.h"
#include "model/tool.h"

#include <stdio.h>
#include <string.h>

/* Views that are never empty, or not for lack of a recording. */
static const char *const always[] = {
	"overview", "steps",      "ranks", "recordings", "runs",     "advice",
	"diff",     "attributes", "info",  "history",    "requests",
};

static bool is_always(const char *name)
{
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		if (strcmp(always[i], name) == 0)
			return true;
	return false;
}

TEST(needs_name_known_views_and_columns)
{
	for (const struct recording_need *need = recording_needs(); need->data; need++) {
		char ids[1024], *rest = ids;
		assert_true(!need->views != !need->columns);
		snprintf(ids, sizeof ids, "%s", need->views ? need->views : need->columns);
		for (const char *id; (id = strsep(&rest, " ")) && *id;)
			assert_true(need->views ? view_find(id) != NULL : column_find(id) != NULL);
	}
	for (size_t i = 0; view_at(i); i++) {
		enum recorded data = recorded_for(view_at(i)->name, NULL);
		assert_int_equal(is_always(view_at(i)->name), data == RECORDED_ALWAYS);
	}
}

TEST(every_empty_view_says_how_to_record)
{
	struct run *run = trace_run(DOCUMENT(""));
	struct scope scope;
	struct error error = { 0 };
	scope_init(&scope);
	for (size_t i = 0; view_at(i); i++) {
		if (is_always(view_at(i)->name))
			continue;
		struct table *table = view_build(view_at(i), run, &scope, NULL, NULL, &error);
		assert_non_null(table);
		if (table->rows || !table->note || !strstr(table->note, "strata-recording(7)"))
			fail_msg("%s: %zu rows, %s", view_at(i)->name, table->rows,
				 table->note ? table->note : "no note");
		table_free(table);
	}
	run_free(run);
}

static struct run *operator_with_kernel(void)
{
	return trace_run(DOCUMENT(OPERATOR("aten::mm", "0", "20") "," LAUNCH("2", "1") "," KERNEL(
		"gemm", "10", "10", "1")));
}

/* A note of a scope that excludes all rows does not ask for a recording. */
TEST(recorded_data_are_not_asked_for)
{
	struct run *run = operator_with_kernel();
	struct scope scope;
	struct error error = { 0 };
	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = 1000000;
	scope.time_last = 2000000;
	struct table *kernels = view_build(view_find("kernels"), run, &scope, NULL, NULL, &error);
	assert_non_null(kernels);
	assert_int_equal(kernels->rows, 0);
	assert_true(!kernels->note || !strstr(kernels->note, "strata-recording(7)"));
	table_free(kernels);
	run_free(run);
}

TEST(blank_columns_say_how_to_record)
{
	struct run *run = operator_with_kernel();
	struct scope scope;
	struct error error = { 0 };
	scope_init(&scope);
	struct table *table = view_build(view_find("operators"), run, &scope, NULL, NULL, &error);
	assert_non_null(table);
	assert_true(table->rows > 0);
	assert_string_equal(table_column_how(table, (size_t)table_need(table, "flops")),
			    "Record with record_shapes=True.");
	assert_string_equal(table_column_how(table, (size_t)table_need(table, "gpu_mem_bytes")),
			    "Record with profile_memory=True.");
	assert_null(table_column_how(table, (size_t)table_need(table, "gpu_total_ns")));
	assert_null(table_column_how(table, (size_t)table_need(table, "section")));
	table_free(table);
	run_free(run);
}
