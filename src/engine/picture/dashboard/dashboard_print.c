/*
 * The dashboard as a report: text or SVG.
 */
#include "picture/dashboard/dashboard.h"
#include "picture/grid_svg.h"
#include "picture/picture.h"

enum { WIDTH_MIN = 40, WIDTH_MAX = 400 };

static bool print(const struct picture_query *query, struct buffer *out)
{
	struct dashboard *dashboard =
		dashboard_build(query->run, query->scope, query->progress, query->error);
	AUTO(grid_free) struct grid grid = { .ascii = query->ascii, .color = query->color };
	int width = query->width < WIDTH_MIN   ? WIDTH_MIN
		    : query->width > WIDTH_MAX ? WIDTH_MAX
					       : query->width;
	if (!dashboard)
		return false;
	grid_resize(&grid, dashboard_rows(dashboard, &grid, width), width);
	dashboard_draw(dashboard, &grid, (struct dashboard_rect){ 0, 0, grid.rows, grid.columns },
		       NULL);
	struct grid_inks inks = grid_inks_of_report();
	if (query->svg)
		grid_svg(&grid, &inks, out);
	else
		grid_dump(&grid, out);
	dashboard_free(dashboard);
	return true;
}

const struct picture picture_dashboard = {
	.name = "dashboard",
	.title = "Overview",
	.summary = "Findings, step time by cause, curves, and the largest rows of several views on "
		   "one screen.",
	.key = '1',
	.has_svg = true,
	.print = print,
};
