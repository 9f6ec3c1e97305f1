/*
 * Column layout of a table: which columns fit and how wide they are.
 */
#pragma once

#include "tui/table/table_pane.h"

enum {
	PLAN_MAX = VIEW_COLUMNS_MAX + 1,
	PLAN_GUTTER = 1, /* for the signs of selected and marked rows */
	PLAN_BAR_WIDTH = 8,
	PLAN_TEXT_MIN = 8,
};

/* A column on the screen. */
struct placed {
	int index; /* index in the table */
	int at, width;
	bool bar; /* followed by a bar */
};

struct plan {
	struct placed column[PLAN_MAX];
	int count;
	int fixed; /* number of columns fixed at the left: the first, a name, pinned ones */
	bool more; /* columns were omitted at the right */
	int chart; /* columns at the right for the chart; 0: none */
};

/* Lay out the columns for BODY; clamps the pane's scroll. */
void table_plan(struct table_pane *self, struct plan *plan, struct rect body);
/* Columns that the contents of a column of the table need, by a sample; 0: it is not shown. */
int table_wanted_width(const struct table_pane *self, int index);
bool plan_has(const struct plan *plan, int index); /* INDEX is that in the table */

/* ---- table_distinct.c ---- */
/* Find which names of the visible ROWS read alike in the plan. */
void distinct_find(struct table_pane *self, const struct tui *tui, const struct plan *plan,
		   int rows);
/* Elide the name TEXT of a visible row so that it tells the row from one that reads alike. */
void distinct_name(const struct table_pane *self, const struct tui *tui, int row, int width,
		   struct buffer *text);
