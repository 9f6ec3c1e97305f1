#include "picture/plot/plot_cells.h"

#include "picture/plot/plot_axis.h"

#include <math.h>

static size_t clamp(double at, size_t count)
{
	return at <= 0 ? 0 : at >= (double)count ? count : (size_t)at;
}

/* From FROM to TO of COUNT parts of an axis, each 0 to 1; at least the part in which FROM is. */
static void set_range(size_t *first, size_t *end, double from, double to, size_t count)
{
	enum { ROUNDING = 1 << 20 };
	*first = clamp(from * (double)count + 1.0 / ROUNDING, count);
	*end = clamp(ceil(to * (double)count - 1.0 / ROUNDING), count);
	if (*end <= *first && *first < count)
		*end = *first + 1;
}

struct plot_cells plot_cells_at(const struct plot *plot, const struct plot_area *area, int row,
				int column)
{
	struct plot_cells cells;
	double left = plot_value(&area->x, (double)column / area->rect.columns);
	double right = plot_value(&area->x, (double)(column + 1) / area->rect.columns);
	double rows = area->rect.rows, up = rows - 1 - row;
	set_range(&cells.bucket_from, &cells.bucket_to, plot_place(&plot->x, left),
		  plot_place(&plot->x, right), plot->series[0].count / plot->bands);
	set_range(&cells.band_from, &cells.band_to, up / rows, (up + 1) / rows, plot->bands);
	return cells;
}

double plot_cells_share(const struct plot *plot, const struct plot_cells *cells, size_t series)
{
	const struct plot_point *points = plot->series[series].points;
	double sum = 0;
	size_t count = 0;
	for (size_t bucket = cells->bucket_from; bucket < cells->bucket_to; bucket++)
		for (size_t band = cells->band_from; band < cells->band_to; band++) {
			double weight = (double)points[bucket * plot->bands + band].weight;
			sum += isnan(weight) ? 0 : weight;
			count += !isnan(weight);
		}
	return count ? sum / (double)count : NAN;
}

int plot_cells_state(const struct plot *plot, const struct plot_cells *cells, double *share)
{
	int state = -1;
	*share = -1;
	for (size_t i = 0; i < plot->series_count; i++) {
		double here = plot_cells_share(plot, cells, i);
		if (isnan(here) || here <= *share)
			continue;
		*share = here;
		state = (int)i;
	}
	return state;
}

void plot_draw_cells(const struct plot_canvas *canvas)
{
	enum { SOME = 5, LITTLE = 0, MUCH = 50 }; /* glyphs by weight: see plot_glyph */
	static const double mostly = 75, partly = 50;
	const struct plot_rect *rect = &canvas->area.rect;
	for (int row = 0; row < rect->rows; row++)
		for (int column = 0; column < rect->columns; column++) {
			double share;
			struct plot_cells cells =
				plot_cells_at(canvas->plot, &canvas->area, row, column);
			int state = plot_cells_state(canvas->plot, &cells, &share);
			if (state < 0)
				continue;
			const struct plot_series *series = &canvas->plot->series[state];
			float weight = share >= mostly ? MUCH : share >= partly ? SOME : LITTLE;
			grid_puts(canvas->grid, rect->row + row, rect->column + column, 1,
				  series->role, plot_glyph(series, canvas->look->marks, weight));
		}
}
