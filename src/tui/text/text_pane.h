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

/* TITLE is shown instead of the name; copied. */
void text_pane_title(struct pane *pane, const char *title);
/* Place the cursor on an entry, in the middle of the screen. */
void text_pane_select(struct pane *pane, size_t entry);
/* The entries are lines of the file PATH (copied), the first of which is FIRST. */
void text_pane_file(struct pane *pane, const char *path, int64_t first);

/* From the lines "label<TAB>text" of view_detail. */
struct pane *text_pane_detail(const char *lines);

#endif
