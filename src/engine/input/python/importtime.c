/*
 * What python -X importtime prints: a row per import, those inside an import above it.
 */
#include "base/error.h"
#include "input/python/python_readers.h"
#include "input/text_lines.h"
#include "input/source_text.h"
#include "model/python_stats.h"

#include <math.h>
#include <string.h>

static const char mark[] = "import time:";

struct import {
	uint32_t function; /* the module */
	uint32_t parent;   /* index of the import that it is inside, NO_ROW */
	size_t depth;
	int64_t self_us; /* NO_VALUE: imported before, only named */
};

struct importing {
	struct profile *profile;
	struct python_stats *stats;
	struct import *imports;
	size_t count, capacity;
	uint32_t *open; /* imports that are inside no other so far */
	size_t open_count, open_capacity;
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

static bool parse_row(const char *line, size_t length, struct importtime_row *row)
{
	const char *end = line + length;
	const char *first = memchr(line, '|', length);
	const char *second = first ? memchr(first + 1, '|', (size_t)(end - first - 1)) : NULL;
	if (!second ||
	    !importtime_parse_number((struct text_slice){ line, (size_t)(first - line) },
				     &row->self_us) ||
	    !importtime_parse_number((struct text_slice){ first + 1, (size_t)(second - first - 1) },
				     &row->total_us))
		return false;
	const char *name = second + 1;
	size_t blanks = 0;
	for (; name < end && *name == ' '; name++)
		blanks++;
	row->depth = blanks ? (blanks - 1) / 2 : 0;
	row->name = slice_trim((struct text_slice){ name, (size_t)(end - name) });
	return row->name.length > 0;
}

static bool is_heading(const char *line, size_t length)
{
	return slice_find((struct text_slice){ line, length }, "imported package") != NULL;
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
	struct python_stats *stats = importing->stats;
	uint32_t name = intern_add(importing->profile->strings, row->name.text, row->name.length);
	uint32_t function = python_function_find(stats, name, 0, NO_VALUE, 0);
	struct python_function *module = &stats->functions[function];
	module->calls = module->is_named_only ? 1 : module->calls + 1;
	module->is_named_only = false;
	add_us(&module->self_s, row->self_us);
	add_us(&module->total_s, row->total_us);
	uint32_t at = (uint32_t)importing->count;
	while (importing->open_count &&
	       importing->imports[importing->open[importing->open_count - 1]].depth > row->depth)
		importing->imports[importing->open[--importing->open_count]].parent = at;
	mem_grow(importing->imports, importing->capacity, importing->count + 1);
	importing->imports[importing->count++] =
		(struct import){ function, NO_ROW, row->depth, row->self_us };
	mem_grow(importing->open, importing->open_capacity, importing->open_count + 1);
	importing->open[importing->open_count++] = at;
}

/* An import follows those inside it, so the last ones are the outermost. */
static void add_stacks(struct importing *importing)
{
	uint32_t *frame = mem_alloc((importing->count + 1) * sizeof *frame);
	for (size_t i = importing->count; i-- > 0;) {
		const struct import *import = &importing->imports[i];
		frame[i] = frames_add(&importing->stats->frames, import->function,
				      import->parent == NO_ROW ? NO_ROW : frame[import->parent]);
		int64_t ns = import->self_us;
		if (ns == NO_VALUE || __builtin_mul_overflow(ns, 1000, &ns))
			continue;
		python_sample_add(importing->stats,
				  &(struct python_sample){ frame[i], NO_ROW, ns, 1 });
	}
	mem_free(frame);
}

static bool importtime_recognize(const char *head, size_t length)
{
	const char *text = head, *end = head + length, *line;
	size_t size;
	struct importtime_row row;
	if (memmem(head, length, "\"traceEvents\"", 13))
		return false;
	while (text_line(&text, end, &line, &size)) {
		size_t skip = sizeof mark - 1;
		if (size > skip && memcmp(line, mark, skip) == 0 &&
		    (is_heading(line, size) || parse_row(line + skip, size - skip, &row)))
			return true;
	}
	return false;
}

static bool read_imports(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	(void)builder, (void)progress;
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct importing importing = { .profile = profile, .stats = python_stats_new() };
	const char *start = buffer_text(&text), *at = start, *end = start + text.length, *line;
	size_t length, others = 0;
	profile->python = importing.stats;
	profile->text_bytes = text.length;
	importing.stats->has_totals = true;
	while (text_line(&at, end, &line, &length)) {
		const char *found = memmem(line, length, mark, sizeof mark - 1);
		size_t skip = found ? (size_t)(found - line) + sizeof mark - 1 : 0;
		struct importtime_row row;
		if (!found)
			others += length > 0;
		else if (parse_row(line + skip, length - skip, &row))
			add_import(&importing, &row);
		else if (!is_heading(line, length))
			profile_damage(profile, "line not an import", "skipped",
				       (uint64_t)(line - start));
	}
	add_stacks(&importing);
	if (others)
		python_fact_number(importing.stats, "imports", "other lines, not read",
				   (int64_t)others, "count");
	profile->events = importing.count;
	bool done = importing.count > 0 ||
		    error_set(error, ERROR_INPUT,
			      "has the heading of python -X importtime, but no import");
	mem_free(importing.imports);
	mem_free(importing.open);
	buffer_free(&text);
	return done;
}

const struct reader importtime_reader = { .format = "Python import times (-X importtime)",
					  .recognize = importtime_recognize,
					  .read = read_imports };
