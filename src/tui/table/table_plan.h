/*
 * Where the columns of a table go on a screen of some width: which fit, how wide each is.
 */
#ifndef STRATA_TUI_TABLE_TABLE_PLAN_H
#define STRATA_TUI_TABLE_TABLE_PLAN_H

#include "tui/table/table_pane.h"

enum {
	PLAN_MAX = VIEW_COLUMNS_MAX + 1,
	PLAN_GUTTER = 1, /* the sign of the selected and the marked row */
	PLAN_BAR_WIDTH = 10,
	PLAN_TEXT_MIN = 8,
};

/* One column as it is put on this screen. */
struct placed {
	int index; /* into the table's columns */
	int at, width;
	bool bar; /* followed by one */
};

struct plan {
	struct placed column[PLAN_MAX];
	int count;
	int fixed; /* so many at the left always stay: the first, the pinned ones */
	bool more; /* columns were left out at the right */
};

/* Place the columns for BODY; the pane's scroll is brought into bounds. */
void table_plan(struct table_pane *self, struct plan *plan, struct rect body);
bool plan_has(const struct plan *plan, int index); /* column INDEX of the table */

#endif
