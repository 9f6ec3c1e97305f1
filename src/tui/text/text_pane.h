/*
 * The text pane: help, full details of a row.
 */
#ifndef STRATA_TUI_TEXT_TEXT_PANE_H
#define STRATA_TUI_TEXT_TEXT_PANE_H

#include "tui/core/pane.h"

/* An empty text; NAME must be static. */
struct pane *text_pane_new(const char *name);

/* Add a heading, or an item with LABEL in its own column and wrapped TEXT. */
void text_pane_heading(struct pane *pane, const char *text);
void text_pane_item(struct pane *pane, const char *label, const char *text);

/* From the lines "label<TAB>text" of view_detail. */
struct pane *text_pane_detail(const char *lines);

#endif
