/*
 * What python -X importtime prints: a row per import, those inside an import above it.
 */
#include "input/readers.h"
#include "input/text_format.h"
#include "model/python_stats.h"

#include <math.h>

static const char mark[] = "import time:";

struct import {
	uint32_t function; /* the module */
	uint32_t parent;   /* index of the import that it is inside, NO_ROW */
	size_t depth;
	int64_t self_us; /* NO_VALUE: imported before, only named */
};

struct importing {
	struct text_reading text;
	GROWING(struct import, imports, count);
	uint32_t *open; /* imports that are inside no other so far */
	size_t open_count;
	int64_t others; /* lines */
};

/* "SELF |  CUMULATIVE |   module", indented by two blanks per level; "cached" for both numbers. */
struct importtime_row {
	int64_t self_us, total_us;
	size_t depth;
	struct text_slice name;
};

static bool importtime_parse_number(struct text_slice field, int64_t *us)
{
	*us = NO_VALUE;
	field = slice_trim(field);
	return slice_is(field, "cached") || slice_count(field, us);
}

static bool parse_row(struct text_slice line, struct importtime_row *row)
{
	const char *first = slice_find(line, "|");
	struct text_slice rest = first ? slice_from(line, first + 1) : line;
	const char *second = first ? slice_find(rest, "|") : NULL;
	if (!second || !importtime_parse_number(slice_until(line, first), &row->self_us) ||
	    !importtime_parse_number(slice_until(rest, second), &row->total_us))
		return false;
	rest = slice_from(rest, second + 1);
	size_t blanks = 0;
	while (blanks < rest.length && rest.text[blanks] == ' ')
		blanks++;
	row->depth = blanks ? (blanks - 1) / 2 : 0;
	row->name = slice_trim(rest);
	return row->name.length > 0;
}

static bool is_heading(struct text_slice line)
{
	return slice_find(line, "imported package") != NULL;
}

/* Seconds of SUM grow by US. */
static void add_us(double *sum, int64_t us)
{
	if (us != NO_VALUE)
		*sum = (isnan(*sum) ? 0 : *sum) + (double)us / 1e6;
}

/* An import is inside the next one of a lower level; it adopts the deeper ones before it. */
static void add_import(struct importing *importing, const struct importtime_row *row)
{
	struct python_stats *stats = importing->text.profile->python;
	uint32_t function = python_function_find(stats, text_intern(&importing->text, row->name), 0,
						 NO_VALUE, 0);
	struct python_function *module = &stats->functions[function];
	module->calls = module->is_named_only ? 1 : module->calls + 1;
	module->is_named_only = false;
	add_us(&module->self_s, row->self_us);
	add_us(&module->total_s, row->total_us);
	uint32_t at = (uint32_t)importing->count;
	while (importing->open_count &&
	       importing->imports[importing->open[importing->open_count - 1]].depth > row->depth)
		importing->imports[importing->open[--importing->open_count]].parent = at;
	*mem_push(importing->imports, importing->count) =
		(struct import){ function, NO_ROW, row->depth, row->self_us };
	*mem_push(importing->open, importing->open_count) = at;
}

/* An import follows those inside it, so the last ones are the outermost. */
static void add_stacks(struct importing *importing)
{
	struct python_stats *stats = importing->text.profile->python;
	AUTO_FREE uint32_t *frame = mem_alloc((importing->count + 1) * sizeof *frame);
	for (size_t i = importing->count; i-- > 0;) {
		const struct import *import = &importing->imports[i];
		frame[i] = frames_add(&stats->frames, import->function,
				      import->parent == NO_ROW ? NO_ROW : frame[import->parent]);
		int64_t ns = import->self_us;
		if (ns == NO_VALUE || __builtin_mul_overflow(ns, 1000, &ns))
			continue;
		python_sample_add(stats, &(struct python_sample){ frame[i], NO_ROW, ns, 1 });
	}
}

static bool importtime_recognize(const char *head, size_t length)
{
	const char *text = head, *end = head + length;
	struct importtime_row row;
	if (memmem(head, length, "\"traceEvents\"", 13))
		return false;
	for (struct text_slice line; text_line(&text, end, &line.text, &line.length);)
		if (slice_skip(&line, mark) && (is_heading(line) || parse_row(line, &row)))
			return true;
	return false;
}

static void importtime_take_line(void *state, struct text_slice line)
{
	struct importing *importing = state;
	struct importtime_row row;
	const char *found = slice_find(line, mark);
	if (!found)
		importing->others += line.length > 0;
	else if (parse_row(slice_from(line, found + sizeof mark - 1), &row))
		add_import(importing, &row);
	else if (!is_heading(line))
		text_damage(&importing->text, "line not an import");
}

static void importtime_end(void *state)
{
	struct importing *importing = state;
	importing->text.profile->python->imports = true;
	add_stacks(importing);
	if (importing->others)
		python_fact_number(importing->text.profile->python, "imports",
				   "other lines, not read", importing->others, "count");
	importing->text.rows = importing->count;
	mem_free_all(importing->imports, importing->open);
}

static const struct text_format importtime_format = {
	.empty = "has the heading of python -X importtime, but no import",
	.result = TEXT_SUMS,
	.state = sizeof(struct importing),
	.line = importtime_take_line,
	.end = importtime_end,
};

const struct reader importtime_reader = { .format = "Python import times (-X importtime)",
					  .recognize = importtime_recognize,
					  .text = &importtime_format };
