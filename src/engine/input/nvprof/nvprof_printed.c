/*
 * The summary that nvprof prints: GPU work and calls, by name.
 *
 *   ==12== Profiling result:
 *              Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 *   GPU activities:   99.94%  1.11524s       301  3.7051ms  3.6928ms  3.7174ms  matrixMul(int)
 *                      0.06%  669.52us         3  223.17us  136.13us  270.18us  [CUDA memcpy HtoD]
 *        API calls:   49.81%  285.17ms         3  95.055ms  153.32us  284.86ms  cudaMalloc
 *
 * Old versions have no types, and calls below "==12== API calls:". With --csv, commas are between
 * the columns, and a second heading may have the units: ,%,s,,us,us,ms,
 */
#include "input/readers.h"
#include "input/text_format.h"
#include "model/python_stats.h"

enum nvprof_printed_part { PART_GPU, PART_CALLS, PART_OTHER };
enum { TIMES = 4 }; /* columns */

struct nvprof_printed_summary {
	struct text_reading text;
	enum nvprof_printed_part part;
	bool in_table;
	bool csv, typed;    /* the table has commas; and types */
	double unit[TIMES]; /* of a table with commas, by column: in seconds; 0: in its cells */
};

static const struct text_unit units[] = { NVPROF_SECONDS_ROWS };

static struct text_slice unquoted(struct text_slice word)
{
	word = slice_trim(word);
	if (word.length > 1 && *word.text == '"' && word.text[word.length - 1] == '"')
		word = (struct text_slice){ word.text + 1, word.length - 2 };
	return word;
}

/* Takes a word or cell off the line. */
static struct text_slice nvprof_printed_next_word(const struct nvprof_printed_summary *summary,
						  struct text_slice *line)
{
	const char *comma = memchr(line->text, ',', line->length);
	if (!summary->csv || !comma)
		return slice_next(line);
	struct text_slice word = slice_until(*line, comma);
	*line = slice_from(*line, comma + 1);
	return unquoted(word);
}

/* "1.11524s", "406.30us" */
static bool nvprof_printed_parse_time(const struct nvprof_printed_summary *summary, size_t column,
				      struct text_slice *line, double *seconds)
{
	struct text_slice word = nvprof_printed_next_word(summary, line);
	bool ok = summary->unit[column] > 0 ? slice_real(word, seconds)
					    : slice_scaled(word, units, seconds);
	*seconds *= summary->unit[column] > 0 ? summary->unit[column] : 1;
	return ok && *seconds >= 0 && *seconds < 1e9;
}

/* "   99.94%", also without a sign in the oldest versions */
static bool parse_share(const struct nvprof_printed_summary *summary, struct text_slice *line)
{
	struct text_slice word = nvprof_printed_next_word(summary, line);
	double unused;
	if (word.length && word.text[word.length - 1] == '%')
		word.length--;
	return slice_real(word, &unused);
}

/* False when LINE is no row. */
static bool nvprof_printed_add_row(struct nvprof_printed_summary *summary, struct text_slice line)
{
	double total = 0, mean = 0, least = 0, most = 0;
	int64_t calls;
	if (!parse_share(summary, &line) || !nvprof_printed_parse_time(summary, 0, &line, &total) ||
	    !slice_count(nvprof_printed_next_word(summary, &line), &calls) ||
	    !nvprof_printed_parse_time(summary, 1, &line, &mean) ||
	    !nvprof_printed_parse_time(summary, 2, &line, &least) ||
	    !nvprof_printed_parse_time(summary, 3, &line, &most))
		return false;
	line = unquoted(line);
	if (summary->part == PART_OTHER || !line.length)
		return true;
	struct python_operator *row = python_operator_add(summary->text.profile->python);
	row->name = text_intern(&summary->text, line);
	row->calls = calls;
	summary->text.rows++;
	if (summary->part == PART_CALLS) {
		row->kind = ROW_OPERATOR;
		row->section = intern_add(summary->text.profile->strings, "API calls", 9);
		row->cpu_total_s = total;
		return true;
	}
	row->kind = slice_begins(line, "[CUDA ") ? ROW_COPY : ROW_KERNEL;
	row->gpu_self_s = row->gpu_total_s = total;
	row->gpu_min_s = least;
	row->gpu_max_s = most;
	return true;
}

/* Which part the rest of the table is of; takes its title off the line. */
static void parse_part(struct nvprof_printed_summary *summary, struct text_slice *line)
{
	static const struct {
		const char *title;
		enum nvprof_printed_part part;
	} parts[] = { NVPROF_PART_ROWS };
	struct text_slice type = summary->typed ? nvprof_printed_next_word(summary, line) : *line;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (slice_begins(type, parts[i].title))
			summary->part = parts[i].part;
		if (slice_skip(line, parts[i].title))
			slice_skip(line, ":");
	}
}

static void begin_table(struct nvprof_printed_summary *summary, struct text_slice line)
{
	summary->in_table = true;
	summary->csv = memchr(line.text, ',', line.length) != NULL;
	summary->typed = summary->csv && slice_find(line, "Type");
	memset(summary->unit, 0, sizeof summary->unit);
}

/* "%,s,,us,us,ms,": the units of a table with commas */
static bool parse_units(struct nvprof_printed_summary *summary, struct text_slice line)
{
	if (!summary->csv || !(slice_skip(&line, ",%,") || slice_skip(&line, "%,")))
		return false;
	for (size_t column = 0; column < TIMES; column++) {
		struct text_slice word = nvprof_printed_next_word(summary, &line);
		for (size_t i = 0; units[i].suffix; i++)
			if (slice_is(word, units[i].suffix))
				summary->unit[column] = units[i].factor;
		if (column == 0)
			nvprof_printed_next_word(summary, &line); /* calls */
	}
	return true;
}

/* A line of nvprof's own: "==12== Profiling result:" */
static void parse_message(struct nvprof_printed_summary *summary, struct text_slice line)
{
	summary->in_table = false;
	summary->part = slice_find(line, "API calls:")           ? PART_CALLS
			: slice_find(line, " Profiling result:") ? PART_GPU
								 : PART_OTHER;
}

static void nvprof_printed_take_line(void *state, struct text_slice line)
{
	struct nvprof_printed_summary *summary = state;
	line = slice_trim(line);
	if (slice_begins(line, "==")) {
		parse_message(summary, line);
	} else if (slice_find(line, "Time(%)") &&
		   (slice_ends(line, "Name") || slice_ends(line, "\"Name\""))) {
		begin_table(summary, line);
	} else if (summary->in_table && !parse_units(summary, line)) {
		parse_part(summary, &line);
		summary->in_table = nvprof_printed_add_row(summary, line);
	}
}

static const struct text_format nvprof_format = {
	.marks = { NVPROF_MARK_ROWS },
	.empty = "is text of nvprof without its summary; record with: nvprof -o FILE.nvvp",
	.result = TEXT_SUMS,
	.state = sizeof(struct nvprof_printed_summary),
	.line = nvprof_printed_take_line,
};

const struct reader nvprof_printed_reader = { .format = "nvprof summary (text)",
					      .text = &nvprof_format,
					      .in_log = true };
