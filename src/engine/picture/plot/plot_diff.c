/*
 * Differences of two runs: one bar per row, and their sum up to each row.
 */
#include "picture/plot/plot.h"

#include <math.h>

static const struct plot_glyphs more_glyphs = { { "#" }, { "█" } };
static const struct plot_glyphs less_glyphs = { { "=" }, { "▒" } };

/* GPU time if any differs, else CPU time. */
static int delta_column(const struct plot *plot)
{
	int gpu = table_need(plot->table, "delta_gpu_ns");
	for (size_t row = 0; row < plot->table->rows; row++)
		if (fabs(plot_cell(plot, row, gpu)) > 0)
			return gpu;
	return table_need(plot->table, "delta_cpu_ns");
}

static double delta_of(const struct plot *plot, size_t row, int column)
{
	double delta = plot_cell(plot, row, column);
	return isnan(delta) ? 0 : delta;
}

/* Bars of the rows that take more time, or of those that take less. */
static void add_bars(struct plot *plot, int column, bool more)
{
	struct plot_series *series =
		plot_add_series(plot, 0, more ? "More" : "Less", PLOT_BARS,
				more ? ROLE_WORSE : ROLE_BETTER, more ? more_glyphs : less_glyphs);
	for (size_t row = 0; row < plot->table->rows; row++) {
		double delta = delta_of(plot, row, column);
		if (more ? delta > 0 : delta < 0)
			plot_add_point(series, (struct plot_point){ .x = (double)row,
								    .width = 1,
								    .y = fabs(delta),
								    .row = (uint32_t)row });
	}
}

static void plot_diff_add_sum(struct plot *plot, int column)
{
	double sum = 0;
	struct plot_series *series =
		plot_add_series(plot, 1, "Sum So Far", PLOT_LINE, ROLE_ACCENT, plot_glyphs_line);
	for (size_t row = 0; row < plot->table->rows; row++) {
		sum += delta_of(plot, row, column);
		plot_add_point(series, (struct plot_point){
					       .x = (double)row, .y = sum, .row = (uint32_t)row });
	}
}

bool plot_diff_build(struct plot *plot)
{
	const struct table *table = plot->table;
	double highest = 0, sum = 0, low = 0, high = 0;
	plot->note = table->note;
	if (!plot_go_on(plot, 0))
		return false;
	int column = delta_column(plot);
	for (size_t row = 0; row < table->rows; row++) {
		sum += delta_of(plot, row, column);
		highest = fmax(highest, fabs(delta_of(plot, row, column)));
		low = fmin(low, sum);
		high = fmax(high, sum);
	}
	plot->x =
		(struct plot_axis){ "Row", UNIT_ID, PLOT_LINEAR, 0, fmax((double)table->rows, 1) };
	if (!(highest > 0)) {
		if (table->rows)
			plot->note = "Nothing differs.";
		return true;
	}
	plot_add_panel(plot, table->column[column]->title,
		       (struct plot_axis){ "Difference", UNIT_NS, PLOT_LINEAR, 0, highest * 1.05 });
	plot_add_panel(plot, "Cumulative",
		       (struct plot_axis){ "Sum", UNIT_NS, PLOT_LINEAR, low * 1.05, high * 1.05 });
	add_bars(plot, column, true);
	add_bars(plot, column, false);
	plot_diff_add_sum(plot, column);
	return true;
}
