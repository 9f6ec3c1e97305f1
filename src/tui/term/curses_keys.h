/*
 * Keys as curses gives them, translated.
 */
#ifndef STRATA_TUI_TERM_CURSES_KEYS_H
#define STRATA_TUI_TERM_CURSES_KEYS_H

#include "tui/term/terminal.h"

/* Teach curses the sequences that terminals send whatever their terminfo entry says. */
void curses_define_keys(void);

/* The next key; TUI_KEY_NONE when there is none (curses must not wait: nodelay). */
tui_key curses_key(void);

/* What the last TUI_KEY_MOUSE told of; without double clicks. */
struct mouse_event curses_mouse_reported(void);

#endif
