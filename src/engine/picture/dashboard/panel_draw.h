/*
 * Draws one panel of a dashboard.
 */
#pragma once

#include "picture/dashboard/dashboard.h"

/*
 * Rows: the fewest that are useful, as many as other panels come first for, and all. The lower
 * border of a frame, which is the upper one of the panel below, is not among them.
 */
struct panel_size {
	int least, enough, most;
	int grown; /* on screens where all panels have all; 0: it does not grow */
};
struct panel_size panel_size(const struct panel *panel, struct grid *grid, int columns,
			     bool framed);

/* Draw panel INDEX, FRAMED or not; adds its lines to STOPS unless NULL. */
void panel_draw(const struct dashboard *dashboard, size_t index, struct grid *grid,
		struct dashboard_rect rect, bool framed, struct dashboard_stops *stops);
