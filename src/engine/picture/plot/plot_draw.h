/*
 * Draws plots into cells, for panes and text reports.
 */
#pragma once

#include "picture/grid.h"
#include "picture/plot/plot.h"

enum plot_marks { PLOT_ASCII, PLOT_BLOCKS, PLOT_BRAILLE };

/* Visible part of a plot, cursor and selection. */
struct plot_look {
	enum plot_marks marks;
	double low, high; /* visible range of the x axis; low == high: all */
	bool has_cursor;
	uint32_t series; /* cursor */
	size_t point;
	bool has_range;  /* a range of the x axis is selected */
	double from, to; /* in any order */
};

struct plot_rect {
	int row, column, rows, columns;
};

/* Drawing area of a panel. */
struct plot_area {
	uint32_t panel;
	struct plot_rect rect; /* rows 0: no room */
	struct plot_axis x, y; /* visible range */
};

/*
 * Area of the panel with SERIES when the plot is drawn into RECT. Panels that do not fit are
 * omitted, never this one.
 */
struct plot_area plot_area(const struct plot *plot, const struct plot_look *look,
			   struct plot_rect rect);

/* Column of an x value relative to the area; -1: not visible. */
int plot_column(const struct plot_area *area, double x);
/* Smallest x value in a column. */
double plot_column_start(const struct plot_area *area, int column);

/*
 * Draw PLOT (not a flame graph) into RECT: a legend above each panel, its axis at the left, one x
 * axis at the bottom. O(cells log points); for PLOT_POINTS and stacks O(visible points).
 */
void plot_draw(const struct plot *plot, const struct plot_look *look, struct grid *grid,
	       struct plot_rect rect);

/*
 * Cursor movement: the next point of SERIES to the right (DIRECTION 1) or left (-1) of POINT that
 * is drawn in another column of AREA, the highest of that column; POINT if there is none.
 */
size_t plot_neighbour(const struct plot_series *series, const struct plot_area *area, size_t point,
		      int direction);
