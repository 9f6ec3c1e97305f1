/*
 * Writes the profiles that seeds of the fuzz targets stand for, and prints what all views say of
 * them:
 *
 *     rows SEED...      each becomes FOLDER-NAME in the working directory, its rows
 * FOLDER-NAME.rows
 *
 * A seed that is no profile leaves no file. The rows are those of every view and grouping, with the
 * orders of every column, and of the first rows details and what they lead to.
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

static void print_seed(const char *path)
{
	char name[256], rows[300];
	size_t length;
	char *bytes = read_file(path, &length), *made;

	name_seed(path, name, sizeof name);
	made = read_file(fuzz_profile((const uint8_t *)bytes, length), &length);
	write_file(name, made, length);
	free(bytes);
	free(made);

	const char *file = name;
	struct run *run = run_open(&file, 1, NULL, NULL, NULL);
	if (!run) {
		unlink(name);
		return;
	}
	snprintf(rows, sizeof rows, "%s.rows", name);
	FILE *out = fopen(rows, "w");
	if (!out)
		abort();
	for (size_t i = 0; view_or_report_at(i); i++) {
		const struct view *view = view_or_report_at(i);
		/* the size of a database and of memory depend on the machine */
		if (strcmp(view->name, "info") == 0)
			continue;
		print_view(out, run, view, NULL);
		for (int group = 0; group < VIEW_GROUPS_MAX && view->groups[group]; group++)
			print_view(out, run, view, view->groups[group]);
	}
	fclose(out);
	run_free(run);
}

int main(int count, char **paths)
{
	for (int i = 1; i < count; i++)
		print_seed(paths[i]);
	return 0;
}
