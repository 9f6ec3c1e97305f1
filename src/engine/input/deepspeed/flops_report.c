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
#include "input/readers.h"

#include "input/text_format.h"
#include "model/totals.h"

#include <math.h>

static const char title[] = "- DeepSpeed Flops Profiler -", details[] = " Detailed Profile";

/* A module whose submodules may follow. */
struct flops_report_open {
	size_t indent;
	uint32_t row;
};

struct flops_report_report {
	struct text_reading text;
	GROWING(struct flops_report_open, open, open_count);
	bool in_summary, in_tree;
};

/* ---- numbers ---- */

/* "76.39 ms" at the end of TEXT, which ends before " = 100% latency" or ", 100.00% latency" */
static bool parse_latency(struct text_slice text, int64_t *ns)
{
	static const struct text_unit units[] = {
		{ "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "s", 1e9 }, { NULL, 0 }
	};
	double value;
	slice_last(&text); /* the percentage */
	struct text_slice unit = slice_last(&text);
	if (slice_is(unit, "=") || slice_is(unit, ","))
		unit = slice_last(&text);
	const char *end = unit.text + unit.length - slice_ends(unit, ",");
	struct text_slice number = slice_last(&text);
	number.length = (size_t)(end - number.text);
	if (!slice_scaled(number, units, &value) || !(value >= 0 && value < 1e18))
		return false;
	*ns = llround(value);
	return true;
}

/* "82.21 TFLOPS" at the start of TEXT: per second; NaN without */
static double parse_rate(struct text_slice text)
{
	static const struct text_unit units[] = { { "TFLOPS", 1e12 }, { "GFLOPS", 1e9 },
						  { "MFLOPS", 1e6 },  { "KFLOPS", 1e3 },
						  { "PFLOPS", 1e15 }, { "FLOPS", 1 },
						  { NULL, 0 } };
	double value;
	struct text_slice rate = slice_trim(text);
	slice_next(&text);
	struct text_slice unit = slice_next(&text);
	while (unit.length && strchr(",)", unit.text[unit.length - 1]))
		unit.length--;
	rate = slice_until(rate, unit.text + unit.length);
	return slice_scaled(rate, units, &value) && value >= 0 ? value : NAN;
}

/* The numbers of a module, if LINE has them. */
static void parse_numbers(struct flops_report_report *report, uint32_t row, struct text_slice line)
{
	static const char *const names[] = { "% latency", "% time" };
	struct total *total = &report->text.profile->totals->rows[row];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *at = slice_find(line, names[i]);
		int64_t ns;
		if (!at || !parse_latency(slice_until(line, at), &ns))
			continue;
		struct text_slice rate = slice_from(line, at + strlen(names[i]));
		slice_skip(&rate, ",");
		total->cpu_total_ns = ns;
		total->flops = parse_rate(rate) * (double)ns / 1e9;
		report->text.rows++;
		return;
	}
}

/* ---- modules ---- */

static uint32_t add_module(struct flops_report_report *report, size_t indent,
			   struct text_slice name, struct text_slice kind)
{
	struct totals *totals = report->text.profile->totals;
	uint32_t row = totals_add(totals, text_intern(&report->text, name));
	struct total *total = &totals->rows[row];
	while (report->open_count && report->open[report->open_count - 1].indent >= indent)
		report->open_count--;
	if (report->open_count) {
		total->parent = report->open[report->open_count - 1].row;
		total->depth = (uint32_t)report->open_count;
	}
	total->kind = text_intern(&report->text, kind);
	*mem_push(report->open, report->open_count) = (struct flops_report_open){ indent, row };
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
		name = slice_until(slice_from(line, line.text + 1), close);
		rest = slice_from(line, close + 3);
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
		report->text.offset += indent;
		if (report->open_count)
			parse_numbers(report, report->open[report->open_count - 1].row, line);
		else
			text_damage(&report->text, "numbers without a module");
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
	struct text_slice value = slice_trim(slice_from(line, colon + 1));
	size_t length = (size_t)((formula && formula < colon ? formula : colon) - line.text);
	if (!value.length || length >= sizeof key)
		return;
	memcpy(key, line.text, length);
	key[length] = 0;
	totals_fact_text(report->text.profile->totals, report->text.profile->strings, "DeepSpeed",
			 key, text_intern(&report->text, value));
}

static void flops_report_take_line(void *state, struct text_slice whole)
{
	struct flops_report_report *report = state;
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

static void flops_report_end(void *state)
{
	mem_free(((struct flops_report_report *)state)->open);
}

static const struct text_format flops_report_format = {
	.marks = { { title } },
	.empty =
		"is a report of DeepSpeed's flops profiler without its modules; set detailed to true in flops_profiler",
	.result = TEXT_LAYERS,
	.state = sizeof(struct flops_report_report),
	.line = flops_report_take_line,
	.end = flops_report_end,
};

const struct reader flops_report_reader = { .format = "DeepSpeed flops profiler (text)",
					    .text = &flops_report_format,
					    .in_log = true };
