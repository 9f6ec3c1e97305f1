/*
 * Finds the tables of pstats, Lightning, memory_profiler, tracemalloc, line_profiler,
 * torch.utils.bottleneck and key_averages in printed text.
 */
#include "input/python/printed_private.h"
#include "input/readers.h"

static const struct printed_table *const tables[] = { &pstats_functions,  &pstats_edges,
						      &lightning_actions, &memory_lines,
						      &traced_lines,      &profiled_lines,
						      &torch_operators };

static const char *const kind_names[] = { PRINTED_KIND_ROWS(LISTED_NAME) };

void printed_damage(struct printed *printed)
{
	text_damage(&printed->text, "line not a row of its table");
}

const char *printed_section(const struct printed *printed, const char *otherwise)
{
	return printed->section ? profile_string(printed->text.profile, printed->section)
				: otherwise;
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

static void add_environment(struct printed *printed, const char *metric, struct text_slice value)
{
	value = slice_trim(value);
	if (value.length)
		python_fact_text(printed->stats, "environment", metric,
				 text_intern(&printed->text, value));
}

/* "numpy==1.24.2", "numpy 1.24.2" or "numpy (1.24.2)", by version of pip; else no package */
static void add_package(struct printed *printed, struct text_slice line)
{
	const char *mark = slice_find(line, "==");
	struct text_slice name = mark ? slice_until(line, mark) : slice_next(&line);
	if (mark)
		line = slice_from(line, mark + 2);
	uint32_t metric = text_intern(&printed->text, slice_trim(name));
	if (!memchr(slice_trim(line).text, ' ', slice_trim(line).length))
		add_environment(printed, profile_string(printed->text.profile, metric), line);
}

/*
 * PyTorch 1.13.0 compiled w/ CUDA 11.7
 * Running with Python 3.10 and CUDA 11.7.64
 *
 * `pip3 list` truncated output:
 * numpy==1.24.2
 */
static bool environment_row(struct printed *printed, struct text_slice line,
			    struct text_slice whole)
{
	struct text_slice rest = line;
	if (printed_rule(line) && printed->after_heading)
		return false;
	printed->after_heading = true;
	if (slice_skip(&rest, "PyTorch ")) {
		add_environment(printed, "PyTorch", rest);
	} else if (slice_skip(&rest, "Running with Python ")) {
		add_environment(printed, "Python", slice_next(&rest));
		slice_skip(&rest, " and ");
		slice_skip(&rest, "CUDA ");
		add_environment(printed, "CUDA", rest);
	} else if (line.length && !slice_ends(line, " truncated output:")) {
		add_package(printed, line);
	}
	return true;
}

static const struct printed_table environment_lines = { .row = environment_row };

static const struct {
	const char *title, *section;
} parts[] = { BOTTLENECK_PART_ROWS };

static bool begin_part(struct printed *printed, struct text_slice line)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!slice_is(line, parts[i].title))
			continue;
		const char *section = parts[i].section ? parts[i].section : "";
		printed->section = text_intern(&printed->text,
					       (struct text_slice){ section, strlen(section) });
		printed->seen[PRINTED_BOTTLENECK] = true;
		printed->summary = printed->summaries = 0;
		printed->summary_read = false;
		printed->after_heading = false;
		if (!parts[i].section)
			printed->table = &environment_lines;
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
			 text_intern(&printed->text, line));
	return true;
}

/* ---- all lines ---- */

static void printed_take_line(void *state, struct text_slice whole)
{
	struct printed *printed = state;
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

/* Tables that follow were printed by another source of the log. */
static void printed_begin_source(void *state, struct text_slice name)
{
	struct printed *printed = state;
	printed->table = NULL;
	printed->section = text_intern(&printed->text, name);
}

static void printed_begin(void *state)
{
	struct printed *printed = state;
	printed->stats = printed->text.profile->python;
}

static void printed_end(void *state)
{
	struct printed *printed = state;
	torch_tell_rows(printed);
	for (int kind = PRINTED_KINDS; kind-- > 0;)
		if (printed->seen[kind])
			printed->text.profile->format = kind_names[kind];
}

static const struct text_format printed_format = {
	.marks = { PRINTED_MARK_ROWS },
	.empty =
		"is text that mentions a profiler, but has no table of pstats, Lightning, memory_profiler, tracemalloc, line_profiler, torch.utils.bottleneck or key_averages",
	.result = TEXT_SUMS,
	.state = sizeof(struct printed),
	.heading = find_heading,
	.begin = printed_begin,
	.source = printed_begin_source,
	.line = printed_take_line,
	.end = printed_end,
};

const struct reader printed_reader = { .text = &printed_format, .in_log = true };
