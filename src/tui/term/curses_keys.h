/*
 * Translates curses keys.
 */
#ifndef STRATA_TUI_TERM_CURSES_KEYS_H
#define STRATA_TUI_TERM_CURSES_KEYS_H

#include "tui/term/terminal.h"

/* Define the sequences sent by terminals regardless of their terminfo entry. */
void curses_define_keys(void);

/* Next key, or TUI_KEY_NONE (requires nodelay). */
tui_key curses_key(void);

/* Details of the last TUI_KEY_MOUSE, without double clicks. */
struct mouse_event curses_mouse_reported(void);

#endif
