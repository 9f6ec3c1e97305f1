/*
 * Heat maps: the cursor is on a cell, whose shares are read.
 */
#include "picture/plot/plot_cells.h"
#include "tui/plot/plot_pane.h"

#include <math.h>

static size_t bucket_of(const struct plot_pane *self)
{
	return self->look.point / self->plot->bands;
}

static size_t band_of(const struct plot_pane *self)
{
	return self->look.point % self->plot->bands;
}

/* AT moved by STEPS of at least one cell of the screen, within COUNT. */
static size_t moved(size_t at, int steps, size_t count, size_t shown, int room)
{
	size_t cell = room > 0 ? (shown + (size_t)room - 1) / (size_t)room : 1;
	int64_t to = (int64_t)at + steps * (int64_t)(cell ? cell : 1);
	return to < 0 ? 0 : to >= (int64_t)count ? count - 1 : (size_t)to;
}

bool heat_move(struct plot_pane *self, enum action action)
{
	enum { PAGE = 10 };
	const struct plot *plot = self->plot;
	struct plot_area area = plot_area(plot, &self->look, self->rect);
	size_t bands = plot->bands, buckets = plot->series[0].count / bands;
	struct plot_cells first = plot_cells_at(plot, &area, 0, 0);
	struct plot_cells last = plot_cells_at(plot, &area, 0, area.rect.columns - 1);
	size_t shown = last.bucket_to > first.bucket_from ? last.bucket_to - first.bucket_from : 1;
	size_t bucket = bucket_of(self), band = band_of(self);
	int right = (action == ACTION_CURSOR_RIGHT) - (action == ACTION_CURSOR_LEFT);
	int up = (action == ACTION_MOVE_UP) - (action == ACTION_MOVE_DOWN) +
		 PAGE * ((action == ACTION_PAGE_UP) - (action == ACTION_PAGE_DOWN));
	if (action == ACTION_FIRST)
		bucket = 0;
	else if (action == ACTION_LAST)
		bucket = buckets - 1;
	else if (right)
		bucket = moved(bucket, right, buckets, shown, area.rect.columns);
	else if (up)
		band = moved(band, up, bands, bands, area.rect.rows);
	else
		return false;
	self->look.point = bucket * bands + band;
	return true;
}

void heat_click(struct plot_pane *self, const struct plot_area *area, int row, int column)
{
	struct plot_cells cells = plot_cells_at(self->plot, area, row, column);
	if (cells.bucket_from < cells.bucket_to && cells.band_from < cells.band_to)
		self->look.point = cells.bucket_from * self->plot->bands + cells.band_from;
}

/* The longest wait, or else the cell at the start. */
size_t heat_start(const struct plot *plot)
{
	const struct plot_series *series = &plot->series[plot->series_count / 2];
	size_t best = 0;
	for (size_t i = 1; i < series->count; i++)
		if (isnan(series->points[best].weight) ||
		    series->points[i].weight > series->points[best].weight)
			best = i;
	return best;
}

void heat_detail(const struct plot_pane *self, struct buffer *out)
{
	const struct plot *plot = self->plot;
	const struct plot_point *point = &plot->series[0].points[self->look.point];
	size_t bucket = bucket_of(self), band = band_of(self);
	struct plot_cells cell = { bucket, bucket + 1, band, band + 1 };
	if (point->row != NO_ROW)
		plot_entry(out, "Rank", UNIT_ID,
			   plot_cell(plot, point->row, table_column(plot->table, "rank")));
	if (plot->x.unit == UNIT_ID)
		plot_entry(out, plot->x.title, UNIT_ID, point->x);
	else
		plot_range_entry(out, plot->x.title, plot->x.unit, point->x,
				 point->x + (double)point->width);
	for (size_t i = 0; i < plot->series_count; i++) {
		double share = plot_cells_share(plot, &cell, i);
		if (!isnan(share))
			plot_entry(out, plot->series[i].name, UNIT_PERCENT, share);
	}
}
