/*
 * Plots as SVG, with tooltips.
 */
#include "base/text.h"
#include "picture/plot/flame.h"
#include "picture/plot/plot_axis.h"
#include "picture/plot/plot_cells.h"
#include "picture/plot/plot_print.h"

#include <math.h>

enum { PLOT_SVG_ROWS(_) };

static const double FRAME_MIN = 0.4; /* pixels */

/* ---- text ---- */

static void label(struct buffer *out, double x, double y, const char *anchor, const char *class,
		  const char *text)
{
	buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y,
		      anchor, class);
	text_escape_markup(out, text, strlen(text));
	buffer_puts(out, "</text>\n");
}

static void line(struct buffer *out, double x0, double y0, double x1, double y1, const char *class)
{
	buffer_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n",
		      x0, y0, x1, y1, class);
}

/* By role, as on the screen. */
static const char *color_of(enum role role)
{
	const char *color = role_info(role)->shape;
	return color ? color : "#909090";
}

static void begin_svg(struct buffer *out, const struct plot *plot, double height)
{
	buffer_printf(
		out,
		"<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
		"width=\"%d\" height=\"%.0f\">\n",
		WIDTH, height, WIDTH, height);
	/* a style sheet applies to the whole page that an SVG is part of */
	buffer_puts(out, "<style>.plot text{font:12px sans-serif;fill:#222}"
			 ".plot .title{font-size:16px}.plot .dim{fill:#666}"
			 ".plot .axis{stroke:#444}.plot .grid{stroke:#ddd}"
			 ".plot .guide{stroke:#888;stroke-dasharray:4 3}"
			 ".plot .frame{font:11px monospace}"
			 ".plot g rect{fill-opacity:.6;stroke:#fff;stroke-width:.5}</style>\n");
	buffer_printf(out, "<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n", WIDTH, height);
	label(out, 10, 24, "start", "title", plot->group->title);
}

static void add_fact_lines(struct buffer *out, const struct plot *plot, double y)
{
	for (size_t i = 0; i < plot->fact_count; i++, y += LINE) {
		label(out, 10, y, "start", "dim", plot->derived[i].label);
		label(out, 150, y, "start", "text", plot->derived[i].text);
	}
	if (plot->note)
		label(out, 10, y, "start", "dim", plot->note);
}

static double facts_height(const struct plot *plot)
{
	return LINE * ((double)plot->fact_count + (plot->note ? 1 : 0)) + 10;
}

/* ---- charts ---- */

struct drawing {
	const struct plot *plot;
	struct buffer *out;
	struct plot_area area; /* one column per pixel */
};

static double x_of(const struct drawing *drawing, double x)
{
	double place = plot_place(&drawing->area.x, x);
	return drawing->area.rect.column + fmin(fmax(place, 0), 1) * drawing->area.rect.columns;
}

static double y_of(const struct drawing *drawing, double y)
{
	double place = plot_place(&drawing->area.y, y);
	return drawing->area.rect.row + (1 - fmin(fmax(place, 0), 1)) * drawing->area.rect.rows;
}

static void point_title(const struct drawing *drawing, const struct plot_series *series,
			const struct plot_point *point)
{
	const struct table *table = drawing->plot->table;
	int name = table_column_as(table, COLUMN_NAME);
	AUTO_BUFFER struct buffer text = { 0 };
	if (name >= 0 && point->row != NO_ROW) {
		struct value value = table_value(table, point->row, (size_t)name);
		if (value.kind == VALUE_TEXT)
			buffer_add(&text, value.text, value.length);
		buffer_puts(&text, "  ");
	}
	buffer_printf(&text, "%s ", series->name);
	plot_number(&text, drawing->area.y.unit, point->y);
	buffer_puts(&text, " at ");
	plot_number(&text, drawing->area.x.unit, point->x);
	buffer_puts(drawing->out, "<title>");
	text_escape_markup(drawing->out, text.data, text.length);
	buffer_puts(drawing->out, "</title>");
}

/* Vertices of a step function; with many points, the maximum per pixel. */
static void add_vertices(const struct drawing *drawing, const struct plot_series *series)
{
	double last = NAN;
	if (series->count <= MANY) {
		for (size_t i = 0; i < series->count; i++) {
			double x = x_of(drawing, series->points[i].x);
			double y = y_of(drawing, series->points[i].y);
			if (!isnan(last))
				buffer_printf(drawing->out, "%.1f,%.1f ", x, last);
			buffer_printf(drawing->out, "%.1f,%.1f ", x, y);
			last = y;
		}
	} else {
		for (int column = 0; column < drawing->area.rect.columns; column++) {
			size_t i = plot_drawn(series, &drawing->area, column, column + 1);
			if (i == SIZE_MAX)
				continue;
			last = y_of(drawing, series->points[i].y);
			buffer_printf(drawing->out, "%d,%.1f ", drawing->area.rect.column + column,
				      last);
		}
	}
	if (!isnan(last))
		buffer_printf(drawing->out, "%d,%.1f ",
			      drawing->area.rect.column + drawing->area.rect.columns, last);
}

static void draw_curve(const struct drawing *drawing, const struct plot_series *series)
{
	bool filled = series->style == PLOT_AREA;
	double base = drawing->area.rect.row + drawing->area.rect.rows;
	buffer_printf(drawing->out, "<%s points=\"", filled ? "polygon" : "polyline");
	if (filled)
		buffer_printf(drawing->out, "%.1f,%.1f ", x_of(drawing, series->points[0].x), base);
	add_vertices(drawing, series);
	if (filled)
		buffer_printf(drawing->out, "%d,%.1f",
			      drawing->area.rect.column + drawing->area.rect.columns, base);
	buffer_printf(drawing->out,
		      filled ? "\" fill=\"%s\" fill-opacity=\"0.6\"/>\n"
			     : "\" fill=\"none\" stroke=\"%s\"/>\n",
		      color_of(series->role));
}

static void draw_bar(const struct drawing *drawing, uint32_t index, size_t i)
{
	const struct plot_series *series = &drawing->plot->series[index];
	const struct plot_point *point = &series->points[i];
	double top = series->style == PLOT_STACK ? plot_stacked(drawing->plot, index, i) : point->y;
	double x = x_of(drawing, point->x), end = x_of(drawing, point->x + (double)point->width);
	double gap = end - x > 4 ? 1 : 0;
	if (!(point->y > 0))
		return;
	buffer_printf(drawing->out,
		      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		      "fill=\"%s\">",
		      x, y_of(drawing, top), end - x - gap,
		      y_of(drawing, top - point->y) - y_of(drawing, top), color_of(series->role));
	point_title(drawing, series, point);
	buffer_puts(drawing->out, "</rect>\n");
}

static void draw_bars(const struct drawing *drawing, uint32_t index)
{
	const struct plot_series *series = &drawing->plot->series[index];
	size_t last = SIZE_MAX;
	for (size_t i = 0; series->count <= MANY && i < series->count; i++)
		draw_bar(drawing, index, i);
	for (int column = 0; series->count > MANY && column < drawing->area.rect.columns;
	     column++) {
		size_t i = plot_drawn(series, &drawing->area, column, column + 1);
		if (i != SIZE_MAX && i != last)
			draw_bar(drawing, index, i);
		last = i;
	}
}

static void draw_points(const struct drawing *drawing, const struct plot_series *series)
{
	for_each (point, series->points, series->count) {
		buffer_printf(drawing->out,
			      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" "
			      "fill-opacity=\"0.7\">",
			      x_of(drawing, point->x), y_of(drawing, point->y),
			      2.5 + sqrt((double)point->weight), color_of(series->role));
		point_title(drawing, series, point);
		buffer_puts(drawing->out, "</circle>\n");
	}
}

static void draw_axes(const struct drawing *drawing, bool last)
{
	const struct plot_area *area = &drawing->area;
	const struct plot_rect *rect = &area->rect;
	struct plot_tick ticks[PLOT_TICKS_MAX];
	double bottom = rect->row + rect->rows, right = rect->column + rect->columns;
	size_t count = plot_ticks(&area->y, 8, ticks);
	for (size_t i = 0; i < count; i++) {
		double y = y_of(drawing, ticks[i].value);
		line(drawing->out, rect->column, y, right, y, "grid");
		label(drawing->out, rect->column - 6, y + 4, "end", "dim", ticks[i].label);
	}
	count = plot_ticks(&area->x, 10, ticks);
	for (size_t i = 0; i < count; i++) {
		double x = x_of(drawing, ticks[i].value);
		line(drawing->out, x, bottom, x, bottom + 4, "axis");
		if (last)
			label(drawing->out, x, bottom + 18, "middle", "dim", ticks[i].label);
	}
	line(drawing->out, rect->column, bottom, right, bottom, "axis");
	line(drawing->out, rect->column, rect->row, rect->column, bottom, "axis");
	if (last)
		label(drawing->out, right, bottom + 34, "end", "dim", drawing->plot->x.title);
}

static void draw_color_legend(const struct drawing *drawing)
{
	const struct plot *plot = drawing->plot;
	const struct plot_panel *panel = &plot->panels[drawing->area.panel];
	double x = LEFT, y = drawing->area.rect.row - 10;
	label(drawing->out, 10, y, "start", "dim", panel->name ? panel->name : panel->y.title);
	for (size_t i = 0; i < plot->series_count; i++) {
		const struct plot_series *series = &plot->series[i];
		if (series->panel != drawing->area.panel || !series->count)
			continue;
		x += panel->name || i ? 0 : LETTER * (double)strlen(panel->y.title);
		buffer_printf(drawing->out,
			      "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" "
			      "fill=\"%s\"/>\n",
			      x, y - 9, color_of(series->role));
		label(drawing->out, x + 14, y, "start", "text", series->name);
		x += 30 + LETTER * (double)strlen(series->name);
	}
}

static void draw_guides(const struct drawing *drawing)
{
	const struct plot *plot = drawing->plot;
	int upright = 0;
	for_each (guide, plot->guides, plot->guide_count) {
		if (guide->panel != drawing->area.panel)
			continue;
		double x0 = x_of(drawing, guide->x0), x1 = x_of(drawing, guide->x1);
		if (guide->x0 == guide->x1) {
			line(drawing->out, x0, drawing->area.rect.row, x0,
			     drawing->area.rect.row + drawing->area.rect.rows, "guide");
			label(drawing->out, x0 + 4, drawing->area.rect.row + 12 + 14 * upright++,
			      "start", "dim", guide->label);
			continue;
		}
		double y0 = y_of(drawing, guide->y0), y1 = y_of(drawing, guide->y1);
		line(drawing->out, x0, y0, x1, y1, "guide");
		label(drawing->out, y0 == y1 ? x1 - 4 : (x0 + x1) / 2,
		      y0 == y1 ? y1 - 4 : (y0 + y1) / 2 - 6, "end", "dim", guide->label);
	}
}

/* A cell of the area, which has a row and a column for some pixels. */
static void draw_cell(const struct drawing *drawing, const struct plot_area *cells, int row,
		      int column)
{
	const struct plot *plot = drawing->plot;
	const struct plot_rect *rect = &drawing->area.rect;
	struct plot_cells at = plot_cells_at(plot, cells, row, column);
	double share, width = (double)rect->columns / cells->rect.columns;
	double height = (double)rect->rows / cells->rect.rows;
	int state = plot_cells_state(plot, &at, &share);
	if (state < 0)
		return;
	buffer_printf(drawing->out,
		      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		      "fill=\"%s\" fill-opacity=\"%.2f\"><title>%s %.1f %%</title></rect>\n",
		      rect->column + column * width, rect->row + row * height, width, height,
		      color_of(plot->series[state].role), share / 100, plot->series[state].name,
		      share);
}

static void draw_cells(const struct drawing *drawing)
{
	enum { CELL = 4 }; /* pixels at least */
	struct plot_area cells = drawing->area;
	int rows = (int)drawing->plot->bands, columns = cells.rect.columns / CELL;
	int buckets = (int)(drawing->plot->series[0].count / drawing->plot->bands);
	cells.rect.rows = rows < cells.rect.rows / CELL ? rows : cells.rect.rows / CELL;
	cells.rect.columns = buckets < columns ? buckets : columns;
	for (int row = 0; row < cells.rect.rows; row++)
		for (int column = 0; column < cells.rect.columns; column++)
			draw_cell(drawing, &cells, row, column);
}

static void draw_panel(const struct drawing *drawing, bool last)
{
	const struct plot *plot = drawing->plot;
	draw_axes(drawing, last);
	draw_guides(drawing);
	if (plot->bands)
		draw_cells(drawing);
	for (uint32_t i = 0; i < plot->series_count && !plot->bands; i++) {
		const struct plot_series *series = &plot->series[i];
		if (series->panel != drawing->area.panel || !series->count)
			continue;
		if (series->style == PLOT_AREA || series->style == PLOT_LINE)
			draw_curve(drawing, series);
		else if (series->style == PLOT_POINTS)
			draw_points(drawing, series);
		else
			draw_bars(drawing, i);
	}
	draw_color_legend(drawing);
}

static void draw_chart(const struct plot *plot, struct buffer *out)
{
	int panels = plot_is_empty(plot) ? 0 : (int)plot->panel_count;
	int height = panels > 1 ? PANEL / 2 : PANEL + PANEL / 3;
	double end = TOP + panels * (height + LEGEND) + BOTTOM;
	begin_svg(out, plot, end + facts_height(plot));
	for (int i = 0; i < panels; i++) {
		struct drawing drawing = { plot,
					   out,
					   {
						   .panel = (uint32_t)i,
						   .x = plot->x,
						   .y = plot->panels[i].y,
						   .rect = { TOP + i * (height + LEGEND), LEFT,
							     height, WIDTH - LEFT - RIGHT },
					   } };
		draw_panel(&drawing, i + 1 == panels);
	}
	add_fact_lines(out, plot, end + 4);
}

/* ---- flame graphs ---- */

static void draw_frame(const struct flame *flame, struct buffer *out, uint32_t index)
{
	const struct flame_node *node = &flame->nodes[index], *root = &flame->nodes[0];
	const char *name = flame_name(flame, index);
	double scale = (double)(WIDTH - 20) / (double)root->value;
	double x = 10 + (double)node->start * scale, width = (double)node->value * scale;
	double y = TOP + (double)node->depth * FRAME;
	AUTO_BUFFER struct buffer text = { 0 }, safe = { 0 };
	plot_number(&text, flame->unit, (double)node->value);
	buffer_printf(out, "<g><title>");
	text_escape_markup(out, name, strlen(name));
	buffer_printf(out, "  %s, %.2f%%</title>", text.data,
		      100 * (double)node->value / (double)root->value);
	buffer_printf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>",
		      x, y, width, FRAME - 1, color_of((enum role)node->role));
	if (width > 3 * LETTER) {
		buffer_clear(&text);
		text_escape(&safe, name, strlen(name));
		text_elide(&text, BUFFERED(&safe), (size_t)(width / LETTER), true);
		label(out, x + 3, y + FRAME - 5, "start", "frame", buffer_text(&text));
	}
	buffer_puts(out, "</g>\n");
}

static void draw_flame(const struct plot *plot, struct buffer *out)
{
	const struct flame *flame = plot->flame;
	double end = TOP + (double)(flame->deepest + 1) * FRAME + LINE;
	double least = (double)flame->nodes[0].value * FRAME_MIN / WIDTH;
	begin_svg(out, plot, end + facts_height(plot));
	for (uint32_t i = 0; i < flame->count && flame->nodes[0].value > 0;) {
		if ((double)flame->nodes[i].value < least) {
			i += flame->nodes[i].size;
			continue;
		}
		draw_frame(flame, out, i++);
	}
	add_fact_lines(out, plot, end);
}

void plot_svg(const struct plot *plot, struct buffer *out)
{
	if (plot->flame)
		draw_flame(plot, out);
	else
		draw_chart(plot, out);
	buffer_puts(out, "</svg>\n");
}
