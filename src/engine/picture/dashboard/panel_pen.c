#include "picture/dashboard/panel_pen.h"

bool pen_has_cursor(const struct pen *pen)
{
	return pen->stops && pen->stops->panel == pen->index;
}

size_t pen_first_shown(const struct pen *pen, size_t rows)
{
	return pen_has_cursor(pen) && pen->stops->line >= rows ? pen->stops->line + 1 - rows : 0;
}

bool pen_has_rows_left(const struct pen *pen)
{
	return pen->row < pen->rect.row + pen->rect.rows;
}

void pen_stop_here(struct pen *pen, size_t line)
{
	struct dashboard_stops *stops = pen->stops;
	if (stops)
		*mem_push(stops->items, stops->count) =
			(struct dashboard_stop){ pen->index, line, pen->row, pen->rect.column,
						 pen->rect.columns };
}

int pen_put(struct pen *pen, int column, int columns, int role, const char *text)
{
	return columns > 0 ? grid_puts(pen->grid, pen->row, column, columns, role, text) : 0;
}

void pen_put_right(struct pen *pen, int column, int columns, int role, const char *text)
{
	if (columns > 0)
		grid_field(pen->grid, pen->row, column, columns, role, GRID_RIGHT, text,
			   strlen(text));
}

void pen_put_sentence(struct pen *pen, int column, int columns, int role, const char *text)
{
	grid_cut(pen->grid, pen->row, column, columns, role, text);
}
