/*
 * Heat maps: series of cells, points of one grid with a share each.
 */
#pragma once

#include "picture/plot/plot_marks.h"

/* Cells from bucket and band FROM to TO, without TO. */
struct plot_cells {
	size_t bucket_from, bucket_to, band_from, band_to;
};

/* The cells in column COLUMN and row ROW of AREA; at least one, unless they are beyond the ends. */
struct plot_cells plot_cells_at(const struct plot *plot, const struct plot_area *area, int row,
				int column);

/* The series with the highest mean share of CELLS, and that in percent; -1: nothing recorded. */
int plot_cells_state(const struct plot *plot, const struct plot_cells *cells, double *share);

/* Mean share of SERIES in CELLS, percent; NaN: nothing recorded. */
double plot_cells_share(const struct plot *plot, const struct plot_cells *cells, size_t series);

void plot_draw_cells(const struct plot_canvas *canvas);
