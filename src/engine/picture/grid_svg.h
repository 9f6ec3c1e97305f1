/*
 * A grid as SVG: the cells of a screen in color.
 */
#pragma once

#include "picture/grid.h"
#include "picture/role.h"

/* How the cells of a role look: colors as 0xRRGGBB, or INK_PAGE. */
enum { INK_PAGE = -1 };
struct ink {
	int color, background;
	unsigned attributes; /* STYLE_...; reverse swaps the colors */
};

struct grid_inks {
	int color, background; /* of the page */
	struct ink role[ROLE_COUNT];
};

/* For reports, which have no theme: dark on white. */
struct grid_inks grid_inks_of_report(void);

void grid_svg(const struct grid *grid, const struct grid_inks *inks, struct buffer *out);
