/*
 * Allocated and reserved memory per device over time.
 */
#include "picture/plot/plot.h"

#include <math.h>

enum { ALLOCATED, RESERVED, LINES }; /* series of a panel */

static const struct plot_axis bytes_axis = { "Memory", UNIT_BYTES, PLOT_LINEAR, 0, NAN };

/* A category has a panel of its own: its bytes are part of others, or beside them. */
static uint32_t find_panel(struct plot *plot, size_t row, int device)
{
	struct value name = table_value(plot->table, row, (size_t)device);
	if (table_value(plot->table, row, (size_t)table_need(plot->table, "category")).kind !=
	    VALUE_MISSING)
		name = table_value(plot->table, row,
				   (size_t)(device = table_need(plot->table, "category")));
	for (uint32_t i = 0; i < plot->panel_count; i++) {
		const char *known = plot->panels[i].name;
		if (strlen(known) == name.length && memcmp(known, name.text, name.length) == 0)
			return i;
	}
	uint32_t panel = plot_add_panel(plot, plot_cell_text(plot, row, device), bytes_axis);
	plot_add_series(plot, panel, "Allocated", PLOT_AREA, ROLE_BAR, plot_glyphs_area);
	plot_add_series(plot, panel, "Reserved", PLOT_LINE, ROLE_MEMCPY, plot_glyphs_line);
	return panel;
}

static void plot_memory_add_value(struct plot *plot, uint32_t panel, int line, double time,
				  double bytes, uint32_t row)
{
	struct plot_axis *y = &plot->panels[panel].y;
	if (isnan(time) || isnan(bytes))
		return;
	y->low = fmin(y->low, bytes);
	y->high = fmax(y->high, bytes);
	plot_add_point(&plot->series[panel * LINES + (uint32_t)line],
		       (struct plot_point){ .x = time, .y = bytes, .row = row });
}

static void add_peak(struct plot *plot, uint32_t panel)
{
	const struct plot_series *series = &plot->series[panel * LINES];
	const struct plot_point *peak = series->points;
	double highest = NAN;
	for (size_t i = 1; i < series->count; i++)
		peak = series->points[i].y > peak->y ? &series->points[i] : peak;
	for (size_t i = 0; i < series[RESERVED].count; i++)
		highest = fmax(highest, series[RESERVED].points[i].y);
	if (!peak)
		return;
	plot_add_fact(
		plot, plot_text(plot, "Peak %s", plot->panels[panel].name),
		"%s allocated at %s%s%s%s", plot_quantity(plot, UNIT_BYTES, peak->y),
		plot->x.unit == UNIT_NS ? "" : "entry ", plot_quantity(plot, plot->x.unit, peak->x),
		isnan(highest) ? "" : ", peak reserved ", plot_quantity(plot, UNIT_BYTES, highest));
}

bool plot_memory_build(struct plot *plot)
{
	const struct table *table = plot->table;
	int device = table_need(table, "device"), time = table_need(table, "time_ns");
	int allocated = table_need(table, "allocated_bytes");
	int reserved = table_need(table, "reserved_bytes");
	bool timed = !table->rows || !isnan(plot_cell(plot, table->rows - 1, time));
	plot->x = timed ? (struct plot_axis){ "Time", UNIT_NS, PLOT_LINEAR, NAN, NAN }
			: (struct plot_axis){ "Entry", UNIT_COUNT, PLOT_LINEAR, NAN, NAN };
	plot->note = table->note;
	for (size_t row = 0; row < table->rows; row++) {
		if (!plot_go_on(plot, row))
			return false;
		double known = plot_cell(plot, row, timed ? time : table_need(table, "entry"));
		double at = isnan(known) ? 0 : known; /* held before the recording */
		uint32_t panel = find_panel(plot, row, device);
		plot_memory_add_value(plot, panel, ALLOCATED, at, plot_cell(plot, row, allocated),
				      (uint32_t)row);
		plot_memory_add_value(plot, panel, RESERVED, at, plot_cell(plot, row, reserved),
				      (uint32_t)row);
		plot->x.low = fmin(plot->x.low, known);
		plot->x.high = fmax(plot->x.high, known);
	}
	for (uint32_t panel = 0; panel < plot->panel_count; panel++)
		add_peak(plot, panel);
	return true;
}
