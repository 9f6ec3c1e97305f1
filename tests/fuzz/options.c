/*
 * Fuzzes command lines: one word per line, the first one the command; requested reports are
 * printed.
 */
#include "fuzz.h"

#include "base/error.h"
#include "base/mem.h"
#include "cli/options.h"
#include "table/view.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, ROWS_MAX = 1000 };

static unsigned set_of(const char *command)
{
	static const struct {
		const char *name;
		unsigned set;
	} commands[] = {
		{ "report", FOR_REPORT }, { "query", FOR_QUERY }, { "export", FOR_EXPORT },
		{ "info", FOR_INFO },     { "views", FOR_VIEWS }, { "diff", FOR_DIFF },
		{ "cache", FOR_CACHE },
	};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strcmp(commands[i].name, command) == 0)
			return commands[i].set;
	return FOR_OPEN;
}

static void print(const struct options *options, const struct table *table, int to)
{
	struct extract_options wanted = options->extract;
	const struct style style = { .width = options->width == WIDTH_OF_TERMINAL
						      ? 80
						      : options->width % 500,
				     .raw = options->raw,
				     .unicode = !options->ascii };
	struct extract extract;
	struct output output;
	struct error error = { 0 };

	wanted.all_columns = options->format->all_columns;
	if (extract_make(&extract, table, &wanted, NULL, &error) &&
	    output_open(&output, NULL, to, false, &error)) {
		options->format->write(&output, &extract, &style, NULL, &error);
		output_commit(&output, &error);
	}
	extract_clear(&extract);
}

static void report(const struct options *options, int to)
{
	const char *name = options->slice_count ? options->words[0] : "";
	const struct preset *preset = preset_find(name);
	const struct view *view = preset ? preset->view : view_find(name);
	struct buffer group = { 0 };
	struct error error = { 0 };

	if (preset && options->preset.sort_by)
		preset_sort(preset, options->preset.sort_by, &error);
	preset_group(&options->preset, &group);
	const char *by = group.length ? group.data : options->group;
	if (view && extract_check(view, &options->extract, &error) &&
	    (!by || view_has_group(view, by))) {
		struct table *table =
			view_build(view, fuzz_run(), &options->scope, by, NULL, &error);
		if (table && table->rows < ROWS_MAX)
			print(options, table, to);
		table_free(table);
	}
	buffer_free(&group);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int null = -1;
	char *words[WORDS_MAX + 1];
	int count = 0;
	struct options options;
	struct error error = { 0 };

	null = null < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : null;
	for (char *word = fuzz_text(data, size); word && count < WORDS_MAX;) {
		words[count++] = word;
		word = strchr(word, '\n');
		if (word)
			*word++ = 0;
	}
	words[count] = NULL;
	unsigned set = set_of(words[0]);
	if (options_parse(&options, count, words, set, &error)) {
		if (set == FOR_REPORT)
			report(&options, null);
	} else if (error.code != ERROR_USAGE) {
		abort();
	}
	options_clear(&options);
	return 0;
}
