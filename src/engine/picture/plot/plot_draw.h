/*
 * A plot drawn into cells: the same picture for a pane and for a report as text.
 */
#ifndef STRATA_PICTURE_PLOT_PLOT_DRAW_H
#define STRATA_PICTURE_PLOT_PLOT_DRAW_H

#include "picture/grid.h"
#include "picture/plot/plot.h"

enum plot_marks { PLOT_ASCII, PLOT_BLOCKS, PLOT_BRAILLE };

/* What of a plot is looked at, and how. */
struct plot_look {
	enum plot_marks marks;
	double low, high; /* the stretch of the x axis; low == high: all of it */
	bool has_cursor;
	uint32_t series; /* under the cursor */
	size_t point;
	bool has_range;  /* a stretch of the x axis was begun */
	double from, to; /* in any order */
};

struct plot_rect {
	int row, column, rows, columns;
};

/* Where the drawing area of a panel is. */
struct plot_area {
	uint32_t panel;
	struct plot_rect rect; /* rows 0: no room for it */
	struct plot_axis x, y; /* as looked at */
};

/*
 * The area of the panel that SERIES is in, when the plot is drawn into RECT.  Panels that find no
 * room are left out, never that one.
 */
struct plot_area plot_area(const struct plot *plot, const struct plot_look *look,
			   struct plot_rect rect);

/* The screen column of a value of the x axis, counted from the area's first; -1: not in sight. */
int plot_column(const struct plot_area *area, double x);
/* The first value of the x axis that is in a column. */
double plot_column_start(const struct plot_area *area, int column);

/*
 * Draw PLOT (no flame graph) into the cells of RECT: a legend over each panel, its axis at the
 * left, one x axis below all.  Costs O(cells log points), of PLOT_POINTS and stacks O(points in
 * sight).
 */
void plot_draw(const struct plot *plot, const struct plot_look *look, struct grid *grid,
	       struct plot_rect rect);

/*
 * The point of SERIES to go to from POINT: the next one to the right (DIRECTION 1) or left (-1)
 * that is drawn in another column of AREA, the highest of that column.  POINT when there is none.
 */
size_t plot_neighbour(const struct plot_series *series, const struct plot_area *area, size_t point,
		      int direction);

#endif
