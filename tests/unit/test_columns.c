/*
 * Views, their columns and the vocabulary are consistent; an unknown column is a bug.
 */
#include "trace_case.h"
#include "file_case.h"

#include "base/buffer.h"
#include "base/mem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Next id of a list such as "name:desc,calls"; false at the end. */
static bool next_id(const char **list, char id[64])
{
	size_t length = strcspn(*list, ",");
	if (!**list)
		return false;
	snprintf(id, 64, "%.*s", (int)strcspn(*list, ":,"), *list);
	*list += length + ((*list)[length] == ',');
	return true;
}

/* ---- lists ---- */

static void check_list(const struct table *table, const char *what, const char *list)
{
	char id[64];
	while (next_id(&list, id))
		if (table_column(table, id) < 0)
			fail_msg("view %s: %s names '%s', which is none of its columns",
				 table->view->name, what, id);
}

TEST(views_list_known_columns)
{
	const struct view *view;
	for (size_t i = 0; (view = view_or_report_at(i)); i++) {
		struct table *table = table_new(view);
		assert_in_range(table->columns, 1, VIEW_COLUMNS_MAX);
		check_list(table, "columns", view->columns);
		check_list(table, "default_columns", view->default_columns);
		check_list(table, "default_sort", view_default_sort(view));
		check_list(table, "bar", view->bar ? view->bar : "");
		table_free(table);
	}
}

/* Column order is an interface: CSV readers and SELECT * depend on it. */
TEST(column_order_matches_manual)
{
	char line[4096], id[64];
	const struct view *view = NULL;
	size_t found = 0;
	FILE *manual = fopen(source_path("man/strata-views.7"), "r");
	assert_non_null(manual);
	while (fgets(line, sizeof line, manual)) {
		char name[64] = "", *to = name;
		if (strncmp(line, ".It Cm ", 7) == 0) {
			for (const char *at = line + 7; *at != '\n'; at++)
				if (*at != '\\')
					*to++ = *at;
			view = view_find(name);
		}
		if (!view || strncmp(line, "Columns: ", 9) != 0)
			continue;
		const char *list = view->columns, *at = line + 9;
		while (next_id(&list, id)) {
			at += 2 * (strncmp(at, "\\%", 2) == 0); /* never hyphenated */
			size_t length = strcspn(at, ",.");
			if (strlen(id) != length || strncmp(at, id, length) != 0)
				fail_msg("view %s: column '%s' stands where the manual has '%.*s'",
					 view->name, id, (int)length, at);
			at += length + 2;
		}
		found++;
	}
	fclose(manual);
	assert_non_null(view_at(found - 1));
	assert_null(view_at(found));
}

TEST(vocabulary_is_consistent)
{
	const struct column *column;
	for (size_t i = 0; (column = column_at(i)); i++) {
		const struct column *whole = column->part_of ? column_find(column->part_of) : NULL;
		if (column_find(column->id) != column)
			fail_msg("column '%s' is in the vocabulary twice", column->id);
		if (column->part_of && (!whole || whole == column || whole->unit != column->unit))
			fail_msg("column '%s' cannot be a part of '%s'", column->id,
				 column->part_of);
		if (column->section < 0 || column->section > SECTION_SIZES)
			fail_msg("column '%s': no section size %d", column->id, column->section);
		if ((column->colored || column->mixed) && column->unit != UNIT_TEXT)
			fail_msg("column '%s' has no texts", column->id);
	}
}

/* ---- cells ---- */

/* Text columns hold texts; mixed columns hold numbers, too. */
static void check_cells(const struct table *table)
{
	for (size_t i = 0; i < table->columns; i++) {
		const struct column *column = table->column[i];
		for (size_t row = 0; row < table->rows; row++) {
			enum value_kind kind = table_value(table, row, i).kind;
			if (kind == VALUE_MISSING || column->mixed ||
			    (kind == VALUE_TEXT) == (column->unit == UNIT_TEXT))
				continue;
			fail_msg("view %s, row %zu: '%s' holds a %s", table->view->name, row,
				 column->id, kind == VALUE_TEXT ? "text" : "number");
		}
	}
}

static void check_group(const struct run *run, const struct view *view, const char *group)
{
	struct error error = { 0 };
	struct scope whole;
	scope_init(&whole);
	struct table *table = view_build(view, run, &whole, group, NULL, &error);
	if (!table) /* a comparison without base run, a preset without data */
		return;
	check_list(table, "default_columns", table->default_columns ? table->default_columns : "");
	if (strcmp(view->name, "pyprof") != 0) /* prints lists of numbers and numbers of any size */
		check_cells(table);
	table_free(table);
}

TEST(cells_match_column_types)
{
	const struct view *view;
	size_t length;
	char *text = trace_generate("--size 200K --rank 0 --world 2", &length);
	struct run *run = trace_run_bytes(text, length);
	for (size_t i = 0; (view = view_or_report_at(i)); i++) {
		check_group(run, view, NULL);
		for (size_t k = 0; k < VIEW_GROUPS_MAX && view->groups[k]; k++)
			check_group(run, view, view->groups[k]);
	}
	run_free(run);
	mem_free(text);
}

/* A column that kernels lists is set in one of its groupings, but for those of printed tables. */
TEST(kernels_set_what_they_list)
{
	static const char *const elsewhere[] = { "section", "rank" };
	const struct view *view = view_find("kernels");
	char *text = trace_generate("--size 200K", NULL);
	struct run *run = trace_run_bytes(text, strlen(text));
	bool set[VIEW_COLUMNS_MAX] = { false };
	for (size_t k = 0; k < VIEW_GROUPS_MAX && view->groups[k]; k++) {
		struct table *table = trace_view(run, "kernels", NULL, view->groups[k]);
		for (size_t i = 0; i < table->columns; i++) {
			set[i] |= strcmp(table->column[i]->id, elsewhere[0]) == 0 ||
				  strcmp(table->column[i]->id, elsewhere[1]) == 0;
			for (size_t row = 0; row < table->rows; row++)
				set[i] |= table_value(table, row, i).kind != VALUE_MISSING;
			if (!view->groups[k + 1] && !set[i])
				fail_msg("kernels never set '%s'", table->column[i]->id);
		}
		table_free(table);
	}
	run_free(run);
	mem_free(text);
}

/* ---- bugs ---- */

static const struct view pair = { .name = "pair", .columns = "name,calls" };
static const struct view misspelled = { .name = "misspelled", .columns = "name,cals" };
static const struct view doubled = { .name = "doubled", .columns = "name,calls,name" };

static void set_unknown(struct table *table)
{
	table_set(table, 0, "gpu_selv_ns", value_int(1));
}

static void set_past_the_end(struct table *table)
{
	table_set_at(table, 1, 0, value_int(1));
}

static void sort_by_none(struct table *table)
{
	size_t rows;
	table_sort(table, &(struct sort_key){ 2, false }, 1, NULL, &rows, NULL, NULL);
}

static void list_misspelled(struct table *table)
{
	table_new(&misspelled);
}

static void list_twice(struct table *table)
{
	table_new(&doubled);
}

static void number_unlisted(struct table *table)
{
	view_number(table->view);
}

/* Runs in a child process; returns its output before it aborted. */
static struct buffer abort_text(void (*bug)(struct table *table))
{
	struct buffer text = { 0 };
	char byte;
	int ends[2], status;
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		signal(SIGABRT, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		struct table *table = table_new(&pair);
		table_add_row(table, (struct ref){ .kind = REF_NONE });
		bug(table);
		_exit(0);
	}
	close(ends[1]);
	while (read(ends[0], &byte, 1) == 1)
		buffer_putc(&text, byte);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("went on: %s", buffer_text(&text));
	return text;
}

/* Cells are computed when asked for, but which columns of CPU events hold any is known before. */
TEST(columns_of_cpu_events_without_a_value_are_empty)
{
	for (int other = 0; other <= 1; other++) {
		struct run *run =
			trace_run(other ? DOCUMENT(OPERATOR("aten::mm", "0", "9") "," EVENT(
						  "os_runtime", "poll", "1", "1", "20", "5", "{}"))
					: DOCUMENT(OPERATOR("aten::mm", "0", "9")));
		struct table *spans = trace_view(run, "spans", NULL, NULL);
		size_t category = (size_t)table_column_named(spans, "category", 8);
		size_t domain = (size_t)table_column_named(spans, "domain", 6);
		size_t kind = (size_t)table_column_named(spans, "kind", 4);
		assert_int_equal(table_column_is_empty(spans, category), !other);
		assert_true(table_column_is_empty(spans, domain));
		assert_false(table_column_is_empty(spans, kind));
		table_free(spans);
		run_free(run);
	}
}

TEST(bugs_are_reported)
{
	static const struct {
		void (*bug)(struct table *table);
		const char *text;
	} bugs[] = {
		{ set_unknown, "view pair: no column 'gpu_selv_ns'" },
		{ set_past_the_end, "view pair: 1 rows, 2 columns, no cell at 1, 0" },
		{ sort_by_none, "table_sort: view pair: 2 columns, no column 2" },
		{ list_misspelled, "view misspelled: no column 'cals' in the vocabulary" },
		{ list_twice, "view doubled: column 'name' listed twice" },
		{ number_unlisted, "view pair: not in the registry" },
	};
	for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
		struct buffer text = abort_text(bugs[i].bug);
		if (!strstr(buffer_text(&text), bugs[i].text))
			fail_msg("\"%s\" is not in: %s", bugs[i].text, buffer_text(&text));
		buffer_free(&text);
	}
}

TEST(shared_builders_skip_unlisted_columns)
{
	struct table *table = table_new(&pair);
	table_add_row(table, (struct ref){ .kind = REF_NONE });
	table_set_listed(table, 0, "gpu_self_ns", value_int(1));
	table_set_listed(table, 0, "calls", value_int(3));
	assert_int_equal(table_value(table, 0, 1).integer, 3);
	table_free(table);
}
