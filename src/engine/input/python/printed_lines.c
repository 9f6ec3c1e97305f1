/*
 * line_profiler's tables: how often each source line of a function ran, and its time.
 *
 *   Timer unit: 1e-06 s
 *
 *   Total time: 1.65 s
 *   File: train.py
 *   Function: step at line 12
 *
 *   Line #      Hits         Time  Per Hit   % Time  Line Contents
 *   ==============================================================
 *       13                                           def step(x):
 *       14       100     652290.0   6522.9     39.5      y = model(x)
 */
#include "input/python/printed_private.h"

#include <math.h>
#include <string.h>

static struct word after(struct word line, const char *prefix)
{
	size_t length = strlen(prefix);
	return word_trim((struct word){ line.text + length, line.length - length });
}

/* The part of WHOLE from COLUMN on. */
static struct word from_column(struct word whole, size_t column)
{
	size_t from = column < whole.length ? column : whole.length;
	return (struct word){ whole.text + from, whole.length - from };
}

/* ---- rows ---- */

/* A line that never ran has only its number and text. */
static bool has_run(const struct printed *printed, struct word whole, struct word numbers)
{
	size_t from = (size_t)(numbers.text - whole.text), to = printed->contents;
	struct word blank = { numbers.text, 0 };
	if (to > from)
		blank.length = to - from < numbers.length ? to - from : numbers.length;
	return word_trim(blank).length > 0;
}

/* Hits, time, time per hit, share of the function's time; the source is after them. */
static bool take_numbers(struct word *line, int64_t *hits, double *time)
{
	double unused;
	return word_count(word_next(line), hits) && word_real(word_next(line), time) &&
	       word_real(word_next(line), &unused) && word_real(word_next(line), &unused);
}

static bool line_row(struct printed *printed, struct word line, struct word whole)
{
	int64_t number, hits = NO_VALUE;
	double time = NAN;
	struct python_stats *stats = printed->stats;
	if (line.length && line.text[0] == '=')
		return true;
	if (!word_count(word_next(&line), &number))
		return false;
	bool ran = has_run(printed, whole, line);
	if (ran && !take_numbers(&line, &hits, &time)) {
		printed_damage(printed);
		return true;
	}
	struct python_line *row = python_line_add(stats);
	struct python_function *function = &stats->functions[printed->function];
	row->function = printed->function;
	row->file = function->file;
	row->line = number;
	row->text = printed_intern(printed,
				   word_trim(ran ? line : from_column(whole, printed->contents)));
	row->hits = hits;
	row->self_s = time * printed->unit_s;
	if (ran)
		function->self_s = function->total_s = function->self_s + row->self_s;
	printed->rows++;
	return true;
}

/* ---- headings ---- */

/* "step at line 12" */
static void take_function(struct printed *printed, struct word text)
{
	static const char mark[] = " at line ";
	struct word name = text;
	int64_t line = NO_VALUE;
	for (size_t at = text.length; at-- > 0;) {
		struct word rest = { text.text + at, text.length - at };
		if (!word_begins(rest, mark) || !word_count(after(rest, mark), &line))
			continue;
		name.length = at;
		break;
	}
	printed->name = printed_intern(printed, name);
	printed->defined = line;
}

/* "Timer unit: 1e-06 s" */
static bool take_unit(struct printed *printed, struct word line)
{
	double unit;
	struct word value = after(line, "Timer unit:"), number = word_next(&value);
	if (!word_is(word_trim(value), "s") || !word_real(number, &unit) || unit <= 0 || unit > 1e6)
		return false;
	printed->unit_s = unit;
	return true;
}

static bool begin_lines(struct printed *printed, struct word line, struct word whole)
{
	static const char contents[] = "Line Contents", unnamed[] = "(unknown function)";
	if (word_begins(line, "Timer unit:"))
		return take_unit(printed, line);
	if (word_begins(line, "File: "))
		printed->file = printed_intern(printed, after(line, "File: "));
	else if (word_begins(line, "Could not find file ")) /* names no function */
		printed->file = printed_intern(printed, after(line, "Could not find file "));
	else if (word_begins(line, "Function: "))
		take_function(printed, after(line, "Function: "));
	if (!word_begins(line, "Line # ") || !word_find(line, " Hits ") ||
	    !word_find(line, "Per Hit") || !word_ends(line, contents) || !printed->unit_s)
		return false;
	struct python_stats *stats = printed->stats;
	if (!printed->name)
		take_function(printed, (struct word){ unnamed, sizeof unnamed - 1 });
	printed->contents = (size_t)(word_find(whole, contents) - whole.text);
	printed->function = python_function_find(stats, printed->name, printed->file,
						 printed->defined, printed->section);
	struct python_function *function = &stats->functions[printed->function];
	function->is_named_only = false;
	if (isnan(function->self_s))
		function->self_s = function->total_s = 0;
	printed->name = 0;
	printed->seen[PRINTED_LINES] = true;
	printed->table = &profiled_lines;
	return true;
}

const struct printed_table profiled_lines = { begin_lines, line_row };
