/*
 * Fuzzes what is written of a profile: the page with all pictures and plots, two views in every
 * format, stacks for flame graphs and for speedscope. Strict readers take each.
 */
#include "fuzz.h"

#include "strict.h"

#include "base/error.h"
#include "base/mem.h"
#include "picture/picture.h"
#include "picture/plot/plot_print.h"
#include "report/format.h"
#include "report/html.h"
#include "session/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char written[80];

static void remove_written(void)
{
	unlink(written);
}

static void refuse(const char *what, const struct buffer *text, size_t wrong)
{
	size_t from = wrong > 100 ? wrong - 100 : 0;
	fprintf(stderr, "%s: wrong at %zu of %zu: %.*s\n", what, wrong, text->length, 200,
		buffer_text(text) + (from < text->length ? from : 0));
	abort();
}

static bool is_good(const char *format, const struct buffer *text, size_t *wrong)
{
	const char *at = buffer_text(text);
	if (strcmp(format, "json") == 0 || strcmp(format, "ndjson") == 0)
		return strict_json(at, text->length, *format == 'n', wrong);
	if (strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0)
		return strict_fields(at, text->length, *format == 'c' ? ',' : '\t', *format == 'c',
				     wrong);
	if (strcmp(format, "html") == 0)
		return strict_page(at, text->length, wrong);
	if (strcmp(format, "collapsed") == 0)
		return strict_stacks(at, text->length, wrong);
	return strcmp(format, "speedscope") != 0 || strict_speedscope(at, text->length, wrong);
}

/* What is in the file that was written. */
static void read_written(struct buffer *text)
{
	char block[4096];
	size_t got;
	FILE *file = fopen(written, "rb");
	if (!file)
		abort();
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		buffer_add(text, block, got);
	fclose(file);
}

static void write_table(const char *format, format_writer *write, const struct table *table)
{
	struct extract extract = { 0 };
	struct extract_options options = { .limit = 50, .all_columns = true };
	struct style style = { .width = 100, .unicode = true };
	struct output output;
	struct error error = { 0 };
	size_t wrong = 0;
	AUTO_BUFFER struct buffer text = { 0 };
	if (!extract_make(&extract, table, &options, NULL, &error) ||
	    !output_open(&output, written, STDOUT_FILENO, true, &error) ||
	    !write(&output, &extract, &style, NULL, &error) || !output_commit(&output, &error)) {
		fprintf(stderr, "%s: %s\n", format, error.message);
		abort();
	}
	extract_clear(&extract);
	read_written(&text);
	if (!is_good(format, &text, &wrong))
		refuse(format, &text, wrong);
}

static void write_view(const struct run *run, const struct scope *scope, const struct view *view)
{
	struct table *table = view_build(view, run, scope, NULL, NULL, NULL);
	for (size_t i = 0; table && format_at(i); i++)
		write_table(format_at(i)->name, format_at(i)->write, table);
	if (table && strcmp(view->name, "stacks") == 0) {
		write_table("collapsed", format_write_collapsed, table);
		write_table("speedscope", format_write_speedscope, table);
	}
	table_free(table);
}

static void add_plot(const struct run *run, const struct scope *scope, const struct plot_kind *kind,
		     struct buffer *links, struct buffer *out)
{
	struct plot *plot = plot_build(kind, &kind->groups[0], run, scope, NULL, NULL);
	if (!plot)
		return;
	html_drawing_begin(out, links, kind->name, kind->groups[0].title);
	plot_svg(plot, out);
	html_drawing_end(out);
	plot_free(plot);
}

static void write_page(const struct run *run, const struct scope *scope)
{
	struct error error = { 0 };
	size_t wrong = 0;
	AUTO_BUFFER struct buffer title = { 0 }, links = { 0 }, body = { 0 }, page = { 0 };
	struct picture_query query = {
		.run = run, .scope = scope, .width = 90, .svg = true, .error = &error
	};
	view_headline(run, scope, &title);
	for (size_t i = 0; picture_at(i); i++) {
		html_drawing_begin(&body, &links, picture_at(i)->name, picture_at(i)->title);
		picture_at(i)->print(&query, &body);
		html_drawing_end(&body);
	}
	for (size_t i = 0; plot_at(i); i++)
		add_plot(run, scope, plot_at(i), &links, &body);
	html_begin(&page, buffer_text(&title));
	buffer_add(&page, buffer_text(&links), links.length);
	buffer_add(&page, buffer_text(&body), body.length);
	html_end(&page);
	if (!strict_page(buffer_text(&page), page.length, &wrong))
		refuse("page", &page, wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_profile(data, size);
	struct run *run = run_open(&path, 1, NULL, NULL, NULL);
	struct scope scope;
	size_t views = 0, at = size * 7;

	if (!*written) {
		snprintf(written, sizeof written, "%s.out", fuzz_file(data, 0));
		atexit(remove_written);
	}
	if (!run)
		return 0;
	scope_init(&scope);
	while (view_at(views))
		views++;
	write_view(run, &scope, view_find("stacks"));
	write_view(run, &scope, view_at(at % views));
	write_view(run, &scope, view_at((at + 11) % views));
	write_page(run, &scope);
	scope_clear(&scope);
	run_free(run);
	return 0;
}
