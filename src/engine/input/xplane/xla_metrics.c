/*
 * The metrics report of PyTorch/XLA and of LazyTensor: times as sums, and counters.
 *
 *   Metric: CompileTime
 *     TotalSamples: 202
 *     Accumulator: 06m09s401ms746.001us
 *     Percentiles: 1%=001ms32.778us; 99%=21s102ms853.173us
 *   Counter: aten::nonzero
 *     Value: 7
 *
 * "Counter:" is the accumulator's name in versions before 2020. Counters of operators (aten::…) are
 * of those that ran on the CPU. Metrics of bytes and of numbers are no times.
 */
#include "base/error.h"
#include "input/json.h"
#include "input/source_text.h"
#include "input/text_lines.h"
#include "input/xplane/xplane.h"
#include "model/python_stats.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char metric_key[] = "Metric: ", counter_key[] = "Counter: ";

struct xla_metrics_report {
	struct profile *profile;
	struct text_slice name; /* of the metric or counter that the last lines were of */
	bool is_metric;
	int64_t samples; /* of the metric; NO_VALUE */
	uint64_t rows, offset;
};

static struct python_operator *xla_metrics_add_row(struct xla_metrics_report *report,
						   const char *section, int64_t calls)
{
	struct intern *strings = report->profile->strings;
	struct python_operator *row = python_operator_add(report->profile->python);
	row->name = intern_add(strings, report->name.text, report->name.length);
	row->section = intern_add(strings, section, strlen(section));
	row->calls = calls;
	report->rows++;
	return row;
}

/* "06m09s401ms746.001us" in seconds; false for bytes and numbers */
static bool xla_metrics_parse_time(struct text_slice text, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 }, { "d", 86400 },
		      { "h", 3600 },  { "m", 60 },    { "s", 1 } };
	*seconds = 0;
	while (text.length) {
		size_t digits = 0, unit = 0;
		double value;
		while (digits < text.length &&
		       (isdigit((unsigned char)text.text[digits]) || text.text[digits] == '.'))
			digits++;
		struct text_slice rest = { text.text + digits, text.length - digits };
		while (unit < sizeof units / sizeof *units && !slice_begins(rest, units[unit].unit))
			unit++;
		if (unit == sizeof units / sizeof *units ||
		    !slice_real((struct text_slice){ text.text, digits }, &value))
			return false;
		*seconds += value * units[unit].seconds;
		digits += strlen(units[unit].unit);
		text.text += digits;
		text.length -= digits;
	}
	return *seconds < 1e9;
}

static struct text_slice xla_metrics_after(struct text_slice line, const char *key)
{
	size_t length = strlen(key);
	return slice_trim((struct text_slice){ line.text + length, line.length - length });
}

static void parse_sum(struct xla_metrics_report *report, struct text_slice value)
{
	double seconds;
	if (!report->name.length || !value.length || !xla_metrics_parse_time(value, &seconds))
		return;
	xla_metrics_add_row(report, "metrics", report->samples)->cpu_total_s = seconds;
	report->name.length = 0;
}

static void xla_metrics_parse_line(struct xla_metrics_report *report, struct text_slice whole)
{
	struct text_slice line = slice_trim(whole);
	bool inner = whole.length && strchr(" \t", whole.text[0]);
	int64_t number;
	if (slice_begins(line, "Accumulator: ")) {
		parse_sum(report, xla_metrics_after(line, "Accumulator: "));
	} else if (inner && report->is_metric && slice_begins(line, counter_key)) {
		parse_sum(report, xla_metrics_after(line, counter_key));
	} else if (slice_begins(line, metric_key) || slice_begins(line, counter_key)) {
		report->is_metric = slice_begins(line, metric_key);
		report->name =
			xla_metrics_after(line, report->is_metric ? metric_key : counter_key);
		report->samples = NO_VALUE;
	} else if (slice_begins(line, "TotalSamples: ")) {
		report->samples = slice_count(xla_metrics_after(line, "TotalSamples: "), &number)
					  ? number
					  : NO_VALUE;
	} else if (slice_begins(line, "Value: ") && !report->is_metric && report->name.length) {
		if (slice_count(xla_metrics_after(line, "Value: "), &number))
			xla_metrics_add_row(report, "counters", number);
		else
			profile_damage(report->profile, "counter without a number", "skipped",
				       report->offset);
		report->name.length = 0;
	}
}

static bool read_report(struct source *source, struct profile *profile, struct builder *builder,
			const struct progress *progress, struct error *error)
{
	struct buffer text = { 0 };
	if (!source_text(source, &text, error))
		return false;
	struct xla_metrics_report report = { .profile = profile, .samples = NO_VALUE };
	const char *start = buffer_text(&text), *at = start, *end = start + text.length;
	struct text_slice line;
	uint64_t lines = 0;
	bool ok = true;
	profile->python = python_stats_new();
	profile->python->has_totals = true;
	profile->text_bytes = text.length;
	while (ok && text_line(&at, end, &line.text, &line.length)) {
		ok = progress_row(progress, "finding metrics", lines++, 0);
		report.offset = (uint64_t)(line.text - start);
		xla_metrics_parse_line(&report, line);
	}
	profile->events = report.rows;
	buffer_free(&text);
	if (!ok)
		return error_set(error, ERROR_CANCELLED, "cancelled");
	return report.rows ||
	       error_set(error, ERROR_INPUT, "names metrics of PyTorch/XLA, but has none");
}

static bool xla_metrics_recognize(const char *head, size_t length)
{
	if (json_begins(head) || strlen(head) < length)
		return false;
	const char *metric = strstr(head, metric_key);
	return metric && strstr(metric, "TotalSamples: ");
}

const struct reader xla_metrics_reader = { .format = "PyTorch/XLA metrics report (text)",
					   .recognize = xla_metrics_recognize,
					   .read = read_report,
					   .in_log = true };
