/*
 * Draws the label of a panel's line in the room that it has.
 */
#ifndef STRATA_PICTURE_DASHBOARD_PANEL_LABEL_H
#define STRATA_PICTURE_DASHBOARD_PANEL_LABEL_H

#include "picture/dashboard/dashboard.h"

/*
 * A label that does not fit keeps what is before a colon, such as the cause of a gap. Names that
 * lose their ends and would read alike keep where they begin to differ ("sgemm~1024, 5, 5~",
 * "sgemm~128, 6, 7~").
 */
void panel_label_draw(const struct panel *panel, size_t line, struct grid *grid, int row,
		      int column, int columns);

#endif
