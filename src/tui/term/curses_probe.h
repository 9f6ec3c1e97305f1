/*
 * Whether there is a terminal to draw on.
 */
#ifndef STRATA_TUI_TERM_CURSES_PROBE_H
#define STRATA_TUI_TERM_CURSES_PROBE_H

struct error;

/*
 * The name to open the terminal by: TERM, or a relative of it where TERM itself is not known here.
 * NULL with ERROR, one sentence, when a screen cannot be drawn on it.  What must be sent to put the
 * terminal back is prepared for emergency_restore.
 */
const char *curses_probe(struct error *error);

/*
 * On a terminal of direct colour, which must be open: so many colours from 0 on are numbered as
 * everywhere, those beyond are RGB values.
 */
int curses_indexed_colors(void);

#endif
