/*
 * The text pane: help, full details of a row.
 */
#pragma once

#include "tui/core/pane.h"

/* An empty text; NAME must be static. */
struct pane *text_pane_new(const char *name);

/* Add a heading, or an item with LABEL in its own column and wrapped TEXT. */
void text_pane_heading(struct pane *pane, const char *text);
void text_pane_item(struct pane *pane, const char *label, const char *text);

/*
 * The entries are lines of the file PATH (NULL: none here), from FIRST on, with the cursor on line
 * WANTED; TITLE is shown instead of the name. Once for a pane.
 */
void text_pane_file(struct pane *pane, const char *title, const char *path, int64_t first,
		    int64_t wanted);

/* From LINES "label<TAB>text", as of view_detail; NAME must be static. */
struct pane *text_pane_lines(const char *name, const char *lines);

/*
 * Show PARTS, which it takes, in place of its own text: beside each other, each under its name. The
 * keys of the next view and the one before go from part to part, at first the last one.
 */
enum { TEXT_PARTS = 3 };
void text_pane_parts(struct pane *pane, struct pane *const parts[TEXT_PARTS]);
