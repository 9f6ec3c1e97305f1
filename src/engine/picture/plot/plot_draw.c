#include "picture/plot/plot_draw.h"

#include "picture/plot/plot_axis.h"
#include "picture/plot/plot_marks.h"

#include <math.h>

enum { PLOT_LAYOUT_ROWS(_) };

/* ---- layout ---- */

struct plot_frame {
	int left;         /* width of y axis and labels */
	int legend, axis; /* rows */
	int panel_rows;
	uint32_t first, shown; /* panels */
};

/* Visible range of the x axis. */
static struct plot_axis visible_x(const struct plot *plot, const struct plot_look *look)
{
	struct plot_axis x = plot->x;
	if (look->high > look->low) {
		x.low = look->low;
		x.high = look->high;
	}
	return x;
}

static int label_width(const struct plot *plot, int rows)
{
	struct plot_tick ticks[PLOT_TICKS_MAX];
	int width = 0;
	for (size_t i = 0; i < plot->panel_count; i++) {
		size_t count =
			plot_ticks(&plot->panels[i].y, (size_t)(rows / ROWS_PER_TICK + 1), ticks);
		for (size_t t = 0; t < count; t++) {
			int length = (int)strlen(ticks[t].label);
			width = length > width ? length : width;
		}
	}
	return width;
}

static struct plot_frame frame_plot(const struct plot *plot, const struct plot_look *look,
				    struct plot_rect rect)
{
	struct plot_frame frame = { .legend = rect.rows >= ROWS_FOR_LEGEND,
				    .axis = (rect.rows >= ROWS_FOR_AXIS) +
					    (rect.rows >= ROWS_FOR_LABELS) };
	int rows = rect.rows - frame.axis;
	uint32_t panels = (uint32_t)plot->panel_count, fit = (uint32_t)(rows / PANEL_MIN);
	frame.shown = fit < 1 ? 1 : fit < panels ? fit : panels;
	if (!frame.shown)
		frame.shown = 1;
	frame.panel_rows = rows / (int)frame.shown;
	uint32_t wanted = look->series < plot->series_count ? plot->series[look->series].panel : 0;
	frame.first = wanted >= frame.shown ? wanted - frame.shown + 1 : 0;
	frame.left =
		rect.columns >= COLUMNS_FOR_Y_LABELS ? label_width(plot, frame.panel_rows) + 1 : 1;
	return frame;
}

static struct plot_area area_of(const struct plot *plot, const struct plot_look *look,
				struct plot_rect rect, const struct plot_frame *frame,
				uint32_t panel)
{
	int top = (int)(panel - frame->first) * frame->panel_rows + frame->legend;
	return (struct plot_area){
		.panel = panel,
		.rect = { rect.row + top, rect.column + frame->left,
			  frame->panel_rows - frame->legend, rect.columns - frame->left },
		.x = visible_x(plot, look),
		.y = plot->panels[panel].y,
	};
}

struct plot_area plot_area(const struct plot *plot, const struct plot_look *look,
			   struct plot_rect rect)
{
	struct plot_frame frame = frame_plot(plot, look, rect);
	uint32_t panel = look->series < plot->series_count ? plot->series[look->series].panel : 0;
	if (!plot->panel_count)
		return (struct plot_area){ 0 };
	return area_of(plot, look, rect, &frame, panel);
}

int plot_column(const struct plot_area *area, double x)
{
	double place = plot_place(&area->x, x) * area->rect.columns;
	if (!(place >= 0) || place > area->rect.columns)
		return -1;
	int column = (int)place;
	return column < area->rect.columns ? column : area->rect.columns - 1;
}

double plot_column_start(const struct plot_area *area, int column)
{
	if (column == area->rect.columns) /* the last column has the end of the axis, too */
		return nextafter(area->x.high, INFINITY);
	return plot_value(&area->x, (double)column / area->rect.columns);
}

/* ---- cursor movement ---- */

size_t plot_neighbour(const struct plot_series *series, const struct plot_area *area, size_t point,
		      int direction)
{
	if (point >= series->count)
		return point;
	int column = plot_column(area, series->points[point].x);
	if (column < 0)
		column = series->points[point].x < area->x.low ? -1 : area->rect.columns;
	if (direction > 0) {
		size_t from = plot_lower(series, plot_column_start(area, column + 1));
		from = from > point ? from : point + 1;
		if (from >= series->count)
			return point;
		int next = plot_column(area, series->points[from].x);
		size_t to = next < 0 ? 0 : plot_lower(series, plot_column_start(area, next + 1));
		return plot_highest(series, from, to > from ? to : from + 1);
	}
	size_t to = plot_lower(series, plot_column_start(area, column));
	to = to < point ? to : point;
	if (to == 0)
		return point;
	int next = plot_column(area, series->points[to - 1].x);
	size_t from = next < 0 ? to : plot_lower(series, plot_column_start(area, next));
	return plot_highest(series, from < to ? from : to - 1, to);
}

/* ---- the axes ---- */

static void draw_y_axis(const struct plot_canvas *canvas, int left)
{
	const struct plot_area *area = &canvas->area;
	struct plot_tick ticks[PLOT_TICKS_MAX];
	size_t count = plot_ticks(&area->y, (size_t)(area->rect.rows / ROWS_PER_TICK + 1), ticks);
	int bar = area->rect.column - 1;
	grid_rule(canvas->grid, area->rect.row, bar, area->rect.rows, true);
	for (size_t i = 0; i < count; i++) {
		double place = plot_place(&area->y, ticks[i].value) * area->rect.rows;
		int row = area->rect.rows - 1 - (int)floor(place);
		row = row < 0 ? 0 : row;
		grid_puts(canvas->grid, area->rect.row + row, bar, 1, ROLE_BORDER,
			  canvas->grid->ascii ? "+" : "┤");
		if (left > 1)
			grid_field(canvas->grid, area->rect.row + row, bar - left + 1, left - 1,
				   ROLE_LABEL, GRID_RIGHT, ticks[i].label, strlen(ticks[i].label));
	}
}

static void draw_range(const struct plot_canvas *canvas, int row)
{
	const struct plot_look *look = canvas->look;
	const struct plot_area *area = &canvas->area;
	double low = fmin(look->from, look->to), high = fmax(look->from, look->to);
	if (high < area->x.low || low > area->x.high)
		return;
	int from = plot_column(area, fmax(low, area->x.low));
	int to = plot_column(area, fmin(high, area->x.high));
	grid_fill(canvas->grid, row, area->rect.column + from, to - from + 1, ROLE_MARK, '=');
	if (low >= area->x.low)
		grid_fill(canvas->grid, row, area->rect.column + from, 1, ROLE_MARK, 'A');
	if (high <= area->x.high && to > from)
		grid_fill(canvas->grid, row, area->rect.column + to, 1, ROLE_MARK, 'B');
}

static void draw_x_axis(const struct plot_canvas *canvas, int row, int rows)
{
	const struct plot_area *area = &canvas->area;
	struct plot_tick ticks[PLOT_TICKS_MAX];
	size_t count =
		plot_ticks(&area->x, (size_t)(area->rect.columns / COLUMNS_PER_TICK + 1), ticks);
	int free = area->rect.column, end = area->rect.column + area->rect.columns;
	if (rows > 0)
		grid_rule(canvas->grid, row, area->rect.column - 1, area->rect.columns + 1, false);
	for (size_t i = 0; i < count && rows > 0; i++) {
		int column = area->rect.column + plot_column(area, ticks[i].value);
		int length = (int)strlen(ticks[i].label), at = column - length / 2;
		if (column < area->rect.column)
			continue;
		grid_puts(canvas->grid, row, column, 1, ROLE_BORDER,
			  canvas->grid->ascii ? "+" : "┬");
		at = at + length > end ? end - length : at;
		at = at < area->rect.column ? area->rect.column : at;
		if (rows < 2 || at < free)
			continue;
		grid_puts(canvas->grid, row + 1, at, length, ROLE_LABEL, ticks[i].label);
		free = at + length + 1;
	}
	if (rows > 0 && canvas->look->has_range)
		draw_range(canvas, row);
}

/* ---- the legend ---- */

static void draw_series_names(const struct plot_canvas *canvas, struct plot_rect rect, int row,
			      uint32_t left_out)
{
	const struct plot *plot = canvas->plot;
	const struct plot_panel *panel = &plot->panels[canvas->area.panel];
	struct grid *grid = canvas->grid;
	int column = rect.column + 1, end = rect.column + rect.columns;
	if (panel->name)
		column += grid_puts(grid, row, column, end - column, ROLE_ACCENT, panel->name) + 2;
	for (size_t i = 0; i < plot->series_count; i++) {
		const struct plot_series *series = &plot->series[i];
		if (series->panel != canvas->area.panel || !series->count)
			continue;
		column += grid_puts(grid, row, column, end - column, series->role,
				    plot_glyph(series, canvas->look->marks, 5)) +
			  1;
		bool here = canvas->look->has_cursor && canvas->look->series == i;
		column += grid_puts(grid, row, column, end - column, here ? ROLE_SORTED : ROLE_TEXT,
				    series->name) +
			  2;
	}
	AUTO_BUFFER struct buffer text = { 0 };
	if (left_out)
		buffer_printf(&text, "%u more not shown", left_out);
	else
		buffer_printf(&text, "%s by %s", panel->y.title, plot->x.title);
	int width = (int)text.length;
	if (column + width + 1 <= end)
		grid_puts(grid, row, end - width, width, ROLE_DIM, buffer_text(&text));
}

/* ---- whole plot ---- */

static void draw_cursor(const struct plot_canvas *canvas, int axis_row)
{
	int row, column;
	if (!plot_point_cell(canvas, canvas->look->series, canvas->look->point, &row, &column))
		return;
	const struct plot_rect *rect = &canvas->area.rect;
	struct cell *cell = grid_cell(canvas->grid, rect->row + row, rect->column + column);
	if (cell && strcmp(cell->bytes, " ") == 0)
		grid_fill(canvas->grid, rect->row + row, rect->column + column, 1, ROLE_SELECTION,
			  'o');
	grid_paint(canvas->grid, rect->row + row, rect->column + column, 1, ROLE_SELECTION);
	if (axis_row >= 0)
		grid_fill(canvas->grid, axis_row, rect->column + column, 1, ROLE_ACCENT, '^');
	canvas->grid->cursor_row = rect->row + row;
	canvas->grid->cursor_column = rect->column + column;
}

void plot_draw(const struct plot *plot, const struct plot_look *look, struct grid *grid,
	       struct plot_rect rect)
{
	if (!plot->panel_count || rect.rows < 1 || rect.columns < 3)
		return;
	struct plot_frame frame = frame_plot(plot, look, rect);
	struct plot_canvas canvas = { plot, look, grid, { 0 } };
	int axis_row = rect.row + frame.panel_rows * (int)frame.shown;
	uint32_t cursor_panel =
		look->series < plot->series_count ? plot->series[look->series].panel : 0;
	for (uint32_t i = 0; i < frame.shown; i++) {
		uint32_t panel = frame.first + i;
		canvas.area = area_of(plot, look, rect, &frame, panel);
		uint32_t left_out = i == 0 ? (uint32_t)plot->panel_count - frame.shown : 0;
		if (frame.legend)
			draw_series_names(&canvas, rect, canvas.area.rect.row - 1, left_out);
		draw_y_axis(&canvas, frame.left);
		plot_draw_guides(&canvas);
		plot_draw_series(&canvas);
		plot_label_guides(&canvas);
		if (i + 1 == frame.shown)
			draw_x_axis(&canvas, axis_row, frame.axis);
	}
	if (look->has_cursor) {
		canvas.area = area_of(plot, look, rect, &frame, cursor_panel);
		draw_cursor(&canvas, frame.axis ? axis_row : -1);
	}
}
