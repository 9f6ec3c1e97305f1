/*
 * Writes the profiles that seeds of the fuzz targets stand for, and prints what all views say of
 * them:
 *
 *     rows SEED...      each becomes FOLDER-NAME in the working directory, its rows
 * FOLDER-NAME.rows, and in narrower scopes FOLDER-NAME.scopes
 *
 * A seed that is no profile leaves no file; one that is a directory is a link there. The rows are
 * those of every view and grouping, with the orders of every column, and of the first rows details
 * and what they lead to.
 */
#include "../fuzz/fuzz.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/scope.h"
#include "session/load.h"
#include "table/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 30, ORDERED = 8, DETAILS = 4, SEED_MAX = 8 << 20 };

static void *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(SEED_MAX);

	if (!file || !bytes)
		abort();
	*length = fread(bytes, 1, SEED_MAX, file);
	fclose(file);
	return bytes;
}

static void write_file(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
		abort();
}

/* The last two parts of the path, joined by '-'. */
static void name_seed(const char *path, char *name, size_t size)
{
	const char *end = strrchr(path, '/'), *start = end;

	while (start > path && start[-1] != '/')
		start--;
	snprintf(name, size, "%.*s-%s", (int)(end - start), start, end + 1);
}

static void print_row(FILE *out, const struct table *table, size_t row)
{
	struct buffer text = { 0 };

	for (size_t column = 0; column < table->columns; column++) {
		for (int raw = 0; raw < 2; raw++) {
			table_format(&text, table, row, column, raw);
			buffer_printf(&text, "|");
		}
	}
	fprintf(out, "%u %s\n", table_depth(table, row), buffer_text(&text));
	buffer_free(&text);
}

static void print_orders(FILE *out, const struct table *table)
{
	for (size_t column = 0; column < table->columns; column++) {
		for (int down = 0; down < 2; down++) {
			struct sort_key key = { (int)column, down, false };
			size_t count;
			uint32_t *rows = table_sort(table, &key, 1, NULL, &count, NULL, NULL);
			fprintf(out, "%s %d:", table->column[column]->id, down);
			for (size_t i = 0; i < count && i < ORDERED; i++)
				fprintf(out, " %u", rows[i]);
			fprintf(out, "\n");
			mem_free(rows);
		}
	}
}

/* Details of the row, and the rows that it leads to. */
static void print_detail(FILE *out, const struct run *run, const struct scope *scope,
			 struct ref ref)
{
	struct buffer text = { 0 };
	const struct view *next;
	struct scope narrower;

	view_detail(run, scope, ref, &text);
	if (view_drill(run, ref, scope, &next, &narrower)) {
		view_breadcrumb(run, &narrower, &text);
		struct table *table = view_build(next, run, &narrower, NULL, NULL, NULL);
		buffer_printf(&text, "\n-> %s\n", next->name);
		fprintf(out, "%s", buffer_text(&text));
		buffer_clear(&text);
		for (size_t row = 0; table && row < table->rows && row < DETAILS; row++)
			print_row(out, table, row);
		table_free(table);
		scope_clear(&narrower);
	}
	fprintf(out, "%s\n", buffer_text(&text));
	buffer_free(&text);
}

static void print_view(FILE *out, const struct run *run, const struct view *view, const char *group)
{
	struct scope scope;
	struct error error = { 0 };

	scope_init(&scope);
	fprintf(out, "== %s %s\n", view->name, group ? group : "");
	struct table *table = view_build(view, run, &scope, group, NULL, &error);
	if (!table)
		fprintf(out, "error: %s\n", error.message);
	else
		fprintf(out, "%zu rows; %s\n", table->rows, table->note ? table->note : "");
	for (size_t row = 0; table && row < table->rows && row < ROWS; row++)
		print_row(out, table, row);
	if (table)
		print_orders(out, table);
	for (size_t row = 0; table && row < table->rows && row < DETAILS; row++)
		print_detail(out, run, &scope, table_ref(table, row));
	table_free(table);
	scope_clear(&scope);
}

/* FILE with ENDING, to print to. */
static FILE *open_text(const char *file, const char *ending)
{
	char path[300];

	snprintf(path, sizeof path, "%s.%s", file, ending);
	FILE *out = fopen(path, "w");
	if (!out)
		abort();
	return out;
}

static bool is_listed(const struct view *view)
{
	/* the size of a database and of memory depend on the machine */
	return strcmp(view->name, "info") != 0;
}

static void print_rows(const char *file, const struct run *run)
{
	FILE *out = open_text(file, "rows");

	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		if (!is_listed(view))
			continue;
		print_view(out, run, view, NULL);
		for (int group = 0; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
			print_view(out, run, view, view->groups[group]);
	}
	fclose(out);
}

/* ---- narrower scopes ---- */

static void print_scope(FILE *out, const struct run *run, const char *title,
			const struct scope *scope)
{
	fprintf(out, "=== %s\n", title);
	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		struct error error = { 0 };
		struct table *table =
			is_listed(view) ? view_build(view, run, scope, NULL, NULL, &error) : NULL;
		fprintf(out, "== %s %zu %s\n", view->name, table ? table->rows : 0,
			table ? table->note ?: "" : error.message);
		for (size_t row = 0; table && row < table->rows && row < ROWS; row++)
			print_row(out, table, row);
		table_free(table);
	}
}

static void print_narrowed(FILE *out, const struct run *run, const char *name, const char *value)
{
	struct scope scope;
	struct error error = { 0 };
	char title[300];

	scope_init(&scope);
	snprintf(title, sizeof title, "%s %s", name, value);
	if (scope_set(&scope, name, value, &error))
		print_scope(out, run, title, &scope);
	else
		fprintf(out, "=== %s: %s\n", title, error.message);
	scope_clear(&scope);
}

/* A part of the time that cuts events at both ends, and one that begins and ends with one. */
static void print_times(FILE *out, const struct run *run, const struct profile *profile)
{
	struct scope scope;

	scope_init(&scope);
	scope.has_time = true;
	scope.time_first = profile->end_ns / 3;
	scope.time_last = profile->end_ns - profile->end_ns / 3;
	print_scope(out, run, "the middle", &scope);
	if (profile->activities > 2) {
		uint32_t at = profile->activities / 2;
		scope.time_first = profile->activity_start[at];
		scope.time_last = profile->activity_start[at] + profile->activity_dur[at];
		print_scope(out, run, "of an activity", &scope);
	}
	scope_clear(&scope);
}

static void print_scopes(const char *file, const struct run *run)
{
	static const char *const narrowed[][2] = { { "steps", "..1" },
						   { "phase", "decode,none" },
						   { "device", "0" },
						   { "filter", "[ae]" },
						   { "stream", "7,2,13" } };
	struct rank *rank = run_acquire(run, run->ranks[0].number, NULL, NULL);
	FILE *out = open_text(file, "scopes");

	if (rank)
		print_times(out, run, rank->profile);
	for (size_t i = 0; rank && i < sizeof narrowed / sizeof *narrowed; i++)
		print_narrowed(out, run, narrowed[i][0], narrowed[i][1]);
	if (rank && rank->profile->spans) {
		char thread[40];
		const struct profile *profile = rank->profile;
		uint32_t track = profile->span_track[profile->spans - 1];
		snprintf(thread, sizeof thread, "%lld", (long long)profile->tracks[track].tid);
		print_narrowed(out, run, "thread", thread);
	}
	run_release(run, rank);
	fclose(out);
}

/* ---- profiles ---- */

/* False if it cannot be one. */
static bool make_profile(const char *path, const char *name)
{
	struct stat status;
	size_t length;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return symlink(path, name) == 0;
	char *bytes = read_file(path, &length), *made;
	made = read_file(fuzz_profile((const uint8_t *)bytes, length), &length);
	write_file(name, made, length);
	free(bytes);
	free(made);
	return true;
}

static void print_seed(const char *path)
{
	char name[256];
	const char *file = name;

	name_seed(path, name, sizeof name);
	struct run *run = make_profile(path, name) ? run_open(&file, 1, NULL, NULL, NULL) : NULL;
	if (!run) {
		unlink(name);
		return;
	}
	print_rows(name, run);
	print_scopes(name, run);
	run_free(run);
}

int main(int count, char **paths)
{
	for (int i = 1; i < count; i++)
		print_seed(paths[i]);
	return 0;
}
