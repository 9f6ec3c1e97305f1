/*
 * Text drawn over several lines of a rectangle: a sentence, a flow of labelled entries.
 */
#ifndef STRATA_TUI_WIDGET_STRIP_H
#define STRATA_TUI_WIDGET_STRIP_H

#include "tui/widget/layout.h"

struct grid;

/* A sentence over as many lines as it needs and BODY has. */
void strip_sentence(struct grid *grid, struct rect body, const char *line);

/*
 * The lines "label<TAB>text" of TEXT.  Texts take the lines they need where all entries find room;
 * else the long ones lose their middle, down to a line each.
 */
void strip_entries(struct grid *grid, struct rect at, const char *text);

#endif
