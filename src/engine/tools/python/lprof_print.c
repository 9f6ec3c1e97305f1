/*
 * Reproduces the output of line_profiler byte for byte, with the source where its file is here.
 */
#include "base/binary_search.h"
#include "base/code_file.h"
#include "base/compare.h"
#include "base/error.h"
#include "model/python_stats.h"
#include "base/code_block.h"
#include "tools/python/python_tool_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HITS_WIDTH = 9, TIME_WIDTH = 12, PER_HIT_WIDTH = 8, SHARE_WIDTH = 8 };

static const double unit_default_s = 1e-6; /* as line_profiler, whatever the file's unit */

struct line_cells {
	char hits[40], time[40], per_hit[40], share[40];
};

struct lprof_print_listing {
	struct buffer *out;
	const struct profile *profile;
	const struct style *style;
	double scale;       /* units of output in a tick */
	uint32_t file;      /* whose text this is; 0: none yet */
	struct buffer text; /* empty: not here */
};

/* Newer versions shorten numbers, and widen columns for those that stay long; older ones do not. */
static bool is_short(const struct lprof_print_listing *listing)
{
	return listing->profile->python->short_numbers;
}

/* With one decimal or, if too long, three significant digits. */
static void format_number(char out[40], const struct lprof_print_listing *listing, double value,
			  size_t max)
{
	snprintf(out, 40, "%5.1f", value);
	if (is_short(listing) && strlen(out) > max)
		snprintf(out, 40, "%5.3g", value);
}

static struct line_cells cells_of(const struct lprof_print_listing *listing,
				  const struct python_line *line, double total)
{
	double time = (double)line->ticks * listing->scale;
	struct line_cells cells = { .share = "" };
	snprintf(cells.hits, sizeof cells.hits, "%" PRId64, line->hits);
	if (is_short(listing) && strlen(cells.hits) > HITS_WIDTH)
		snprintf(cells.hits, sizeof cells.hits, "%g", (double)line->hits);
	format_number(cells.time, listing, time, TIME_WIDTH);
	if (line->hits)
		format_number(cells.per_hit, listing, time / (double)line->hits, PER_HIT_WIDTH);
	if (total != 0)
		snprintf(cells.share, sizeof cells.share, "%5.1f",
			 100 * (double)line->ticks / total);
	return cells;
}

struct lprof_print_lines { /* of one function */
	const struct python_line *const *items;
	size_t count;
	int64_t first, last;
	int64_t hits;
	double ticks;
};

COMPARE_ITEMS(lprof_print_compare_lines, struct python_line *const,
	      COMPARE((*x)->function, (*y)->function) ?: COMPARE((*x)->line, (*y)->line))

static const struct python_line **order_lines(const struct python_stats *stats)
{
	const struct python_line **lines = mem_alloc((stats->line_count + 1) * sizeof *lines);
	for (size_t i = 0; i < stats->line_count; i++)
		lines[i] = &stats->lines[i];
	qsort(lines, stats->line_count, sizeof *lines, lprof_print_compare_lines);
	return lines;
}

/* Lines of FUNCTION among all ORDERED lines. */
static struct lprof_print_lines lines_of(const struct python_stats *stats,
					 const struct python_line *const *ordered,
					 uint32_t function)
{
	size_t low =
		search_first(i, (size_t)0, stats->line_count, ordered[i]->function >= function);
	struct lprof_print_lines lines = { .items = ordered + low };
	while (low + lines.count < stats->line_count &&
	       lines.items[lines.count]->function == function) {
		lines.hits |= lines.items[lines.count]->hits;
		lines.ticks += (double)lines.items[lines.count++]->ticks;
	}
	lines.first = stats->functions[function].line;
	lines.last = lines.count ? lines.items[lines.count - 1]->line : lines.first;
	return lines;
}

struct lprof_print_code { /* the lines of a function */
	const char *text, *end;
	size_t lines; /* 0: not here */
};

/* Columns widen to fit their contents, as hits and times of very small units do. */
static int grown(const struct lprof_print_listing *listing, const struct lprof_print_lines *lines,
		 size_t offset, int width)
{
	for (size_t i = 0; is_short(listing) && i < lines->count; i++) {
		struct line_cells cells = cells_of(listing, lines->items[i], lines->ticks);
		int length = (int)strlen((const char *)&cells + offset);
		width = length > width ? length : width;
	}
	return width;
}

/* The next line of CODE, without its end; nothing after its last. */
static void put_code(const struct lprof_print_listing *listing, struct lprof_print_code *code)
{
	if (!code->lines)
		return;
	const char *newline = memchr(code->text, '\n', (size_t)(code->end - code->text));
	const char *end = newline ? newline : code->end;
	const char *next = newline ? newline + 1 : code->end;
	while (end > code->text && (end[-1] == '\r' || end[-1] == '\n'))
		end--;
	format_text(listing->out, code->text, (size_t)(end - code->text), listing->style->terminal);
	code->text = next;
	code->lines--;
}

/* From the function's first line to the end of its code, or the last line hit. */
static void put_lines(const struct lprof_print_listing *listing,
		      const struct lprof_print_lines *lines, struct lprof_print_code code)
{
	enum { LINES_MAX = 1000000 };
	struct buffer *out = listing->out;
	int hits = grown(listing, lines, offsetof(struct line_cells, hits), HITS_WIDTH);
	int per = grown(listing, lines, offsetof(struct line_cells, per_hit), PER_HIT_WIDTH);
	size_t before = out->length + 1, at = 0;
	buffer_printf(out, "\n%6s %*s %*s %*s %*s  %s", "Line #", hits, "Hits", TIME_WIDTH, "Time",
		      per, "Per Hit", SHARE_WIDTH, "% Time", "Line Contents");
	size_t width = out->length - before;
	buffer_putc(out, '\n');
	while (width--)
		buffer_putc(out, '=');
	buffer_putc(out, '\n');
	for (int64_t i = lines->first, n = 0; (i <= lines->last || code.lines) && n < LINES_MAX;
	     i++, n++) {
		struct line_cells cells = { .hits = "" };
		while (at < lines->count && lines->items[at]->line < i)
			at++;
		if (at < lines->count && lines->items[at]->line == i)
			cells = cells_of(listing, lines->items[at], lines->ticks);
		buffer_printf(out, "%6" PRId64 " %*s %*s %*s %*s  ", i, hits, cells.hits,
			      TIME_WIDTH, cells.time, per, cells.per_hit, SHARE_WIDTH, cells.share);
		put_code(listing, &code);
		buffer_putc(out, '\n');
	}
	buffer_putc(out, '\n');
}

static void read_code(struct lprof_print_listing *listing, uint32_t file)
{
	const struct profile *profile = listing->profile;
	if (file == listing->file)
		return;
	listing->file = file;
	buffer_clear(&listing->text);
	code_file_python(&listing->text, profile_string(profile, file), profile->path);
}

static struct lprof_print_code code_of(const struct lprof_print_listing *listing, int64_t line)
{
	const char *text = buffer_text(&listing->text);
	size_t length = listing->text.length;
	if (line < 1 || (uint64_t)line > length)
		return (struct lprof_print_code){ text, text, 0 };
	size_t start = code_line_start(text, length, (size_t)line);
	return (struct lprof_print_code){ text + start, text + length,
					  code_block_lines(text + start, length - start) };
}

static void put_profile(struct lprof_print_listing *listing, uint32_t function,
			const struct lprof_print_lines *lines)
{
	const struct python_function *of = &listing->profile->python->functions[function];
	const struct profile *profile = listing->profile;
	struct buffer *out = listing->out;
	read_code(listing, of->file);
	buffer_printf(out, "Total time: %g s\n", lines->ticks * profile->python->unit_s);
	buffer_puts(out, listing->text.length ? "File: " : "\nCould not find file ");
	format_text(out, INTERNED(profile->strings, of->file), listing->style->terminal);
	if (listing->text.length) {
		buffer_puts(out, "\nFunction: ");
		format_text(out, INTERNED(profile->strings, of->name), listing->style->terminal);
		buffer_printf(out, " at line %" PRId64 "\n", of->line);
	} else {
		buffer_puts(out,
			    "\nAre you sure you are running this program from the same directory\n"
			    "that you ran the profiler from?\n"
			    "Continuing without the function's contents.\n");
	}
	put_lines(listing, lines, code_of(listing, of->line));
}

struct by_place {
	const struct profile *profile;
	uint32_t function;
};

static int lprof_print_compare_places(const void *a, const void *b)
{
	const struct by_place *x = a, *y = b;
	const struct python_function *f = &x->profile->python->functions[x->function];
	const struct python_function *g = &y->profile->python->functions[y->function];
	return strcmp(profile_string(x->profile, f->file), profile_string(y->profile, g->file))
		       ?: COMPARE(f->line, g->line)
		       ?: strcmp(profile_string(x->profile, f->name),
				 profile_string(y->profile, g->name));
}

FORMAT_WRITER(lprof_print)
{
	const struct profile *profile = extract->table->held->profile;
	const struct python_stats *stats = profile->python;
	bool done = true;
	if (!stats || isnan(stats->unit_s))
		return true;
	AUTO_FREE const struct python_line **lines = order_lines(stats);
	AUTO_FREE struct by_place *order = mem_alloc((stats->function_count + 1) * sizeof *order);
	for (uint32_t i = 0; i < stats->function_count; i++)
		order[i] = (struct by_place){ profile, i };
	qsort(order, stats->function_count, sizeof *order, lprof_print_compare_places);
	double unit_s = style->unit_s > 0 ? style->unit_s : unit_default_s;
	struct lprof_print_listing listing = { .out = &output->text,
					       .profile = profile,
					       .style = style,
					       .scale = stats->unit_s / unit_s };
	buffer_printf(&output->text, "Timer unit: %g s\n\n", unit_s);
	for (size_t i = 0; done && i < stats->function_count; i++) {
		struct lprof_print_lines of = lines_of(stats, lines, order[i].function);
		if (style->skip_zero && !of.hits)
			continue;
		put_profile(&listing, order[i].function, &of);
		output_row(output);
		done = format_go_on(extract, i, progress, error);
	}
	buffer_free(&listing.text);
	return done;
}
