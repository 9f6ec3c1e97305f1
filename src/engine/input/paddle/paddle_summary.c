/*
 * Tables of PaddlePaddle's profiler:
 *
 *   -------------------Operator Summary-------------------
 *   Time unit: ms
 *   ---------------  ------  --------------------------------------
 * -------------------------------------- Name             Calls   CPU Total / Avg / Max / Min /
 * Ratio(%)  GPU Total / Avg / Max / Min / Ratio(%)
 *   ---------------  ------  --------------------------------------
 * -------------------------------------- matmul dygraph   10      2.11 / 0.21 / 0.70 / 0.15 /
 * 100.00      0.08 / 0.01 / 0.01 / 0.01 / 100.00 matmul compute 10      1.01 / 0.10 / 0.30 / 0.05
 * / 48.00       0.00 / 0.00 / 0.00 / 0.00 / 0.00
 *
 * What an operator consists of is indented, and part of its times; so are the parts of steps, which
 * are rows. Kernels are in a table of their own. Versions before 2.3 print one table:
 *
 *   Event            Calls  Total    CPU Time (Ratio)     GPU Time (Ratio)    Min.  Max.  Ave.
 * Ratio. thread0::mul     6900   219.691  147.190168 (0.67)    72.500739 (0.33)    0.01  0.09  0.03
 * 0.0587
 */
#include "input/paddle/paddle_summary.h"

#include "base/error.h"
#include "input/json.h"
#include "input/source_text.h"
#include "input/text_lines.h"
#include "model/python_stats.h"

#include <math.h>
#include <string.h>

static const char cpu_title[] = "CPU Total / Avg / Max / Min / Ratio",
		  gpu_title[] = "GPU Total / Avg / Max / Min / Ratio",
		  report_title[] = "Calls       Total";

enum paddle_summary_table { TABLE_NONE, TABLE_SUMMARY, TABLE_REPORT };

struct paddle {
	struct profile *profile;
	enum paddle_summary_table table;
	uint32_t section;
	double unit_s; /* of all times */
	bool has_cpu;  /* columns of the table */
	bool has_gpu;
	bool kernels; /* its rows are kernels */
	bool parts;   /* so are what steps consist of */
	uint64_t rows, offset;
};

/* ---- cells ---- */

/* Removes the next cell of LINE, which ends at two blanks. */
static struct text_slice next_cell(struct text_slice *line)
{
	*line = slice_trim(*line);
	const char *gap = slice_find(*line, "  ");
	struct text_slice cell = { line->text, gap ? (size_t)(gap - line->text) : line->length };
	line->text += cell.length;
	line->length -= cell.length;
	return cell;
}

struct paddle_summary_times {
	double total, most, least; /* seconds; NaN: "-" */
};

/* "2.11 / 0.21 / 0.70 / 0.15 / 100.00" */
static bool parse_times(const struct paddle *paddle, struct text_slice cell,
			struct paddle_summary_times *times)
{
	double values[5], *const kept[] = { &times->total, NULL, &times->most, &times->least,
					    NULL };
	for (size_t i = 0; i < 5; i++) {
		struct text_slice value = slice_next(&cell);
		values[i] = NAN;
		if (!slice_is(value, "-") && !slice_real(value, &values[i]))
			return false;
		if (kept[i])
			*kept[i] = values[i] * paddle->unit_s;
		if (i < 4 && !slice_is(slice_next(&cell), "/"))
			return false;
	}
	return true;
}

static bool is_copy(struct text_slice name)
{
	return slice_begins(name, "MEMCPY") || slice_begins(name, "MEMSET") ||
	       slice_begins(name, "Memcpy") || slice_begins(name, "Memset");
}

static struct python_operator *paddle_summary_add_row(struct paddle *paddle, struct text_slice name,
						      int64_t calls)
{
	struct python_operator *row = python_operator_add(paddle->profile->python);
	row->name = intern_add(paddle->profile->strings, name.text, name.length);
	row->section = paddle->section;
	row->calls = calls;
	row->kind = is_copy(name) ? ROW_COPY : paddle->kernels ? ROW_KERNEL : ROW_OPERATOR;
	paddle->rows++;
	return row;
}

static bool paddle_summary_damage(struct paddle *paddle)
{
	profile_damage(paddle->profile, "line not a row of its table", "skipped", paddle->offset);
	return true;
}

/* ---- rows ---- */

/* False: the table has ended. */
static bool summary_row(struct paddle *paddle, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole), name = next_cell(&line),
			  count = next_cell(&line);
	struct paddle_summary_times cpu = { NAN, NAN, NAN }, gpu = { NAN, NAN, NAN };
	int64_t calls = NO_VALUE;
	if (slice_begins(name, "----"))
		return !slice_find(name, " Summary");
	if (!name.length || slice_begins(name, "Note"))
		return false;
	if (!slice_is(count, "-") && !slice_count(count, &calls))
		return paddle_summary_damage(paddle);
	if ((paddle->has_cpu && !parse_times(paddle, next_cell(&line), &cpu)) ||
	    (paddle->has_gpu && !parse_times(paddle, next_cell(&line), &gpu)))
		return paddle_summary_damage(paddle);
	if (!paddle->parts && (whole.text[0] == ' ' || whole.text[0] == '\t'))
		return true; /* part of the row above */
	struct python_operator *row = paddle_summary_add_row(paddle, name, calls);
	row->cpu_total_s = cpu.total;
	row->gpu_total_s = gpu.total;
	row->gpu_max_s = gpu.most;
	row->gpu_min_s = gpu.least;
	if (row->kind != ROW_OPERATOR)
		row->gpu_self_s = gpu.total;
	return true;
}

/* "147.190168 (0.669988)" */
static bool parse_share(const struct paddle *paddle, struct text_slice *line, double *seconds)
{
	bool good = slice_real(slice_next(line), seconds) && slice_begins(slice_next(line), "(");
	*seconds *= paddle->unit_s;
	return good;
}

static bool report_row(struct paddle *paddle, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole), name = next_cell(&line);
	double total, cpu, gpu = NAN;
	int64_t calls;
	if (!name.length)
		return false;
	if (!slice_count(slice_next(&line), &calls) || !slice_real(slice_next(&line), &total))
		return paddle_summary_damage(paddle);
	cpu = total * paddle->unit_s;
	if (paddle->has_gpu &&
	    (!parse_share(paddle, &line, &cpu) || !parse_share(paddle, &line, &gpu)))
		return paddle_summary_damage(paddle);
	if (whole.text[0] == ' ')
		return true;
	struct python_operator *row = paddle_summary_add_row(paddle, name, calls);
	row->cpu_total_s = cpu;
	row->gpu_total_s = gpu;
	return true;
}

/* ---- headings ---- */

/* "-----Kernel Summary-----" */
static void parse_title(struct paddle *paddle, struct text_slice line)
{
	static const char summary[] = " Summary";
	while (line.length && line.text[0] == '-')
		line.text++, line.length--;
	while (line.length && line.text[line.length - 1] == '-')
		line.length--;
	line = slice_trim(line);
	if (!slice_ends(line, summary))
		return;
	paddle->section = intern_add(paddle->profile->strings, line.text, line.length);
	paddle->kernels = slice_begins(line, "Kernel");
	paddle->parts = slice_begins(line, "Model");
}

/* "Time unit: ms" */
static void take_unit_paddle_summary(struct paddle *paddle, struct text_slice line)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 }, { "s", 1 } };
	static const char key[] = "Time unit: ";
	if (!slice_begins(line, key))
		return;
	struct text_slice unit = { line.text + sizeof key - 1, line.length - (sizeof key - 1) };
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (slice_is(slice_trim(unit), units[i].unit))
			paddle->unit_s = units[i].seconds;
}

static void paddle_summary_parse_heading(struct paddle *paddle, struct text_slice line)
{
	if (slice_begins(line, "--"))
		parse_title(paddle, line);
	take_unit_paddle_summary(paddle, line);
	if (slice_begins(line, "Name  ") && slice_find(line, " Calls ") &&
	    (slice_find(line, cpu_title) || slice_find(line, gpu_title))) {
		paddle->table = TABLE_SUMMARY;
		paddle->has_cpu = slice_find(line, cpu_title) != NULL;
		paddle->has_gpu = slice_find(line, gpu_title) != NULL;
	} else if (slice_begins(line, "Event  ") && slice_find(line, report_title)) {
		paddle->table = TABLE_REPORT;
		paddle->has_gpu = slice_find(line, "GPU Time (Ratio)") != NULL;
	}
}

static void paddle_summary_parse_line(struct paddle *paddle, struct text_slice whole)
{
	if ((paddle->table == TABLE_SUMMARY && summary_row(paddle, whole)) ||
	    (paddle->table == TABLE_REPORT && report_row(paddle, whole)))
		return;
	paddle->table = TABLE_NONE;
	paddle_summary_parse_heading(paddle, slice_trim(whole));
}

static bool read_summary(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct paddle paddle = { .profile = profile, .unit_s = 1e-3 };
	const char *start = buffer_text(&text), *at = start, *end = start + text.length;
	struct text_slice line;
	uint64_t lines = 0;
	bool ok = true;
	profile->python = python_stats_new();
	profile->python->has_totals = true;
	profile->text_bytes = text.length;
	while (ok && text_line(&at, end, &line.text, &line.length)) {
		ok = progress_row(progress, "finding tables", lines++, 0);
		paddle.offset = (uint64_t)(line.text - start);
		paddle_summary_parse_line(&paddle, line);
	}
	profile->events = paddle.rows;
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return paddle.rows ||
	       error_set(error, ERROR_INPUT, "has headings of PaddlePaddle's profiler, but no row");
}

static bool paddle_summary_recognize(const char *head, size_t length)
{
	if (json_begins(head) || strlen(head) < length)
		return false;
	return strstr(head, cpu_title) || strstr(head, gpu_title) ||
	       (strstr(head, ">     Profiling Report     <") && strstr(head, "Time unit: "));
}

const struct reader paddle_summary_reader = { .format = "PaddlePaddle profiler summary (text)",
					      .recognize = paddle_summary_recognize,
					      .read = read_summary,
					      .in_log = true };
