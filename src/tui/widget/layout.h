/*
 * Where things go on a screen of a given size: a pure function.
 */
#ifndef STRATA_TUI_WIDGET_LAYOUT_H
#define STRATA_TUI_WIDGET_LAYOUT_H

#include <stdbool.h>

struct rect {
	int row, column, rows, columns; /* rows 0: not shown */
};

struct layout {
	bool too_small; /* nothing but one line saying so */
	struct rect title, tabs, breadcrumb;
	struct rect rule[3]; /* above the body, above the detail strip, above the footer */
	struct rect body;    /* the column heads and the rows */
	struct rect beside;  /* of the pane without the keys, where two are shown */
	struct rect detail;
	struct rect footer;
};

enum { LAYOUT_MIN_COLUMNS = 20, LAYOUT_MIN_ROWS = 3 };

/*
 * Lay out a screen.  DETAIL: the detail strip is wanted.  LINES: what the body can fill, 0 any
 * number; of the rows it leaves free the strip takes some, up to half of the screen and a dozen. As
 * the screen gets smaller, the rules go first, then the title, the detail strip, the tabs, the
 * breadcrumb; the footer and a row of the body stay down to the smallest size.
 */
void layout_compute(struct layout *layout, int rows, int columns, bool detail, int lines);

#endif
