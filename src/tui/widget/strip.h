/*
 * Draws text over several lines: a sentence, or labelled entries.
 */
#ifndef STRATA_TUI_WIDGET_STRIP_H
#define STRATA_TUI_WIDGET_STRIP_H

#include "tui/widget/layout.h"

#include <stddef.h>

/* From this width on entries keep their places from row to row. */
enum { STRIP_STEADY = 150 };

/* First character of a label that starts a group. */
#define STRIP_GROUP '\f'

struct buffer;
struct grid;
struct pane;

/* A sentence, wrapped to as many lines as needed and available. */
void strip_sentence(struct grid *grid, struct rect body, const char *line);

/*
 * The lines "label<TAB>text" of TEXT. If not everything fits, long texts are elided in the middle,
 * down to one line each.
 */
void strip_entries(struct grid *grid, struct rect at, const char *text);

/* Drop the lists of arguments in full if TEXT has them in short, as Data. */
void strip_drop_long_forms(struct buffer *text);
/* Drop the entries without a text. */
void strip_drop_absent(struct buffer *text);

/* Is a column of this title on the screen and not elided? */
typedef bool strip_shows(const struct pane *pane, const char *title, size_t length);

/*
 * Sort the entries of TEXT: identity, time, launch, data; drop what SHOWS is true of. In COLUMNS
 * enough, entries have the same places in all rows, those without a text are "n/a", and of two rows
 * with a blank line between them the first is shown; in fewer, entries without a text are dropped
 * and two rows are left alone.
 */
void strip_group(struct buffer *text, strip_shows *shows, const struct pane *pane, int columns);

#endif
