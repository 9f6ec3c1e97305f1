#include "picture/plot/plot_marks.h"

#include "base/text.h"
#include "picture/plot/plot_axis.h"
#include "picture/plot/plot_cells.h"

#include <math.h>

enum { EIGHTHS = 8, DOTS = 4, GAP_FROM = 3 };

static const double LIGHT = 1, HEAVY = 10; /* percent: limits between the three point sizes */

const char *plot_glyph(const struct plot_series *series, enum plot_marks marks, float weight)
{
	const char *const *glyphs =
		marks == PLOT_ASCII ? series->glyphs.ascii : series->glyphs.unicode;
	return glyphs[(weight >= LIGHT) + (weight >= HEAVY)] ?: glyphs[0];
}

static void put_glyph(const struct plot_canvas *canvas, int row, int column, int role,
		      const char *glyph)
{
	const struct plot_rect *rect = &canvas->area.rect;
	if (row < 0 || row >= rect->rows || column < 0 || column >= rect->columns)
		return;
	grid_puts(canvas->grid, rect->row + row, rect->column + column, 1, role, glyph);
}

/* Row of a value relative to the area; outside the area if beyond the ends. */
static int area_row(const struct plot_area *area, double y)
{
	double place = plot_place(&area->y, y) * area->rect.rows;
	if (!(place >= -1) || place > area->rect.rows + 1)
		return place < 0 ? area->rect.rows : -1;
	int row = area->rect.rows - 1 - (int)floor(place);
	return row == -1 && place <= area->rect.rows ? 0
						     : row; /* the upper limit itself is visible */
}

/* Height of a value in units of 1/UNITS row; at least one unless zero. */
static int height_of(const struct plot_area *area, double y, int units)
{
	double place = plot_place(&area->y, y), max = (double)area->rect.rows * units;
	if (!(place > 0))
		return 0;
	double height = floor(fmin(place, 1) * max + 1e-9);
	return height < 1 ? 1 : (int)height;
}

/* ---- point shown in a column ---- */

static double column_x(const struct plot_area *area, double column)
{
	if (column >= area->rect.columns)
		return nextafter(area->x.high, INFINITY);
	return plot_value(&area->x, column / area->rect.columns);
}

size_t plot_drawn(const struct plot_series *series, const struct plot_area *area, double from,
		  double to)
{
	double start = column_x(area, from);
	size_t first = plot_lower(series, start), end = plot_lower(series, column_x(area, to));
	const struct plot_point *before = first > 0 ? &series->points[first - 1] : NULL;
	bool reached = before && (series->style == PLOT_AREA || series->style == PLOT_LINE ||
				  before->x + (double)before->width > start);
	/* of two stacks sharing a column, draw the one that starts there */
	if (first < end)
		return plot_highest(series, first - (reached && series->style != PLOT_STACK), end);
	return reached ? first - 1 : SIZE_MAX;
}

/* The last column of a wide bar stays empty to separate it from the next bar. */
static bool is_gap(const struct plot_series *series, const struct plot_area *area, size_t point,
		   int column)
{
	const struct plot_point *bar = &series->points[point];
	double first = plot_place(&area->x, bar->x) * area->rect.columns;
	double next = plot_place(&area->x, bar->x + (double)bar->width) * area->rect.columns;
	return next - first >= GAP_FROM && column == (int)(next + 1e-9) - 1;
}

/* ---- areas, bars ---- */

/* Fill a column up to HEIGHT eighths. */
static void fill_column(const struct plot_canvas *canvas, const struct plot_series *series,
			int column, int height)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇" };
	static const char *const ascii[] = { " ", ".", ".", ".", ":", ":", ":", ":" };
	bool plain = canvas->look->marks == PLOT_ASCII;
	int row = canvas->area.rect.rows - 1;
	for (; height >= EIGHTHS; height -= EIGHTHS)
		put_glyph(canvas, row--, column, series->role,
			  plot_glyph(series, canvas->look->marks, 0));
	if (height)
		put_glyph(canvas, row, column, series->role,
			  plain ? ascii[height] : blocks[height]);
}

/* Value shown in columns FROM to TO; NaN: none. */
static double drawn_value(const struct plot_series *series, const struct plot_area *area,
			  double from, double to)
{
	if (series->averaged)
		return plot_mean(series, column_x(area, from), column_x(area, to));
	size_t point = plot_drawn(series, area, from, to);
	return point == SIZE_MAX ? NAN : series->points[point].y;
}

static int drawn_height(const struct plot_canvas *canvas, const struct plot_series *series,
			double from, double to, int units)
{
	double y = drawn_value(series, &canvas->area, from, to);
	return isnan(y) ? 0 : height_of(&canvas->area, y, units);
}

/* A cell of 2 x 4 dots, each column filled from below. */
static void put_braille(const struct plot_canvas *canvas, int row, int column, int role, int left,
			int right)
{
	static const uint8_t bits[2][DOTS] = { { 0x40, 0x04, 0x02, 0x01 },
					       { 0x80, 0x20, 0x10, 0x08 } };
	uint32_t dots = 0;
	char glyph[5] = "";
	for (int i = 0; i < DOTS; i++)
		dots |= (left > i ? bits[0][i] : 0u) | (right > i ? bits[1][i] : 0u);
	text_encode(0x2800 + dots, glyph);
	if (dots)
		put_glyph(canvas, row, column, role, glyph);
}

static void draw_braille(const struct plot_canvas *canvas, const struct plot_series *series)
{
	for (int column = 0; column < canvas->area.rect.columns; column++) {
		int left = drawn_height(canvas, series, column, column + 0.5, DOTS);
		int right = drawn_height(canvas, series, column + 0.5, column + 1, DOTS);
		int row = canvas->area.rect.rows - 1;
		for (; left > 0 || right > 0; left -= DOTS, right -= DOTS)
			put_braille(canvas, row--, column, series->role, left, right);
	}
}

static void draw_filled(const struct plot_canvas *canvas, const struct plot_series *series)
{
	if (canvas->look->marks == PLOT_BRAILLE) {
		draw_braille(canvas, series);
		return;
	}
	for (int column = 0; column < canvas->area.rect.columns; column++)
		fill_column(canvas, series, column,
			    drawn_height(canvas, series, column, column + 1, EIGHTHS));
}

/* ---- lines ---- */

/* Vertical line from a column's peak to the values at its ends. */
static void draw_jump(const struct plot_canvas *canvas, const struct plot_series *series,
		      int column, int high)
{
	const struct plot_area *area = &canvas->area;
	size_t end = plot_lower(series, column_x(area, column + 1));
	size_t first = plot_lower(series, column_x(area, column));
	int out = area_row(area, series->points[end > 0 ? end - 1 : 0].y);
	int in = area_row(area, series->points[first > 0 ? first - 1 : first].y);
	for (int row = high + 1; row <= (in > out ? in : out); row++)
		put_glyph(canvas, row, column, series->role,
			  row == out ? plot_glyph(series, canvas->look->marks, 0)
			  : canvas->look->marks == PLOT_ASCII ? "|"
							      : "│");
}

static void draw_outline(const struct plot_canvas *canvas, const struct plot_series *series)
{
	const struct plot_area *area = &canvas->area;
	for (int column = 0; column < area->rect.columns; column++) {
		double y = drawn_value(series, area, column, column + 1);
		if (isnan(y))
			continue;
		int high = area_row(area, y);
		put_glyph(canvas, high, column, series->role,
			  plot_glyph(series, canvas->look->marks, 0));
		if (!series->averaged)
			draw_jump(canvas, series, column, high);
	}
}

/* ---- stacks ---- */

double plot_stacked(const struct plot *plot, uint32_t index, size_t point)
{
	double sum = 0;
	for (uint32_t i = 0; i <= index; i++) {
		const struct plot_series *series = &plot->series[i];
		if (series->style == PLOT_STACK && series->panel == plot->series[index].panel)
			sum += series->points[point].y;
	}
	return sum;
}

/* Glyph of the topmost cell, by fill level in eighths. */
static const char *stack_glyph(const struct plot_canvas *canvas, const struct plot_series *series,
			       int filled)
{
	static const char *const blocks[] = { "▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇" };
	if (filled >= EIGHTHS)
		return plot_glyph(series, canvas->look->marks, 0);
	if (canvas->look->marks == PLOT_ASCII)
		return filled * 2 >= EIGHTHS ? plot_glyph(series, canvas->look->marks, 0) : ".";
	return blocks[filled];
}

static void draw_stack_column(const struct plot_canvas *canvas, uint32_t last, int column,
			      size_t point)
{
	const struct plot *plot = canvas->plot;
	int height = height_of(&canvas->area, plot_stacked(plot, last, point), EIGHTHS);
	uint32_t at = 0;
	for (int row = 0; row * EIGHTHS < height; row++) {
		int filled = height - row * EIGHTHS;
		double middle = row * EIGHTHS + (filled < EIGHTHS ? filled : EIGHTHS) / 2.0;
		while (at < last && (plot->series[at].style != PLOT_STACK ||
				     plot->series[at].panel != plot->series[last].panel ||
				     plot_place(&canvas->area.y, plot_stacked(plot, at, point)) *
						     canvas->area.rect.rows * EIGHTHS <=
					     middle))
			at++;
		const struct plot_series *series = &plot->series[at];
		const char *glyph = stack_glyph(canvas, series, filled);
		/* The end of a dotted bar is no brighter than its dots. */
		bool dotted = filled < EIGHTHS &&
			      !strcmp(plot_glyph(series, canvas->look->marks, 0), "·");
		grid_part(canvas->grid, canvas->area.rect.row + canvas->area.rect.rows - 1 - row,
			  canvas->area.rect.column + column, dotted ? ROLE_DIM : series->role,
			  glyph);
	}
}

/* Stacked series of a panel, up to LAST. */
static void draw_stacks(const struct plot_canvas *canvas, uint32_t last)
{
	const struct plot_series *series = &canvas->plot->series[last];
	for (int column = 0; column < canvas->area.rect.columns; column++) {
		size_t point = plot_drawn(series, &canvas->area, column, column + 1);
		if (point != SIZE_MAX && !is_gap(series, &canvas->area, point, column))
			draw_stack_column(canvas, last, column, point);
	}
}

static bool is_last_stack(const struct plot *plot, uint32_t index)
{
	for (uint32_t i = index + 1; i < plot->series_count; i++)
		if (plot->series[i].style == PLOT_STACK &&
		    plot->series[i].panel == plot->series[index].panel)
			return false;
	return true;
}

/* ---- points ---- */

static void draw_points(const struct plot_canvas *canvas, const struct plot_series *series)
{
	const struct plot_area *area = &canvas->area;
	for_each (point, series->points, series->count) {
		int column = plot_column(area, point->x);
		if (column >= 0)
			put_glyph(canvas, area_row(area, point->y), column, series->role,
				  plot_glyph(series, canvas->look->marks, point->weight));
	}
}

void plot_draw_series(const struct plot_canvas *canvas)
{
	const struct plot *plot = canvas->plot;
	if (plot->bands)
		plot_draw_cells(canvas);
	for (uint32_t i = 0; i < plot->series_count && !plot->bands; i++) {
		const struct plot_series *series = &plot->series[i];
		if (series->panel != canvas->area.panel || !series->count)
			continue;
		if (series->style == PLOT_AREA || series->style == PLOT_BARS)
			draw_filled(canvas, series);
		else if (series->style == PLOT_LINE)
			draw_outline(canvas, series);
		else if (series->style == PLOT_POINTS)
			draw_points(canvas, series);
		else if (is_last_stack(plot, i))
			draw_stacks(canvas, i);
	}
}

bool plot_point_cell(const struct plot_canvas *canvas, uint32_t index, size_t point, int *row,
		     int *column)
{
	const struct plot_series *series = &canvas->plot->series[index];
	const struct plot_area *area = &canvas->area;
	if (point >= series->count)
		return false;
	const struct plot_point *at = &series->points[point];
	double x = at->x + (double)at->width / 2, y = at->y;
	if (series->style == PLOT_AREA || series->style == PLOT_LINE)
		x = at->x;
	*column = plot_column(area, x);
	if (*column < 0)
		*column = plot_column(area, at->x);
	if (series->style == PLOT_STACK)
		y = plot_stacked(canvas->plot, index, point) - y / 2;
	else if (series->averaged && *column >= 0)
		y = drawn_value(series, area, *column, *column + 1);
	*row = area_row(area, y);
	if (*row == area->rect.rows) /* the axis row stays free */
		*row = area->rect.rows - 1;
	return *column >= 0 && *row >= 0 && *row < area->rect.rows;
}

/* ---- guides ---- */

static bool are_blank(const struct plot_canvas *canvas, int row, int column, int columns)
{
	const struct plot_rect *rect = &canvas->area.rect;
	if (row < 0 || row >= rect->rows || column < 0 || column + columns > rect->columns)
		return false;
	for (int i = 0; i < columns; i++) {
		struct cell *cell =
			grid_cell(canvas->grid, rect->row + row, rect->column + column + i);
		if (!cell || strcmp(cell->bytes, " ") != 0)
			return false;
	}
	return true;
}

static bool put_label(const struct plot_canvas *canvas, const struct plot_guide *guide, int row,
		      int column)
{
	int width = grid_width(canvas->grid, guide->label, strlen(guide->label));
	if (!are_blank(canvas, row, column, width))
		return false;
	grid_puts(canvas->grid, canvas->area.rect.row + row, canvas->area.rect.column + column,
		  width, guide->role, guide->label);
	return true;
}

static bool is_upright(const struct plot_guide *guide)
{
	return guide->x0 == guide->x1;
}

/* Left of a slope, near its middle. */
static void label_slope(const struct plot_canvas *canvas, const struct plot_guide *guide, int width)
{
	const struct plot_area *area = &canvas->area;
	double x0 = plot_place(&area->x, guide->x0), x1 = plot_place(&area->x, guide->x1);
	double y0 = plot_place(&area->y, guide->y0), y1 = plot_place(&area->y, guide->y1);
	for (double t = 0.6; t < 0.95; t += 0.05) {
		int row = area_row(area, plot_value(&area->y, y0 + t * (y1 - y0)));
		int column = (int)((x0 + t * (x1 - x0)) * area->rect.columns);
		if (put_label(canvas, guide, row, column - width - 5))
			return;
	}
}

/* Next to the top of vertical guides, above the right end of others, if free. */
static void label_guide(const struct plot_canvas *canvas, const struct plot_guide *guide)
{
	const struct plot_area *area = &canvas->area;
	int width = grid_width(canvas->grid, guide->label, strlen(guide->label));
	if (is_upright(guide)) {
		int column = plot_column(area, guide->x0);
		for (int row = 0; row < 4 && column >= 0; row++)
			if (put_label(canvas, guide, row, column + 1) ||
			    put_label(canvas, guide, row, column - width))
				return;
		return;
	}
	int row = area_row(area, guide->y1), first = plot_column(area, guide->x0);
	if (guide->y0 != guide->y1) {
		label_slope(canvas, guide, width);
		return;
	}
	for (int end = area->rect.columns; end - width >= 0 && end > first; end -= width / 2 + 1)
		if (put_label(canvas, guide, row - 1, end - width) ||
		    put_label(canvas, guide, row + 1, end - width))
			return;
}

static void draw_upright(const struct plot_canvas *canvas, const struct plot_guide *guide)
{
	int column = plot_column(&canvas->area, guide->x0);
	for (int row = 0; row < canvas->area.rect.rows && column >= 0; row++)
		put_glyph(canvas, row, column, guide->role,
			  canvas->look->marks == PLOT_ASCII ? ":" : "┊");
}

static void draw_slope(const struct plot_canvas *canvas, const struct plot_guide *guide)
{
	const struct plot_area *area = &canvas->area;
	bool plain = canvas->look->marks == PLOT_ASCII;
	double x0 = plot_place(&area->x, guide->x0), x1 = plot_place(&area->x, guide->x1);
	double y0 = plot_place(&area->y, guide->y0), y1 = plot_place(&area->y, guide->y1);
	bool flat = guide->y0 == guide->y1;
	int columns = area->rect.columns, rows = area->rect.rows;
	for (int i = 0; flat ? i < columns : i < columns * 2 + rows * 2; i++) {
		/* dense enough to hit every row and column of a slope */
		double t = flat ? ((i + 0.5) / columns - x0) / (x1 - x0)
				: (i + 0.5) / (columns * 2 + rows * 2);
		double place = x0 + t * (x1 - x0);
		if (t < 0 || t > 1 || place < 0 || place >= 1)
			continue;
		put_glyph(canvas, area_row(area, plot_value(&area->y, y0 + t * (y1 - y0))),
			  (int)(place * columns), guide->role,
			  flat    ? (plain ? "-" : "─")
			  : plain ? "/"
				  : "╱");
	}
}

void plot_draw_guides(const struct plot_canvas *canvas)
{
	const struct plot *plot = canvas->plot;
	for_each (guide, plot->guides, plot->guide_count) {
		if (guide->panel != canvas->area.panel)
			continue;
		if (is_upright(guide))
			draw_upright(canvas, guide);
		else
			draw_slope(canvas, guide);
	}
}

void plot_label_guides(const struct plot_canvas *canvas)
{
	const struct plot *plot = canvas->plot;
	for (size_t i = 0; i < plot->guide_count; i++)
		if (plot->guides[i].panel == canvas->area.panel)
			label_guide(canvas, &plot->guides[i]);
}
