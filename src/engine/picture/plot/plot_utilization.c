/*
 * GPU utilization per device over time.
 */
#include "picture/plot/plot.h"

#include <math.h>

enum { BUSY, EFFICIENCY, LINES }; /* series of a panel */

/* Rows are sorted by device. */
static uint32_t panel_of(struct plot *plot, size_t row, int device)
{
	const char *name = plot_cell_text(plot, row, device);
	uint32_t count = (uint32_t)plot->panel_count;
	if (count && strcmp(plot->panels[count - 1].name, name) == 0)
		return count - 1;
	uint32_t panel = plot_add_panel(
		plot, name, (struct plot_axis){ "Utilization", UNIT_PERCENT, PLOT_LINEAR, 0, 100 });
	plot_add_series(plot, panel, "GPU Utilization", PLOT_AREA, ROLE_KERNEL, plot_glyphs_area)
		->averaged = true;
	plot_add_series(plot, panel, "SM Efficiency", PLOT_LINE, ROLE_MEMCPY, plot_glyphs_line)
		->averaged = true;
	return panel;
}

/* Time-weighted mean, equal to the overview's utilization. */
static double mean_of(const struct plot_series *series)
{
	double sum = 0, time = 0;
	for (size_t i = 0; i < series->count; i++) {
		sum += series->points[i].y * (double)series->points[i].width;
		time += (double)series->points[i].width;
	}
	return sum / time;
}

bool plot_utilization_build(struct plot *plot)
{
	const struct table *table = plot->table;
	int device = table_need(table, "device"), start = table_need(table, "start_ns");
	int dur = table_need(table, "dur_ns");
	const int rates[LINES] = { table_need(table, "gpu_util_pct"),
				   table_need(table, "sm_efficiency_pct") };
	plot->x = (struct plot_axis){ "Time", UNIT_NS, PLOT_LINEAR, NAN, NAN };
	for (size_t row = 0; row < table->rows; row++) {
		if (!plot_go_on(plot, row))
			return false;
		uint32_t panel = panel_of(plot, row, device);
		struct plot_point point = {
			.x = plot_cell(plot, row, start),
			.width = (float)plot_cell(plot, row, dur),
			.row = (uint32_t)row,
		};
		for (uint32_t line = 0; line < LINES; line++) {
			point.y = plot_cell(plot, row, rates[line]);
			if (!isnan(point.y))
				plot_add_point(&plot->series[panel * LINES + line], point);
		}
		plot->x.low = fmin(plot->x.low, point.x);
		plot->x.high = fmax(plot->x.high, point.x + (double)point.width);
	}
	for (uint32_t i = 0; i < plot->series_count; i++)
		if (plot->series[i].count)
			plot_add_fact(plot,
				      plot_text(plot, "Mean %s",
						plot->panels[plot->series[i].panel].name),
				      "%s %.1f%%", plot->series[i].name, mean_of(&plot->series[i]));
	return true;
}
