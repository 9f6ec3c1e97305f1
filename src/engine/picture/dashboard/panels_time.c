/*
 * Panels of time: where the time of the devices or steps goes, and curves over time.
 */
#include "base/any_of.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/number.h"
#include "model/device_label.h"
#include "model/python_stats.h"
#include "picture/dashboard/panels.h"
#include "session/load.h"

#include <math.h>
#include <stdlib.h>

enum { DEVICES_MAX = 4, SAMPLES = 256 };

/* ---- time of the devices by cause, or of the steps by class ---- */

void panel_add_parts(struct panel_line *line, const struct table *table,
		     const struct time_part *parts, size_t from, size_t to, double whole)
{
	for (; parts->column; parts++) {
		int column = table_column(table, parts->column);
		double sum = 0;
		for (size_t row = from; row < to; row++) {
			double value = table_amount(table, row, column);
			sum += isnan(value) ? 0 : value;
		}
		panel_add_part(line, parts, sum / whole);
	}
}

/* Parts that read 0.0 %, of a panel whose legend has the shares. */
static void drop_zero_parts(struct panel *panel)
{
	struct panel_line *line = panel->lines;
	size_t kept = 0;
	for (size_t i = 0; panel->count == 1 && i < line->part_count; i++)
		if (line->parts[i].share >= PANEL_SHARE_MIN)
			line->parts[kept++] = line->parts[i];
	if (panel->count == 1)
		line->part_count = kept;
}

/* Of the complete steps, 0 without any; COUNT of them. */
static int64_t median_step(const struct derived *derived, size_t *count)
{
	*count = 0;
	if (!derived->steps_from_profile)
		return 0;
	AUTO_FREE int64_t *sorted = steps_sorted_durations(derived, count);
	return *count ? sorted[*count / 2] : 0;
}

/* "117.13 ms median, +52.6 % (base 76.76 ms)"; NULL unless both runs have steps. */
static const char *step_against_base(struct dashboard_work *work)
{
	char text[NUMBER_MAX], before[NUMBER_MAX];
	const struct run *run = work->run;
	struct error unread;
	AUTO_RANK struct rank *base =
		!run->base || work->scope->has_steps
			? NULL
			: run_acquire_base(run, work->rank->number, work->progress, &unread);
	if (!base)
		return NULL;
	size_t count, of_base;
	int64_t now = median_step(work->rank->derived, &count);
	int64_t then = median_step(base->derived, &of_base);
	if (!count || then <= 0)
		return NULL;
	return panel_text(work, "%s%s, %+.1f %% (base %s)", number_duration(text, now),
			  count > 1 ? " median" : "", ((double)now / (double)then - 1) * 100,
			  number_duration(before, then));
}

static const char *step_summary(struct dashboard_work *work, const struct table *steps)
{
	const char *against = step_against_base(work);
	if (against)
		return against;
	char low[NUMBER_MAX], median[NUMBER_MAX], high[NUMBER_MAX];
	struct step_spread spread;
	int64_t least = INT64_MAX, most = 0;
	int dur = table_need(steps, "dur_ns");
	for (size_t row = 0; row < steps->rows; row++) {
		int64_t ns = (int64_t)table_amount(steps, row, dur);
		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	if (!steps->rows)
		return NULL;
	if (steps->rows == 1)
		return panel_text(work, "%s", number_duration(low, least));
	number_duration(low, least);
	number_duration(high, most);
	bool known = steps_spread(work->rank->derived, &spread);
	if (known && spread.count < steps->rows) /* the others are cut off by the capture */
		return panel_text(work, "%s median of %zu of %zu steps",
				  number_duration(median, spread.median), spread.count,
				  steps->rows);
	if (!known || spread.count != steps->rows)
		return panel_text(work, "%zu steps of %s to %s", steps->rows, low, high);
	return panel_text(work, "%s median of %zu (%s to %s)",
			  number_duration(median, spread.median), steps->rows, low, high);
}

/*
 * What the bars are of: marked STEPS, and the part of the capture where that is less than half;
 * else that part, if not all, and what share of the capture the device is busy.
 */
static const char *bars_summary(struct dashboard_work *work, const struct table *devices,
				const char *steps)
{
	bool marked = work->rank->derived->steps_from_profile;
	for (size_t row = 0; row < devices->rows; row++) {
		double capture = panel_amount(devices, row, "capture_ns");
		double examined = panel_amount(devices, row, "dur_ns"), part = examined / capture;
		double busy = panel_amount(devices, row, "busy_pct") / 100 * part;
		if (!(panel_amount(devices, row, "critical") > 0) || isnan(part))
			continue;
		const char *text =
			panel_text(work, "%s of %s examined", panel_duration(work, examined),
				   panel_duration(work, capture));
		if (marked && (!steps || part >= 0.5))
			return steps;
		if (marked) /* without the range of their durations */
			return panel_text(work, "%.*s%s(%s)", (int)strcspn(steps, "("), steps,
					  strchr(steps, '(') ? "" : " ", text);
		if (part >= 0.99)
			return panel_duration(work, capture);
		return panel_text(work, "%s (busy %s of the capture)", text,
				  panel_percent(work, busy));
	}
	return steps;
}

/* The critical device first; with more than DEVICES_MAX, only some. */
static void add_device_bars(struct dashboard_work *work, const struct table *devices,
			    const struct table *steps)
{
	int critical = table_need(devices, "critical"), name = table_need(devices, "device");
	int dur = table_need(devices, "dur_ns"), busy = table_need(devices, "busy_pct");
	struct panel *panel = panel_add(work->dashboard, PANEL_STACK, BAND_TIME, "Step");
	bool modeled = profile_times_modeled(work->rank->profile);
	panel->summary = step_summary(work, steps);
	if (profile_ran_apart(work->rank->profile)) {
		panel->title = "Time";
	} else if (modeled) {
		panel->title = "Kernel Time";
	} else {
		if (!work->rank->derived->steps_from_profile)
			panel->title = "Time";
		panel->summary = bars_summary(work, devices, panel->summary);
	}
	for (int pass = 1; pass >= 0; pass--)
		for (size_t row = 0; row < devices->rows; row++) {
			if (table_amount(devices, row, critical) != pass ||
			    panel->count == DEVICES_MAX)
				continue;
			struct panel_line *line = panel_add_row(panel, devices, row);
			line->label = panel_cell(work, devices, row, name);
			if (!modeled)
				line->value = panel_text(
					work, "busy %s",
					panel_percent(work,
						      table_amount(devices, row, busy) / 100));
			panel_add_parts(line, devices, time_parts("causes"), row, row + 1,
					table_amount(devices, row, dur));
		}
	drop_zero_parts(panel);
}

/* One bar, of the parts of all rows of TABLE. */
static void add_parts_of_all(struct dashboard_work *work, const struct table *table,
			     const char *amount, const struct time_part *parts,
			     struct panel heading)
{
	double whole = sum_of(row, table->rows, value_number(table_cell(table, row, amount), 0));
	if (!(whole > 0))
		return;
	struct panel *panel = panel_add(work->dashboard, PANEL_STACK, BAND_TIME, heading.title);
	struct panel_line *line = panel_add_row(panel, table, 0);
	panel->summary = heading.summary ?: panel_duration(work, whole);
	line->label = "CPU";
	panel_add_parts(line, table, parts, 0, table->rows, whole);
	drop_zero_parts(panel);
}

/* Has any device done anything? */
static bool any_worked(const struct table *devices)
{
	return any_of(row, devices->rows,
		      panel_amount(devices, row, "busy_pct") > 0 ||
			      panel_amount(devices, row, "compute_ns") > 0);
}

bool panels_add_time(struct dashboard_work *work)
{
	const struct profile *profile = work->rank->profile;
	AUTO_TABLE struct table *lines = profile->python ? panel_table(work, "python", NULL) : NULL;
	if (lines && profile->python->split_count)
		add_parts_of_all(work, lines, "self_ns", time_parts("python-time"),
				 (struct panel){ .title = "Kinds of Time" });
	if (profile->snapshot || (!profile->spans && !profile->activities))
		return true;
	AUTO_TABLE struct table *compiles = profile->compile && !profile->activities
						    ? panel_table(work, "compiles", NULL)
						    : NULL;
	if (compiles)
		add_parts_of_all(work, compiles, "compile_ns", time_parts("compile-stages"),
				 (struct panel){ .title = "Compilation" });
	bool marked = work->rank->derived->steps_from_profile;
	AUTO_TABLE struct table *steps = panel_table(work, "steps", NULL);
	AUTO_TABLE struct table *devices = steps ? panel_table(work, "devices", NULL) : NULL;
	if (devices && any_worked(devices))
		add_device_bars(work, devices, steps);
	else if (devices && steps->rows && !compiles)
		add_parts_of_all(work, steps, "dur_ns", time_parts("classes"),
				 (struct panel){ .title = marked ? "Step" : "Time",
						 .summary = step_summary(work, steps) });
	return devices != NULL;
}

/* ---- curves ---- */

static double *new_samples(struct dashboard_work *work, size_t count)
{
	double *samples = arena_alloc(work->dashboard->arena, count * sizeof *samples);
	for (size_t i = 0; i < count; i++)
		samples[i] = NAN;
	return samples;
}

/* Rows FROM to TO of the table: one device. */
static void add_busy(struct dashboard_work *work, struct panel *panel, const struct table *table,
		     size_t from, size_t to)
{
	int busy = table_need(table, "gpu_util_pct"), dur = table_need(table, "dur_ns");
	double sum = 0, time = 0;
	struct panel_line *line = panel_add_row(panel, table, from);
	line->role = ROLE_KERNEL;
	line->sample_count = to - from;
	line->samples = new_samples(work, line->sample_count);
	line->high = line->good = 100;
	for (size_t row = from; row < to; row++) {
		double share = table_amount(table, row, busy), ns = table_amount(table, row, dur);
		line->samples[row - from] = share;
		if (isnan(share))
			continue;
		sum += share * ns;
		time += ns;
	}
	line->share = time > 0 ? sum / time : 0; /* to choose devices by; not a bar */
	line->label = panel_text(work, "%s busy",
				 panel_cell(work, table, from, table_need(table, "device")));
	line->value = ""; /* kernels alone, with the head: not the share of the panel beside it */
}

COMPARE_MEMBERS(by_share, struct panel_line, UP(share) UP_TEXT(label))

/* Of more than three devices the least, the median and the most busy one. */
static void choose_devices(struct panel *panel)
{
	struct panel_line *lines = panel->lines;
	size_t count = panel->count;
	if (count <= 3)
		return;
	qsort(lines, count, sizeof *lines, by_share);
	lines[1] = lines[count / 2];
	lines[2] = lines[count - 1];
	panel->count = 3;
}

static bool add_utilization(struct dashboard_work *work, struct panel *panel)
{
	enum { TRACKS_MAX = 64 };
	AUTO_TABLE struct table *table = panel_table(work, "utilization", "1000");
	if (!table)
		return false;
	int device = table_need(table, "device");
	size_t from = 0;
	for (size_t row = 1; row <= table->rows && panel->count < TRACKS_MAX; row++)
		if (row == table->rows ||
		    value_compare(table_value(table, row, (size_t)device),
				  table_value(table, from, (size_t)device)) != 0) {
			add_busy(work, panel, table, from, row);
			from = row;
		}
	choose_devices(panel);
	for (size_t i = 0; i < panel->count; i++)
		panel->lines[i].share = NAN;
	return true;
}

/* A memory curve: the highest value in each of SAMPLES equal parts of the time. */
struct memory_curve {
	const char *name;
	double *samples, peak, last;
	size_t next; /* sample after the last one with a value */
};

static void curve_add(struct memory_curve *curve, size_t sample, double bytes)
{
	for (; curve->next < sample; curve->next++)
		curve->samples[curve->next] = curve->last;
	curve->samples[sample] =
		curve->next == sample ? bytes : fmax(curve->samples[sample], bytes);
	curve->next = sample + 1;
	curve->last = bytes;
	curve->peak = fmax(curve->peak, bytes);
}

static struct memory_curve *find_curve(struct dashboard_work *work, struct memory_curve *curves,
				       size_t *count, struct value name)
{
	struct memory_curve *known = first_of(at, curves, *count, value_is(name, at->name));
	if (known || *count == DEVICES_MAX)
		return known;
	curves[*count] = (struct memory_curve){ .name = panel_copy(work, name),
						.samples = new_samples(work, SAMPLES),
						.last = NAN,
						.peak = -1 };
	return &curves[(*count)++];
}

/* The peak, "12.4 of 32 GiB", and the scale; without the size of the memory "12.40 GiB". */
static void set_memory(struct dashboard_work *work, const struct memory_curve *curve,
		       struct panel_line *line)
{
	const struct profile *profile = work->rank->profile;
	const double gib = 1 << 30;
	char peak[NUMBER_MAX];
	line->value = panel_text(work, "%s", number_bytes(peak, curve->peak));
	line->high = curve->peak;
	for_each (device, profile->devices, profile->device_count) {
		char label[DEVICE_LABEL_MAX];
		if (device->memory_bytes < (int64_t)gib ||
		    strcmp(device_label(label, device->id), curve->name) != 0)
			continue;
		line->high = line->bad = fmax(curve->peak, (double)device->memory_bytes);
		line->value = panel_text(work, "%.1f of %.0f GiB", curve->peak / gib,
					 (double)device->memory_bytes / gib);
	}
}

static bool fill_curves(struct dashboard_work *work, const struct table *table,
			struct memory_curve *curves, size_t *count)
{
	int device = table_need(table, "device"), time = table_need(table, "time_ns");
	int bytes = table_need(table, "allocated_bytes");
	double low = INFINITY, high = -INFINITY;
	for (size_t row = 0; row < table->rows; row++) {
		double at = table_amount(table, row, time);
		if (!panel_go_on(work, table, row))
			return false;
		low = fmin(low, at);
		high = fmax(high, at);
	}
	for (size_t row = 0; row < table->rows; row++) {
		double value = table_amount(table, row, bytes), at = table_amount(table, row, time);
		if (!panel_go_on(work, table, row))
			return false;
		if (isnan(value) || isnan(at))
			continue;
		struct memory_curve *curve =
			find_curve(work, curves, count, table_value(table, row, (size_t)device));
		double part = high > low ? (at - low) / (high - low) * SAMPLES : 0;
		if (curve)
			curve_add(curve, part < SAMPLES ? (size_t)part : SAMPLES - 1, value);
	}
	return true;
}

static bool add_memory(struct dashboard_work *work, struct panel *panel)
{
	AUTO_TABLE struct table *table = panel_table(work, "memory-curve", NULL);
	struct memory_curve curves[DEVICES_MAX];
	size_t count = 0;
	if (!table)
		return false;
	bool good = fill_curves(work, table, curves, &count);
	bool device = any_of(i, count, strcmp(curves[i].name, "CPU") != 0);
	for (size_t i = 0; good && i < count; i++) {
		struct memory_curve *curve = &curves[i];
		if (curve->peak <= 0 || (device && strcmp(curve->name, "CPU") == 0))
			continue;
		for (; curve->next < SAMPLES; curve->next++)
			curve->samples[curve->next] = curve->last;
		struct panel_line *line = panel_add_line(panel, view_find("memory"));
		line->role = ROLE_MEMCPY;
		line->label = panel_text(work, "%s memory", curve->name);
		line->samples = curve->samples;
		line->sample_count = SAMPLES;
		line->peaks = true;
		set_memory(work, curve, line);
	}
	return good;
}

static bool add_step_times(struct dashboard_work *work, struct panel *panel)
{
	AUTO_TABLE struct table *table = panel_table(work, "steps", NULL);
	struct step_spread spread;
	size_t outliers = 0;
	if (!table)
		return false;
	if (table->rows < 2)
		return true;
	bool known = steps_spread(work->rank->derived, &spread);
	struct panel_line *line = panel_add_line(panel, view_find("steps"));
	line->role = ROLE_ANNOTATION;
	line->label = "Steps";
	line->samples = new_samples(work, table->rows);
	line->sample_count = table->rows;
	line->peaks = true;
	for (size_t row = 0; row < table->rows; row++) {
		double dur = panel_amount(table, row, "dur_ns");
		bool partial = panel_amount(table, row, "partial") > 0;
		line->samples[row] = dur;
		line->high = fmax(line->high, dur);
		if (!known || partial || (dur <= (double)spread.high && dur >= (double)spread.low))
			continue;
		if (!outliers++)
			line->ref = table_ref(table, row);
	}
	line->value = panel_text(work, "%zu", table->rows);
	if (outliers) {
		line->good = (double)spread.median;
		line->bad = (double)spread.high;
		line->value = panel_text(work, "%zu, %zu outlier%s", table->rows, outliers,
					 outliers == 1 ? "" : "s");
		line->sign = "!";
	}
	return true;
}

bool panels_add_curves(struct dashboard_work *work)
{
	bool snapshot = work->rank->profile->snapshot != NULL;
	struct panel *panel = panel_add(work->dashboard, snapshot ? PANEL_TALL : PANEL_CURVES,
					BAND_TIME, snapshot ? "Memory" : "Over Time");
	return add_utilization(work, panel) && add_memory(work, panel) &&
	       add_step_times(work, panel);
}
