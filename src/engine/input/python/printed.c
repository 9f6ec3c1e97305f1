/*
 * Finds the tables of pstats, Lightning, memory_profiler, line_profiler, torch.utils.bottleneck and
 * key_averages in printed text.
 */
#include "base/error.h"
#include "input/json.h"
#include "input/log_lines.h"
#include "input/python/printed_private.h"
#include "input/python/python_readers.h"
#include "input/source_text.h"

#include <string.h>

static const struct printed_table *const tables[] = { &pstats_functions,  &pstats_edges,
						      &lightning_actions, &memory_lines,
						      &profiled_lines,    &torch_operators };

static const char *const kind_names[] = {
	[PRINTED_BOTTLENECK] = "torch.utils.bottleneck output",
	[PRINTED_LIGHTNING] = "Lightning profiler report",
	[PRINTED_PSTATS] = "pstats output (cProfile)",
	[PRINTED_MEMORY] = "memory_profiler output",
	[PRINTED_LINES] = "line_profiler output",
	[PRINTED_TORCH] = "PyTorch profiler table",
};

uint32_t printed_intern(struct printed *printed, struct text_slice word)
{
	return intern_add(printed->profile->strings, word.text, word.length);
}

void printed_damage(struct printed *printed)
{
	profile_damage(printed->profile, "line not a row of its table", "skipped", printed->offset);
}

const char *printed_section(const struct printed *printed, const char *otherwise)
{
	return printed->section ? profile_string(printed->profile, printed->section) : otherwise;
}

bool printed_rule(struct text_slice line)
{
	size_t dashes = 0;
	for (size_t i = 0; i < line.length; i++)
		if (line.text[i] == '-')
			dashes++;
		else if (!strchr(" \t|", line.text[i]))
			return false;
	return dashes > 0;
}

/* ---- the parts of bottleneck's output ---- */

static const struct {
	const char *title, *section;
} parts[] = {
	{ "cProfile output", "cProfile" },
	{ "autograd profiler output (CPU mode)", "autograd CPU" },
	{ "autograd profiler output (CUDA mode)", "autograd CUDA" },
	{ "Environment Summary", NULL },
};

static bool begin_part(struct printed *printed, struct text_slice line)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!slice_is(line, parts[i].title))
			continue;
		const char *section = parts[i].section ? parts[i].section : "";
		printed->section =
			printed_intern(printed, (struct text_slice){ section, strlen(section) });
		printed->seen[PRINTED_BOTTLENECK] = true;
		printed->summary = printed->summaries = 0;
		printed->summary_read = false;
		if (!parts[i].section)
			python_fact_text(
				printed->stats, "bottleneck", "environment",
				printed_intern(printed, (struct text_slice){ "not read", 8 }));
		return true;
	}
	return false;
}

/* "top 15 events sorted by cpu_time_total" */
static bool parse_limit(struct printed *printed, struct text_slice line)
{
	if (!slice_begins(line, "top ") || !slice_find(line, " events sorted by "))
		return false;
	python_fact_text(printed->stats, printed_section(printed, "operators"), "partial",
			 printed_intern(printed, line));
	return true;
}

/* ---- all lines ---- */

static void printed_parse_line(struct printed *printed, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole);
	if (printed->table && printed->table->row(printed, line, whole))
		return;
	printed->table = NULL;
	if (begin_part(printed, line) || parse_limit(printed, line))
		return;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (tables[i]->begin(printed, line, whole))
			return;
}

/* Headings that no other text has. */
static const char *find_heading(struct text_slice line)
{
	static const char *const headings[] = { "Name  ", "ncalls  tottime", "Line #  ",
						"|  Action", "Action  " };
	static const char *const columns[] = { "Self CPU", "filename:lineno(function)",
					       "Line Contents", "Mean duration", "Mean duration" };
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		const char *at = slice_find(line, headings[i]);
		if (at && slice_find(line, columns[i]))
			return at;
	}
	return NULL;
}

/* Tables that follow were printed by SOURCE of the log. */
static void begin_source(struct printed *printed, const struct log_lines *lines, uint32_t source)
{
	struct buffer name = { 0 };
	log_source_name(lines, source, &name);
	printed->table = NULL;
	printed->section =
		printed_intern(printed, (struct text_slice){ buffer_text(&name), name.length });
	buffer_free(&name);
}

static bool parse_lines(struct printed *printed, const struct log_lines *lines, const char *start,
			const struct progress *progress)
{
	bool ok = true;
	for (size_t i = 0; i < lines->count && ok; i++) {
		if (!i || lines->sources[i] != lines->sources[i - 1])
			begin_source(printed, lines, lines->sources[i]);
		ok = progress_row(progress, "finding tables", i, 0);
		printed->offset = (uint64_t)(lines->lines[i].text - start);
		printed_parse_line(printed, lines->lines[i]);
	}
	return ok;
}

static bool printed_recognize(const char *head, size_t length)
{
	static const char *const marks[] = {
		"`bottleneck` is a tool",
		"filename:lineno(function)",
		"was called by...",
		"called...",
		"Profiler Report",
		"Profile stats for: ",
		"autograd profiler output (",
		"Self CPU",
		"Mem usage    Increment",
		"Timer unit: ",
		"seconds",
	};
	if (json_begins(head) || strlen(head) < length)
		return false;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *at = strstr(head, marks[i]);
		if (!at)
			continue;
		bool spans = strcmp(marks[i], "seconds") == 0 || strcmp(marks[i], "called...") == 0;
		if (!spans || strstr(head, " function calls ") || strstr(head, "Function "))
			return true;
	}
	return false;
}

static void name_format(struct printed *printed)
{
	for (int kind = PRINTED_KINDS; kind-- > 0;)
		if (printed->seen[kind])
			printed->profile->format = kind_names[kind];
}

static bool read_printed(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct printed printed = { .profile = profile, .stats = python_stats_new() };
	struct log_lines lines;
	profile->python = printed.stats;
	profile->text_bytes = text.length;
	printed.stats->has_totals = true;
	log_lines_take(&lines, &text, find_heading);
	bool ok = parse_lines(&printed, &lines, buffer_text(&text), progress);
	log_lines_free(&lines);
	torch_tell_rows(&printed);
	profile->events = printed.rows;
	name_format(&printed);
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return printed.rows ||
	       error_set(
		       error, ERROR_INPUT,
		       "is text that mentions a profiler, but has no table of pstats, Lightning, memory_profiler, line_profiler, torch.utils.bottleneck or key_averages");
}

const struct reader printed_reader = { .recognize = printed_recognize,
				       .read = read_printed,
				       .in_log = true };
