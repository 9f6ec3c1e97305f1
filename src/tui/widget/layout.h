/*
 * Screen layout as a pure function of its size.
 */
#pragma once

#include <stdbool.h>

struct rect {
	int row, column, rows, columns; /* rows 0: not shown */
};

struct layout {
	bool too_small; /* only a message fits */
	struct rect title, tabs, breadcrumb;
	struct rect body;   /* column headings and rows */
	struct rect beside; /* unfocused pane of a split */
	struct rect rule;   /* above the detail strip */
	struct rect detail;
	struct rect footer;
};

enum { LAYOUT_MIN_COLUMNS = 20, LAYOUT_MIN_ROWS = 3 };

/*
 * Lay out a screen. DETAIL: show the detail strip, whose height depends on the rows only. As the
 * screen shrinks, the rule is dropped first, then title, detail strip, tabs and breadcrumb; footer
 * and one body row always stay.
 */
void layout_compute(struct layout *layout, int rows, int columns, bool detail);

/* Take up to ROWS from the bottom of the body, of which two rows stay. */
struct rect layout_take_panel(struct layout *layout, int rows);
