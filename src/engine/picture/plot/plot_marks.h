/*
 * Draws the series and guides of a plot into a panel's area.
 */
#pragma once

#include "picture/plot/plot_draw.h"

struct plot_canvas {
	const struct plot *plot;
	const struct plot_look *look;
	struct grid *grid;
	struct plot_area area;
};

void plot_draw_guides(const struct plot_canvas *canvas);
/* Labels of guides, where cells are free. */
void plot_label_guides(const struct plot_canvas *canvas);
/* All series of the area's panel. */
void plot_draw_series(const struct plot_canvas *canvas);

/* Grid cell of a point; false if not visible. */
bool plot_point_cell(const struct plot_canvas *canvas, uint32_t series, size_t point, int *row,
		     int *column);

/*
 * Point shown in columns FROM to TO of the area (possibly fractional): the highest one, otherwise
 * the one whose value or bar extends into them. SIZE_MAX: none.
 */
size_t plot_drawn(const struct plot_series *series, const struct plot_area *area, double from,
		  double to);

/* Height of a stack at POINT up to and including SERIES. */
double plot_stacked(const struct plot *plot, uint32_t series, size_t point);

/* Glyph of a series for points of this weight. */
const char *plot_glyph(const struct plot_series *series, enum plot_marks marks, float weight);
