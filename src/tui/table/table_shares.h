/*
 * A stacked column beside a wide table: what share of the sorted column its largest rows have, and
 * all others together.
 */
#ifndef STRATA_TUI_TABLE_TABLE_SHARES_H
#define STRATA_TUI_TABLE_TABLE_SHARES_H

#include "tui/table/table_pane.h"

/* Is the table sorted by a column whose values add up, largest first? Of some views only. */
bool shares_shown(const struct table_pane *self);

/* "Share of GPU Self" */
void shares_title(const struct table_pane *self, struct buffer *out);

/* In all of AT, whatever rows are scrolled out. */
void shares_draw(const struct table_pane *self, struct tui *tui, struct rect at);

#endif
