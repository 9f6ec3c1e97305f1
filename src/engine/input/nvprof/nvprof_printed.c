/*
 * The summary that nvprof prints: GPU work and calls, by name.
 *
 *   ==12== Profiling result:
 *              Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 *   GPU activities:   99.94%  1.11524s       301  3.7051ms  3.6928ms  3.7174ms  matrixMul(int)
 *                      0.06%  669.52us         3  223.17us  136.13us  270.18us  [CUDA memcpy HtoD]
 *        API calls:   49.81%  285.17ms         3  95.055ms  153.32us  284.86ms  cudaMalloc
 *
 * Old versions have no types, and calls below "==12== API calls:".
 */
#include "base/error.h"
#include "input/nvprof/nvprof.h"
#include "input/json.h"
#include "input/source_text.h"
#include "input/text_lines.h"
#include "model/python_stats.h"

#include <math.h>
#include <string.h>

enum nvprof_printed_part { PART_GPU, PART_CALLS, PART_OTHER };

struct nvprof_printed_summary {
	struct profile *profile;
	enum nvprof_printed_part part;
	bool in_table;
	uint64_t rows;
};

/* "1.11524s", "406.30us" */
static bool nvprof_printed_parse_time(struct text_slice *line, double *seconds)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };
	struct text_slice word = slice_next(line);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (!slice_ends(word, units[i].suffix))
			continue;
		word.length -= strlen(units[i].suffix);
		if (!slice_real(word, seconds) || !(*seconds >= 0 && *seconds < 1e9))
			return false;
		*seconds *= units[i].factor;
		return true;
	}
	return false;
}

/* "   99.94%", also without a sign in the oldest versions */
static bool parse_share(struct text_slice *line)
{
	struct text_slice word = slice_next(line);
	double unused;
	if (word.length && word.text[word.length - 1] == '%')
		word.length--;
	return slice_real(word, &unused);
}

/* False when LINE is no row. */
static bool nvprof_printed_add_row(struct nvprof_printed_summary *summary, struct text_slice line)
{
	double total, mean, least, most;
	int64_t calls;
	if (!parse_share(&line) || !nvprof_printed_parse_time(&line, &total) ||
	    !slice_count(slice_next(&line), &calls) || !nvprof_printed_parse_time(&line, &mean) ||
	    !nvprof_printed_parse_time(&line, &least) || !nvprof_printed_parse_time(&line, &most))
		return false;
	line = slice_trim(line);
	if (summary->part == PART_OTHER || !line.length)
		return true;
	struct python_operator *row = python_operator_add(summary->profile->python);
	row->name = intern_add(summary->profile->strings, line.text, line.length);
	row->calls = calls;
	summary->rows++;
	if (summary->part == PART_CALLS) {
		row->kind = ROW_OPERATOR;
		row->section = intern_add(summary->profile->strings, "API calls", 9);
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
	} parts[] = { { "GPU activities:", PART_GPU },
		      { "API calls:", PART_CALLS },
		      { "OpenACC (excl):", PART_OTHER },
		      { "OpenMP (incl):", PART_OTHER } };
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		size_t length = strlen(parts[i].title);
		if (!slice_begins(*line, parts[i].title))
			continue;
		summary->part = parts[i].part;
		line->text += length;
		line->length -= length;
	}
}

/* A line of nvprof's own: "==12== Profiling result:" */
static void parse_message(struct nvprof_printed_summary *summary, struct text_slice line)
{
	summary->in_table = false;
	summary->part = slice_find(line, "API calls:")           ? PART_CALLS
			: slice_find(line, " Profiling result:") ? PART_GPU
								 : PART_OTHER;
}

static void nvprof_printed_parse_line(struct nvprof_printed_summary *summary,
				      struct text_slice whole)
{
	struct text_slice line = slice_trim(whole);
	if (slice_begins(line, "==")) {
		parse_message(summary, line);
	} else if (slice_find(line, "Time(%)") && slice_ends(line, "Name")) {
		summary->in_table = true;
	} else if (summary->in_table) {
		parse_part(summary, &line);
		summary->in_table = nvprof_printed_add_row(summary, line);
	}
}

static bool read_summary(struct source *source, struct profile *profile, struct builder *builder,
			 const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct nvprof_printed_summary summary = { .profile = profile, .part = PART_OTHER };
	const char *start = buffer_text(&text), *at = start, *end = start + text.length;
	struct text_slice line;
	uint64_t lines = 0;
	bool ok = true;
	profile->python = python_stats_new();
	profile->python->has_totals = true;
	profile->text_bytes = text.length;
	while (ok && text_line(&at, end, &line.text, &line.length)) {
		ok = progress_row(progress, "finding tables", lines++, 0);
		nvprof_printed_parse_line(&summary, line);
	}
	profile->events = summary.rows;
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return summary.rows ||
	       error_set(error, ERROR_INPUT,
			 "is text of nvprof without its summary; record with: nvprof -o FILE.nvvp");
}

static bool nvprof_printed_recognize(const char *head, size_t length)
{
	return !json_begins(head) && (strstr(head, "== NVPROF is profiling process ") ||
				      strstr(head, "== Profiling result:"));
}

const struct reader nvprof_printed_reader = { .format = "nvprof summary (text)",
					      .recognize = nvprof_printed_recognize,
					      .read = read_summary,
					      .in_log = true };
