/*
 * Keys as curses gives them, translated.
 */
#ifndef STRATA_TUI_CURSES_KEYS_H
#define STRATA_TUI_CURSES_KEYS_H

#include "tui/key.h"

/* Teach curses the sequences that terminals send whatever their terminfo entry says. */
void curses_define_keys(void);

/* The next key; TUI_KEY_NONE when there is none (curses must not wait: nodelay). */
tui_key curses_key(void);

#endif
