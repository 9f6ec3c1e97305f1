/*
 * The marks of a plot: each style of series, and the guides, drawn into the area of a panel.
 */
#ifndef STRATA_PICTURE_PLOT_PLOT_MARKS_H
#define STRATA_PICTURE_PLOT_PLOT_MARKS_H

#include "picture/plot/plot_draw.h"

struct plot_canvas {
	const struct plot *plot;
	const struct plot_look *look;
	struct grid *grid;
	struct plot_area area;
};

void plot_draw_guides(const struct plot_canvas *canvas);
/* Their names, where nothing else is drawn. */
void plot_label_guides(const struct plot_canvas *canvas);
/* Every series of the area's panel. */
void plot_draw_series(const struct plot_canvas *canvas);

/* The cell of the grid a point stands at; false when it is out of sight. */
bool plot_point_cell(const struct plot_canvas *canvas, uint32_t series, size_t point, int *row,
		     int *column);

/*
 * The point that is drawn in the columns from FROM to TO of the area (they need not be whole): the
 * highest there, else the one whose value or bar reaches into them.  SIZE_MAX: none.
 */
size_t plot_drawn(const struct plot_series *series, const struct plot_area *area, double from,
		  double to);

/* The height of a stack up to and with SERIES at its point. */
double plot_stacked(const struct plot *plot, uint32_t series, size_t point);

/* The glyph of a series for points of this weight. */
const char *plot_glyph(const struct plot_series *series, enum plot_marks marks, float weight);

#endif
