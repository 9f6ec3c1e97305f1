/*
 * The report of DeepSpeed's flops profiler:
 *
 *   fwd latency:      76.67 ms
 *   Model(
 *     336.23 M = 100% Params, 3139.93 GMACs = 100% MACs, 76.39 ms = 100% latency, 82.21 TFLOPS
 *     (layer): Linear(1.05 M = 0.31% Params, ..., 182.39 us = 0.24% latency, 117.74 TFLOPS, bias)
 *   )
 *
 * Old versions write "336.23 M, 100.00% Params", and "time" for latency. A latency is elapsed time
 * on the host between two synchronizations of the device.
 */
#include "input/deepspeed/flops_report.h"

#include "base/error.h"
#include "input/source_text.h"
#include "input/text_lines.h"
#include "model/builder.h"
#include "model/totals.h"

#include <math.h>
#include <string.h>

static const char title[] = "- DeepSpeed Flops Profiler -", details[] = " Detailed Profile";

/* A module whose submodules may follow. */
struct flops_report_open {
	size_t indent;
	uint32_t row;
};

struct flops_report_report {
	struct profile *profile;
	struct totals *totals;
	const char *start;
	struct flops_report_open *open;
	size_t open_count, open_capacity;
	bool in_summary, in_tree;
	uint64_t modules;
};

static uint32_t flops_report_keep(struct flops_report_report *report, struct text_slice word)
{
	return intern_add(report->profile->strings, word.text, word.length);
}

/* ---- numbers ---- */

/* Removes the last word of TEXT. */
static struct text_slice last_word(struct text_slice *text)
{
	*text = slice_trim(*text);
	size_t from = text->length;
	while (from && text->text[from - 1] != ' ')
		from--;
	struct text_slice word = { text->text + from, text->length - from };
	text->length = from;
	return word;
}

static bool is_between(struct text_slice word)
{
	return slice_is(word, "=") || slice_is(word, ",");
}

/* "76.39 ms" at the end of TEXT, which ends before " = 100% latency" or ", 100.00% latency" */
static bool parse_latency(struct text_slice text, int64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	double value;
	last_word(&text); /* the percentage */
	struct text_slice unit = last_word(&text);
	if (is_between(unit))
		unit = last_word(&text);
	if (unit.length && unit.text[unit.length - 1] == ',')
		unit.length--;
	if (!slice_real(last_word(&text), &value) || !(value >= 0 && value < 1e9))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (!slice_is(unit, units[i].unit))
			continue;
		*ns = llround(value * units[i].ns);
		return true;
	}
	return false;
}

/* "82.21 TFLOPS" at the start of TEXT: per second; NaN without */
static double parse_rate(struct text_slice text)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { "TFLOPS", 1e12 }, { "GFLOPS", 1e9 }, { "MFLOPS", 1e6 },
		      { "KFLOPS", 1e3 },  { "FLOPS", 1 },    { "PFLOPS", 1e15 } };
	double value;
	if (!slice_real(slice_next(&text), &value) || value < 0)
		return NAN;
	struct text_slice unit = slice_next(&text);
	while (unit.length && strchr(",)", unit.text[unit.length - 1]))
		unit.length--;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (slice_is(unit, units[i].unit))
			return value * units[i].scale;
	return NAN;
}

/* The numbers of a module, if LINE has them. */
static void parse_numbers(struct flops_report_report *report, uint32_t row, struct text_slice line)
{
	static const char *const names[] = { "% latency", "% time" };
	struct total *total = &report->totals->rows[row];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *at = slice_find(line, names[i]), *end = line.text + line.length;
		int64_t ns;
		if (!at ||
		    !parse_latency((struct text_slice){ line.text, (size_t)(at - line.text) }, &ns))
			continue;
		at += strlen(names[i]);
		at += at < end && *at == ',';
		double rate = parse_rate((struct text_slice){ at, (size_t)(end - at) });
		total->cpu_total_ns = ns;
		total->flops = rate * (double)ns / 1e9;
		report->modules++;
		return;
	}
}

/* ---- modules ---- */

static uint32_t add_module(struct flops_report_report *report, size_t indent,
			   struct text_slice name, struct text_slice kind)
{
	uint32_t row = totals_add(report->totals, flops_report_keep(report, name));
	struct total *total = &report->totals->rows[row];
	while (report->open_count && report->open[report->open_count - 1].indent >= indent)
		report->open_count--;
	if (report->open_count) {
		total->parent = report->open[report->open_count - 1].row;
		total->depth = (uint32_t)report->open_count;
	}
	total->kind = flops_report_keep(report, kind);
	mem_grow(report->open, report->open_capacity, report->open_count + 1);
	report->open[report->open_count++] = (struct flops_report_open){ indent, row };
	return row;
}

/* "(name): Class(…" or, of the model, "Class(" */
static bool parse_module(struct flops_report_report *report, size_t indent, struct text_slice line)
{
	struct text_slice name = { 0 }, rest = line;
	if (*line.text == '(') {
		const char *close = slice_find(line, "): ");
		if (!close)
			return false;
		name = (struct text_slice){ line.text + 1, (size_t)(close - line.text) - 1 };
		rest = (struct text_slice){ close + 3,
					    (size_t)(line.text + line.length - close) - 3 };
	}
	const char *open = memchr(rest.text, '(', rest.length);
	struct text_slice kind = { rest.text, open ? (size_t)(open - rest.text) : 0 };
	bool model = open && !indent && open + 1 == rest.text + rest.length &&
		     !memchr(kind.text, ' ', kind.length);
	if (!kind.length || (!name.length && !model))
		return false;
	uint32_t row = add_module(report, indent, name.length ? name : kind, kind);
	parse_numbers(report, row, line);
	return true;
}

static void parse_tree(struct flops_report_report *report, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole);
	size_t indent = (size_t)(line.text - whole.text);
	if (!line.length || slice_begins(line, ")"))
		return;
	if (slice_begins(line, "-----")) {
		report->in_tree = false;
		report->open_count = 0;
	} else if (!parse_module(report, indent, line) && slice_find(line, "% Params")) {
		if (report->open_count)
			parse_numbers(report, report->open[report->open_count - 1].row, line);
		else
			profile_damage(report->profile, "numbers without a module", "skipped",
				       (uint64_t)(line.text - report->start));
	}
}

/* ---- the whole ---- */

/* "fwd MACs per GPU:      3139.93 G"; a formula before the colon is left out. */
static void parse_fact(struct flops_report_report *report, struct text_slice line)
{
	const char *colon = slice_find(line, ": "), *formula = slice_find(line, " = ");
	char key[64];
	if (!colon)
		return;
	struct text_slice value = { colon + 1, (size_t)(line.text + line.length - colon) - 1 };
	value = slice_trim(value);
	size_t length = (size_t)((formula && formula < colon ? formula : colon) - line.text);
	if (!value.length || length >= sizeof key)
		return;
	memcpy(key, line.text, length);
	key[length] = 0;
	totals_fact_text(report->totals, report->profile->strings, "DeepSpeed", key,
			 flops_report_keep(report, value));
}

static void flops_report_parse_line(struct flops_report_report *report, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole);
	if (slice_find(line, title)) {
		report->in_summary = true;
		report->in_tree = false;
	} else if (slice_find(line, details) && slice_begins(line, "---")) {
		report->in_summary = false;
		report->in_tree = true;
		report->open_count = 0;
	} else if (report->in_tree) {
		parse_tree(report, whole);
	} else if (slice_begins(line, "-----")) {
		report->in_summary = false;
	} else if (report->in_summary) {
		parse_fact(report, line);
	}
}

static bool read_report(struct source *source, struct profile *profile, struct builder *builder,
			const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct flops_report_report report = { .profile = profile,
					      .totals = totals_new(),
					      .start = buffer_text(&text) };
	const char *at = report.start, *end = at + text.length;
	struct text_slice line;
	uint64_t lines = 0;
	bool ok = true;
	profile->totals = report.totals;
	profile->text_bytes = text.length;
	report.totals->layers = true;
	while (ok && text_line(&at, end, &line.text, &line.length)) {
		ok = progress_row(progress, "reading modules", lines++, 0);
		flops_report_parse_line(&report, line);
	}
	profile->events = report.modules;
	mem_free(report.open);
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return report.modules ||
	       error_set(
		       error, ERROR_INPUT,
		       "is a report of DeepSpeed's flops profiler without its modules; set detailed to true in flops_profiler");
}

static bool flops_report_recognize(const char *head, size_t length)
{
	return *head != '{' && strstr(head, title);
}

const struct reader flops_report_reader = { .format = "DeepSpeed flops profiler (text)",
					    .recognize = flops_report_recognize,
					    .read = read_report,
					    .in_log = true };
