/*
 * Draws text over several lines: a sentence, or labelled entries.
 */
#ifndef STRATA_TUI_WIDGET_STRIP_H
#define STRATA_TUI_WIDGET_STRIP_H

#include "tui/widget/layout.h"

#include <stddef.h>

/* First character of a label that starts a group. */
#define STRIP_GROUP '\f'

struct buffer;
struct grid;
struct pane;

/*
 * Bytes of TEXT that fit COLUMNS, all of it or up to a blank in the second half, if there is one; 0
 * if not even one character fits.
 */
size_t strip_break(struct grid *grid, const char *text, size_t length, int columns);

/* A sentence, wrapped to as many lines as needed and available. */
void strip_sentence(struct grid *grid, struct rect body, const char *line);

/*
 * The lines "label<TAB>text" of TEXT. If not everything fits, long texts are elided in the middle,
 * down to one line each.
 */
void strip_entries(struct grid *grid, struct rect at, const char *text);

/* Drop the lists of arguments in full if TEXT has them in short, as Data. */
void strip_drop_long_forms(struct buffer *text);

/* Is a column of this title on the screen and not elided? */
typedef bool strip_shows(const struct pane *pane, const char *title, size_t length);

/*
 * Sort the entries of TEXT: identity, time, launch, data; drop what SHOWS is true of. A text with a
 * blank line is left alone.
 */
void strip_group(struct buffer *text, strip_shows *shows, const struct pane *pane);

#endif
