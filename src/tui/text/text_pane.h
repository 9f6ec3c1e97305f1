/*
 * The pane that shows text: help, the detail of a row in full.
 */
#ifndef STRATA_TUI_TEXT_TEXT_PANE_H
#define STRATA_TUI_TEXT_TEXT_PANE_H

#include "tui/core/pane.h"

/* An empty text; NAME is static. */
struct pane *text_pane_new(const char *name);

/* Add a heading, or an item: LABEL in a column of its own, TEXT beside it, wrapped. */
void text_pane_heading(struct pane *pane, const char *text);
void text_pane_item(struct pane *pane, const char *label, const char *text);

/* The lines "label<TAB>text" of view_detail. */
struct pane *text_pane_detail(const char *lines);

#endif
