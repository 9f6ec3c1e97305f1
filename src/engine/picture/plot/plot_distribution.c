/*
 * Duration distribution of launches, calls or steps: a histogram with logarithmic bins.
 */
#include "base/any_of.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/sort.h"
#include "picture/plot/plot.h"

#include <math.h>

enum { BINS_MAX = 80, BINS_MIN = 8 };

struct duration {
	double ns;
	uint32_t row;
};

COMPARE_MEMBERS(by_duration, struct duration, UP(ns) UP(row))

struct durations {
	GROWING(struct duration, items, count);
	bool alike; /* all have the same name */
};

static bool collect_durations(const struct plot *plot, struct durations *samples)
{
	const struct table *table = plot->table;
	int dur = table_need(table, "dur_ns"), kind = table_column(table, "kind");
	int name = table_column(table, "name");
	samples->alike = name >= 0;
	for (size_t row = 0; row < table->rows; row++) {
		if (!plot_go_on(plot, row))
			return false;
		double ns = plot_cell(plot, row, dur);
		/* synchronization is waiting, not work: excluded */
		if (isnan(ns) || ns < 0 ||
		    (kind >= 0 && value_is(table_value(plot->table, row, (size_t)kind), "sync")))
			continue;
		*mem_push(samples->items, samples->count) = (struct duration){ ns, (uint32_t)row };
		samples->alike =
			samples->alike &&
			!value_compare(table_value(table, row, (size_t)name),
				       table_value(table, samples->items[0].row, (size_t)name));
	}
	return sort_runs(samples->items, samples->count, sizeof *samples->items, by_duration,
			 plot->progress) ||
	       error_cancelled(plot->error);
}

/* Nearest-rank quantile. */
static double quantile(const struct durations *samples, double share)
{
	double rank = ceil(share * (double)samples->count);
	return samples->items[rank < 1 ? 0 : (size_t)rank - 1].ns;
}

/* ---- bins: as many per decade as samples and display resolve ---- */

static double log_of(double ns)
{
	return log10(ns < 1 ? 1 : ns);
}

static double bins_a_decade(const struct durations *samples)
{
	static const double choices[] = { 1000, 500, 200, 100, 50, 20, 10, 5, 2, 1 };
	double low = log_of(samples->items[0].ns);
	double high = log_of(samples->items[samples->count - 1].ns);
	double max = fmin(BINS_MAX, fmax(BINS_MIN, 3 * sqrt((double)samples->count)));
	size_t i = 0;
	while (i < sizeof choices / sizeof *choices - 1 && (high - low) * choices[i] + 2 > max)
		i++;
	return choices[i];
}

static void add_bins(struct plot *plot, const struct durations *samples)
{
	struct plot_series *series =
		plot_add_series(plot, 0, "Count", PLOT_BARS, ROLE_BAR, plot_glyphs_area);
	double fine = bins_a_decade(samples);
	for (size_t i = 0; i < samples->count;) {
		double bin = floor(log_of(samples->items[i].ns) * fine + 1e-9), count = 0;
		struct plot_point point = { .x = pow(10, bin / fine) };
		for (;
		     i < samples->count && floor(log_of(samples->items[i].ns) * fine + 1e-9) <= bin;
		     i++) {
			count++;
			point.row = samples->items[i]
					    .row; /* drill down to the slowest sample of the bin */
		}
		point.width = (float)(pow(10, (bin + 1) / fine) - point.x);
		point.y = count;
		plot_add_point(series, point);
		plot->panels[0].y.high = fmax(plot->panels[0].y.high, count * 1.1);
		plot->x.low = fmin(plot->x.low, point.x);
		plot->x.high = fmax(plot->x.high, point.x + (double)point.width);
	}
	/* margins if all samples are equal */
	plot->x.low *= pow(10, -1 / fine);
	plot->x.high *= pow(10, 1 / fine);
}

static void add_statistic(struct plot *plot, const char *name, double ns, bool drawn)
{
	const char *text = plot_quantity(plot, UNIT_NS, ns);
	plot_add_fact(plot, name, "%s", text);
	if (drawn)
		plot_add_guide(plot,
			       (struct plot_guide){ .label = plot_text(plot, "%s %s", name, text),
						    .role = ROLE_MARK,
						    .x0 = ns < 1 ? 1 : ns,
						    .x1 = ns < 1 ? 1 : ns,
						    .y0 = 0,
						    .y1 = 1 });
}

static void add_statistics(struct plot *plot, const struct durations *samples)
{
	double total = sum_of(i, samples->count, samples->items[i].ns);
	if (samples->alike && strcmp(plot->group->name, "steps") != 0)
		plot_add_fact(plot, "Name", "%s",
			      plot_cell_text(plot, samples->items[0].row,
					     table_column(plot->table, "name")));
	plot_add_fact(plot, "Count", "%zu", samples->count);
	DISTRIBUTION_STATISTICS(add_statistic);
}

bool plot_distribution_build(struct plot *plot)
{
	struct durations samples = { 0 };
	plot->x = (struct plot_axis){ "Duration", UNIT_NS, PLOT_LOG, NAN, NAN };
	plot_add_panel(plot, NULL, (struct plot_axis){ "Count", UNIT_COUNT, PLOT_LINEAR, 0, NAN });
	bool done = collect_durations(plot, &samples);
	if (done && samples.count) {
		add_bins(plot, &samples);
		add_statistics(plot, &samples);
	}
	mem_free(samples.items);
	return done;
}
