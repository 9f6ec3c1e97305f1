/*
 * What pstats prints: functions, and tables of callers and callees.
 */
#include "base/platform.h"
#include "input/python/printed_private.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

/* ---- functions ---- */

/* "path/file.py:12(name)"; "{built-in method x}" is "<built-in method x>" in "~", as in files. */
static uint32_t function_of(struct printed *printed, struct text_slice text)
{
	uint32_t file = 0, name;
	int64_t line = NO_VALUE;
	struct text_slice part = text;
	if (text.length > 2 && text.text[0] == '{' && text.text[text.length - 1] == '}') {
		AUTO_FREE char *marked = mem_alloc(text.length + 1);
		snprintf(marked, text.length + 1, "<%.*s>", (int)text.length - 2, text.text + 1);
		name = intern_add(printed->text.profile->strings, marked, text.length);
		file = text_intern(&printed->text, (struct text_slice){ PYTHON_BUILTIN_FILE, 1 });
		return python_function_find(printed->stats, name, file, 0, printed->section);
	}
	for (size_t at = text.length; at-- > 1 && text.text[text.length - 1] == ')';) {
		size_t digits = at + 1;
		while (digits < text.length && isdigit((unsigned char)text.text[digits]))
			digits++;
		struct text_slice number = { text.text + at + 1, digits - at - 1 };
		if (text.text[at] != ':' || digits >= text.length || text.text[digits] != '(' ||
		    !slice_count(number, &line))
			continue;
		part = (struct text_slice){ text.text + digits + 1, text.length - digits - 2 };
		file = text_intern(&printed->text, (struct text_slice){ text.text, at });
		break;
	}
	name = text_intern(&printed->text, part);
	return python_function_find(printed->stats, name, file, file ? line : NO_VALUE,
				    printed->section);
}

/* "3192/2": calls, and those that are not recursive */
static bool parse_calls(struct text_slice *line, int64_t *calls, int64_t *primitive)
{
	struct text_slice word = slice_next(line), second = { 0 };
	const char *slash = memchr(word.text, '/', word.length);
	if (slash) {
		second = slice_from(word, slash + 1);
		word = slice_until(word, slash);
	}
	if (!slice_count(word, calls))
		return false;
	*primitive = *calls;
	return !slash || slice_count(second, primitive);
}

static bool parse_seconds(struct text_slice *line, double *seconds)
{
	struct text_slice word = slice_next(line);
	if (slice_is(word, "nan")) {
		*seconds = NAN;
		return true;
	}
	return slice_real(word, seconds);
}

/* A function without calls has no times per call. */
static bool function_row(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	int64_t calls, primitive;
	double self, total, each;
	if (!line.length || !parse_calls(&line, &calls, &primitive) ||
	    !parse_seconds(&line, &self) || (calls && !parse_seconds(&line, &each)) ||
	    !parse_seconds(&line, &total) || (primitive && !parse_seconds(&line, &each))) {
		if (line.length && isdigit((unsigned char)line.text[0]))
			printed_damage(printed);
		return false;
	}
	line = slice_trim(line);
	if (!line.length) {
		printed_damage(printed);
		return true;
	}
	printed->summary_read = true;
	if (printed->again)
		return true;
	uint32_t at = function_of(printed, line);
	struct python_function *function = &printed->stats->functions[at];
	function->calls = calls;
	function->primitive_calls = primitive;
	if (isnan(function->self_s) && !isnan(self))
		printed->stats->left_out_s -= self;
	function->self_s = self;
	function->total_s = total;
	function->is_named_only = false;
	printed->text.rows++;
	return true;
}

/* ---- the lines before a table ---- */

/* "… function calls in 19.107 seconds" */
static double printed_pstats_seconds_of(struct text_slice line)
{
	static const char mark[] = " in ";
	double seconds = 0;
	const char *at = slice_find(line, mark);
	if (!at)
		return 0;
	struct text_slice rest = slice_from(line, at + sizeof mark - 1);
	return slice_real(slice_next(&rest), &seconds) && seconds > 0 && seconds < 1e9 ? seconds
										       : 0;
}

/* Other statistics than those before are of a section of their own: "profile 2". */
static void parse_summary(struct printed *printed, struct text_slice line)
{
	uint32_t summary = text_intern(&printed->text, line);
	if (printed->summary != summary && printed->summary_read)
		printed->section = profile_print(printed->text.profile, "profile %u",
						 ++printed->summaries + 1);
	if (printed->summary != summary)
		printed->stated_s = printed_pstats_seconds_of(line);
	printed->summary = summary;
	printed->summary_read = printed->reduced = false;
	python_fact_text(printed->stats, printed_section(printed, "pstats"), "summary", summary);
}

static bool begin_functions(struct printed *printed, struct text_slice line,
			    struct text_slice whole)
{
	if (slice_find(line, " function calls ") &&
	    (slice_ends(line, " seconds") || slice_ends(line, " CPU seconds"))) {
		parse_summary(printed, line);
	} else if (slice_begins(line, "List reduced from ")) {
		python_fact_text(printed->stats, printed_section(printed, "pstats"), "partial",
				 text_intern(&printed->text, line));
		printed->reduced = true;
	} else if (slice_begins(line, "ncalls ") && slice_ends(line, "filename:lineno(function)")) {
		printed->table = &pstats_functions;
		printed->again = printed->summary && printed->whole == printed->summary &&
				 !printed->summary_read;
		if (!printed->reduced)
			printed->whole = printed->summary;
		printed->stats->left_out_s += printed->stated_s;
		printed->stated_s = 0;
	} else {
		return false;
	}
	printed->seen[PRINTED_PSTATS] = true;
	return true;
}

const struct printed_table pstats_functions = { begin_functions, function_row };

/* ---- callers and callees ---- */

static void add_edge(struct printed *printed, struct text_slice other, struct python_caller *edge)
{
	uint32_t partner = function_of(printed, other);
	edge->function = printed->callees ? partner : printed->subject;
	edge->caller = printed->callees ? printed->subject : partner;
	*mem_push(printed->stats->callers, printed->stats->caller_count) = *edge;
	printed->text.rows++;
}

/* "name(3)    0.001", which pstats prints of profiles of the module profile */
static bool counted_edge(struct printed *printed, struct text_slice line)
{
	struct python_caller edge = { .primitive_calls = NO_VALUE, .self_s = NAN, .total_s = NAN };
	const char *open = line.length ? platform_memrchr(line.text, '(', line.length) : NULL;
	struct text_slice rest = open ? slice_from(line, open + 1) : (struct text_slice){ 0 };
	const char *close = slice_find(rest, ")");
	if (!close || !slice_count(slice_until(rest, close), &edge.calls))
		return false;
	add_edge(printed, slice_until(line, open), &edge);
	return true;
}

static bool parse_edge(struct printed *printed, struct text_slice line)
{
	struct python_caller edge;
	struct text_slice counted = line = slice_trim(line);
	if (!line.length)
		return true; /* called by nothing that was profiled */
	if (parse_calls(&line, &edge.calls, &edge.primitive_calls) &&
	    parse_seconds(&line, &edge.self_s) && parse_seconds(&line, &edge.total_s) &&
	    slice_trim(line).length) {
		add_edge(printed, slice_trim(line), &edge);
		return true;
	}
	return counted_edge(printed, counted);
}

static bool edge_row(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	if (slice_begins(line, "ncalls "))
		return true;
	if (!line.length)
		return false;
	const char *arrow = slice_find(line, printed->callees ? "->" : "<-");
	struct text_slice rest = line;
	if (arrow) {
		printed->subject = function_of(printed, slice_trim(slice_until(line, arrow)));
		rest = slice_from(line, arrow + 2);
	}
	if (printed->subject == NO_ROW)
		return false;
	if (!parse_edge(printed, rest))
		printed_damage(printed);
	return true;
}

static bool begin_edges(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	if (!slice_begins(line, "Function ") ||
	    !(slice_ends(line, "was called by...") || slice_ends(line, " called...")))
		return false;
	printed->callees = !slice_ends(line, "was called by...");
	printed->subject = NO_ROW;
	printed->table = &pstats_edges;
	printed->seen[PRINTED_PSTATS] = true;
	return true;
}

const struct printed_table pstats_edges = { begin_edges, edge_row };
