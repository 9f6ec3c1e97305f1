/*
 * Draws one panel of a dashboard.
 */
#pragma once

#include "picture/dashboard/dashboard.h"

/*
 * Rows: the fewest that are useful, as many as other panels come first for, all, and, on screens
 * where all panels have all, those that it grows to. The lower border of a frame, which is the
 * upper one of the panel below, is not among them.
 */
enum panel_growth { PANEL_LEAST, PANEL_ENOUGH, PANEL_MOST, PANEL_GROWN, PANEL_SIZES };
struct panel_size {
	int rows[PANEL_SIZES];
};
struct panel_size panel_size(const struct panel *panel, struct grid *grid, int columns,
			     bool framed);

/* Columns of a list whose names are whole, up to a length, beside bars; EVEN of other panels. */
int panel_wants(const struct panel *panel, struct grid *grid, int even);

/* Draw panel INDEX, FRAMED or not; adds its lines to STOPS unless NULL. */
void panel_draw(const struct dashboard *dashboard, size_t index, struct grid *grid,
		struct dashboard_rect rect, bool framed, struct dashboard_stops *stops);
