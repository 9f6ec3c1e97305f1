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

/* ---- rows ---- */

/* A line that never ran has only its number and text. */
static bool has_run(const struct printed *printed, struct text_slice whole,
		    struct text_slice numbers)
{
	size_t from = (size_t)(numbers.text - whole.text), to = printed->contents;
	struct text_slice blank = { numbers.text, 0 };
	if (to > from)
		blank.length = to - from < numbers.length ? to - from : numbers.length;
	return slice_trim(blank).length > 0;
}

/*
 * Hits, time, time per hit, share of the function's time; the source is after them. A time too long
 * for its column has one digit, "2e+10": what differs from its share of the total is the latter.
 */
static bool parse_numbers(const struct printed *printed, struct text_slice *line, int64_t *hits,
			  double *time_s)
{
	double time, unused, share;
	struct text_slice count = slice_next(line), text = slice_next(line);
	if (!slice_count(count, hits) || !slice_real(text, &time) ||
	    !slice_real(slice_next(line), &unused) || !slice_real(slice_next(line), &share))
		return false;
	double by_share = printed->total_s * share / 100;
	*time_s = time * printed->unit_s;
	if (printed->total_s > 0 && memchr(text.text, 'e', text.length) &&
	    fabs(by_share - *time_s) > printed->total_s * 0.0005)
		*time_s = by_share;
	return true;
}

static bool line_row(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	int64_t number, hits = NO_VALUE;
	double time_s = NAN;
	struct python_stats *stats = printed->stats;
	if (line.length && line.text[0] == '=')
		return true;
	if (!slice_count(slice_next(&line), &number))
		return false;
	bool ran = has_run(printed, whole, line);
	if (ran && !parse_numbers(printed, &line, &hits, &time_s)) {
		printed_damage(printed);
		return true;
	}
	struct python_line *row = python_line_add(stats);
	struct python_function *function = &stats->functions[printed->function];
	row->function = printed->function;
	row->file = function->file;
	row->line = number;
	size_t column = printed->contents < whole.length ? printed->contents : whole.length;
	row->text = text_intern(&printed->text,
				slice_trim(ran ? line : slice_from(whole, whole.text + column)));
	row->hits = hits;
	row->self_s = time_s;
	if (ran)
		function->self_s = function->total_s = function->self_s + row->self_s;
	printed->text.rows++;
	return true;
}

/* ---- headings ---- */

/* "step at line 12" */
static void parse_function(struct printed *printed, struct text_slice text)
{
	struct text_slice name = text;
	int64_t line = NO_VALUE;
	for (size_t at = text.length; at-- > 0;) {
		struct text_slice rest = slice_from(text, text.text + at);
		if (!slice_skip(&rest, " at line ") || !slice_count(slice_trim(rest), &line))
			continue;
		name.length = at;
		break;
	}
	printed->name = text_intern(&printed->text, name);
	printed->defined = line;
}

/* "1e-06 s" */
static bool take_seconds(struct text_slice value, double *seconds)
{
	double number;
	struct text_slice text = slice_next(&value);
	if (!slice_is(slice_trim(value), "s") || !slice_real(text, &number) || number <= 0 ||
	    number > 1e6)
		return false;
	*seconds = number;
	return true;
}

static bool begin_lines(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	static const char contents[] = "Line Contents", unnamed[] = "(unknown function)";
	struct text_slice value = line;
	if (slice_skip(&value, "Timer unit:"))
		return take_seconds(value, &printed->unit_s);
	if (slice_skip(&value, "Total time:"))
		take_seconds(value, &printed->total_s);
	if (slice_skip(&value, "File: ") ||
	    slice_skip(&value, "Could not find file ")) /* names no function */
		printed->file = text_intern(&printed->text, slice_trim(value));
	else if (slice_skip(&value, "Function: "))
		parse_function(printed, slice_trim(value));
	if (!slice_begins(line, "Line # ") || !slice_find(line, " Hits ") ||
	    !slice_find(line, "Per Hit") || !slice_ends(line, contents) || !printed->unit_s)
		return false;
	struct python_stats *stats = printed->stats;
	if (!printed->name)
		parse_function(printed, (struct text_slice){ unnamed, sizeof unnamed - 1 });
	printed->contents = (size_t)(slice_find(whole, contents) - whole.text);
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
