/*
 * Whether there is a terminal to draw on.
 */
#ifndef STRATA_TUI_CURSES_PROBE_H
#define STRATA_TUI_CURSES_PROBE_H

#include <stdbool.h>

struct error;

/*
 * False with ERROR, one sentence, when TERM names no terminal that a screen can be drawn on.  What
 * must be sent to put the terminal back is prepared for emergency_restore.
 */
bool curses_probe(struct error *error);

#endif
