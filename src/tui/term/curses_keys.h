/*
 * Translates curses keys.
 */
#pragma once

#include "tui/term/terminal.h"

#include <stdio.h>

/* Define the sequences sent by terminals regardless of their terminfo entry. */
void curses_define_keys(void);

/* Next key, or TUI_KEY_NONE (requires nodelay). */
tui_key curses_key(void);

/* Details of the last TUI_KEY_MOUSE, without double clicks. */
struct mouse_event curses_mouse_reported(void);

/*
 * Ask the terminal for its background color. It answers later, if at all: TUI_KEY_BACKGROUND. OUT
 * is where it reads.
 */
void curses_ask_background(FILE *out);
enum background curses_background(void); /* as answered */
/* Is an answer still to come? */
bool curses_awaits_answer(void);
