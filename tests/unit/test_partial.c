/*
 * Reading only some steps of a trace: every view equals that of the whole trace in the scope of
 * those steps, and less memory is used.
 */
#include "trace_case.h"
#include "file_case.h"

#include "derived/derived.h"
#include "base/buffer.h"
#include "views/views.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows about repairs and memory use describe the reading itself. */
static bool is_of_the_reading(const struct view *view, const struct table *table, size_t row)
{
	int section = table_column(table, "section");
	struct value value =
		section < 0 ? value_missing() : table_value(table, row, (size_t)section);
	return strcmp(view->name, "info") == 0 ||
	       (value.kind == VALUE_TEXT && strcmp(value.text, "trust") == 0);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What allocated a block that a step frees may lie before the step. */
static bool is_before_the_steps(const struct table *table, size_t column)
{
	const char *id = table->column[column]->id;
	return table->view == &view_memory_events &&
	       (strcmp(id, "operator") == 0 || strcmp(id, "parent") == 0);
}

/* Rows that tie may be in any order: compare them sorted. */
static void print_view(struct buffer *out, const struct run *run, const struct view *view,
		       const char *group, const struct scope *scope)
{
	struct error error = { 0 };
	struct table *table = view_build(view, run, scope, group, NULL, &error);
	size_t rows = table ? table->rows : 0, count = 0;
	char **lines = mem_alloc((rows + 1) * sizeof *lines);
	buffer_printf(out, "== %s %s %s\n", view->name, group ? group : "", error.message);
	for (size_t row = 0; row < rows; row++) {
		struct buffer line = { 0 };
		if (is_of_the_reading(view, table, row))
			continue;
		buffer_printf(&line, "%u ", table_depth(table, row));
		for (size_t column = 0; column < table->columns; column++) {
			if (!is_before_the_steps(table, column))
				table_format(&line, table, row, column, true);
			buffer_putc(&line, ',');
		}
		lines[count++] = mem_strdup(buffer_text(&line));
		buffer_free(&line);
	}
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++) {
		buffer_printf(out, "%s\n", lines[i]);
		mem_free(lines[i]);
	}
	mem_free(lines);
	table_free(table);
}

/* Memory held at a moment depends on the whole file, wherever it was allocated. */
static bool is_of_a_moment(const char *group)
{
	return strncmp(group, "peak", 4) == 0 || strcmp(group, "change") == 0 ||
	       strcmp(group, "without=") == 0;
}

/* Of whole recordings, as the note of the view says. */
static bool is_of_recordings(const struct view *view)
{
	return view == &view_whatif || view == &view_durations || view == &view_rank_time ||
	       view == &view_rank_outliers;
}

static void print_views(struct buffer *out, const struct run *run, const struct scope *scope)
{
	for (size_t i = 0; view_at(i); i++) {
		const struct view *view = view_at(i);
		if (is_of_recordings(view))
			continue;
		print_view(out, run, view, NULL, scope);
		for (int group = 1; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
			if (!is_of_a_moment(view->groups[group]))
				print_view(out, run, view, view->groups[group], scope);
	}
}

static struct run *open_steps(const char *const *paths, size_t count, int64_t first, int64_t last)
{
	struct load_options options = {
		.has_steps = true, .only_steps = true, .step_first = first, .step_last = last
	};
	struct error error = { 0 };
	struct run *run = run_open(paths, count, &options, NULL, &error);
	if (!run)
		fail_msg("%s: %s", paths[0], error.message);
	return run;
}

/* Compare two texts; the failure message shows where they differ. */
static void assert_same(const struct buffer *whole, const struct buffer *some, const char *path,
			int64_t first, int64_t last)
{
	size_t at = 0, line = 0;
	while (at < whole->length && at < some->length && whole->data[at] == some->data[at])
		line = whole->data[at++] == '\n' ? at : line;
	if (at < whole->length || at < some->length)
		fail_msg("%s, steps %lld..%lld: '%.200s' but of these steps alone '%.200s'", path,
			 (long long)first, (long long)last, whole->data + line, some->data + line);
}

static void check_steps(const struct run *whole, const char *const *paths, size_t count,
			int64_t first, int64_t last)
{
	struct buffer expected = { 0 }, found = { 0 };
	struct scope scope, all;
	scope_init(&scope);
	scope_init(&all);
	scope.has_steps = true;
	scope.step_first = first;
	scope.step_last = last;
	struct run *some = open_steps(paths, count, first, last);
	print_views(&expected, whole, &scope);
	print_views(&found, some, &scope);
	assert_same(&expected, &found, paths[0], first, last);
	/* at any scope, no view shows part of a step as if it were complete */
	buffer_clear(&found);
	print_views(&found, some, &all);
	assert_same(&expected, &found, paths[0], first, last);
	run_free(some);
	buffer_free(&expected);
	buffer_free(&found);
}

/* Reads the first step, some middle ones and the last. False if there are no steps. */
static bool check_file(const char *const *paths, size_t count)
{
	struct run *whole = run_open(paths, count, NULL, NULL, NULL);
	const struct derived *derived = whole ? whole->ranks[0].derived : NULL;
	bool has = derived && derived->steps_from_profile && derived->step_count > 1;
	for (uint32_t i = 0; has && i < derived->step_count; i += derived->step_count / 2) {
		uint32_t to = i + 1 < derived->step_count ? i + 1 : i;
		int64_t first = derived->steps[i].number, last = derived->steps[to].number;
		check_steps(whole, paths, count, first, first > last ? first : last);
	}
	run_free(whole);
	return has;
}

static void generate(const char *path, const char *how)
{
	size_t length;
	char *text = trace_generate(how, &length);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	mem_free(text);
}

TEST(steps_of_generated_traces_are_equal)
{
	static const char *const runs[] = {
		"--steps 7 --seed 1",
		"--steps 5 --no-modules --stacks 0",
		"--steps 6 --layers 2 --no-shapes",
	};
	static const char *const path = "some-steps.json";
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		generate(path, runs[i]);
		assert_true(check_file(&path, 1));
	}
	unlink(path);
}

TEST(steps_of_ranks_are_equal)
{
	static const char *const paths[] = { "some-rank0.json", "some-rank1.json" };
	generate(paths[0], "--rank 0 --world 2 --steps 5");
	generate(paths[1], "--rank 1 --world 2 --steps 5 --seed 3");
	assert_true(check_file(paths, 2));
	unlink(paths[0]);
	unlink(paths[1]);
}

/* Two of eighty steps: a fortieth of the rows, and their surroundings. */
TEST(memory_is_in_proportion)
{
	static const char *const path = "some-steps.json";
	generate(path, "--steps 80 --layers 2 --stacks 4");
	struct run *whole = run_open(&path, 1, NULL, NULL, NULL);
	struct run *some = open_steps(&path, 1, 40, 41);
	const struct profile *all = whole->ranks[0].profile, *few = some->ranks[0].profile;
	assert_true(few->some_steps);
	assert_true(few->spans * 20 < all->spans && few->activities * 20 < all->activities);
	assert_true(few->op_id_count * 20 < all->op_id_count);
	assert_true(profile_size(few) * 4 < profile_size(all));
	assert_int_equal(few->left_out.rows + few->spans + few->activities,
			 (uint64_t)all->spans + all->activities);
	assert_int_equal(few->end_ns, all->end_ns);
	assert_int_equal(few->base_ns, all->base_ns);
	run_free(some);
	run_free(whole);
	unlink(path);
}

TEST(without_steps_all_is_read)
{
	static const char *const path = "some-steps.json";
	static const char text[] = DOCUMENT(OPERATOR("a", "0", "10") "," OPERATOR("b", "20", "5"));
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	struct run *run = open_steps(&path, 1, 0, 3);
	assert_false(run->ranks[0].profile->some_steps);
	assert_int_equal(run->ranks[0].profile->spans, 2);
	run_free(run);
	unlink(path);
}

enum { SMALL = SLOW ? 40 * 1024 : 100 * 1024 };

static size_t compared;

static int check_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	static size_t files;
	if (type == FTW_F && status->st_size <= SMALL && test_sampled(files++, 6))
		compared += check_file(&path, 1);
	return 0;
}

TEST(steps_of_real_traces_are_equal)
{
	if (corpus_path("kineto"))
		nftw(corpus_path("kineto"), check_one, 16, FTW_PHYS);
	if (!compared)
		skip();
	print_message("%zu traces\n", compared);
}
