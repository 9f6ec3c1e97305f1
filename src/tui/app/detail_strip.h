/*
 * The strip below the body: everything known of the selected row, label by label, in a flow of
 * lines.
 */
#ifndef STRATA_TUI_APP_DETAIL_STRIP_H
#define STRATA_TUI_APP_DETAIL_STRIP_H

#include "tui/widget/layout.h"

struct tui;

/*
 * Draw it into AT.  Texts take the lines they need where all entries find room; else the long ones
 * lose their middle, down to a line each.
 */
void detail_strip_draw(struct tui *tui, struct rect at);

#endif
