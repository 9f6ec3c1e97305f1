/*
 * A chart beside a table where the width allows: a bar a row, of the parts of its time, or of the
 * sum of the differences up to it.
 */
#pragma once

#include "tui/table/table_plan.h"

/* Columns to leave at the right of COLUMNS for the chart; 0: the table has none. */
int chart_reserved(const struct table_pane *self, int columns);

/* Is the length of a chart's bar the row's time, so that another bar would repeat it? */
bool chart_has_bar(const struct table_pane *self);

/*
 * Fill the scale of the chart of VIEW, sorted by SORT, and the sums of differences, into ORDER,
 * whose column sums are known. False when cancelled.
 */
bool chart_measure(struct table_order *order, const struct table *table, const struct view *view,
		   const char *sort, const struct progress *progress);

/* Title in the header; the bar of the row at POSITION; the legend in the rows of REST. */
void chart_draw_title(const struct table_pane *self, struct tui *tui, struct rect at);
void chart_draw_row(const struct table_pane *self, struct tui *tui, struct rect at, size_t position,
		    int base);
void chart_draw_legend(const struct table_pane *self, struct tui *tui, struct rect rest);

/*
 * ---- table_shares.c: a stacked column, what share of the sorted column its largest rows have, and
 * all others together ----
 */
enum { SHARES_MAX = 100 }; /* rows that a chart can be asked for */
/* Is the table sorted by an amount, largest first? Of some views only, and unless it is off. */
bool shares_shown(const struct table_pane *self);
/* "Share of GPU Self" */
void shares_title(const struct table_pane *self, struct buffer *out);
/* In all of AT, whatever rows are scrolled out. */
void shares_draw(const struct table_pane *self, struct tui *tui, struct rect at);
