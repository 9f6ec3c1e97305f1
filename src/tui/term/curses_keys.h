/*
 * Translates curses keys.
 */
#pragma once

#include "tui/term/terminal.h"

/* Define the sequences sent by terminals regardless of their terminfo entry. */
void curses_define_keys(void);

/* Next key, or TUI_KEY_NONE (requires nodelay). */
tui_key curses_key(void);

/* Details of the last TUI_KEY_MOUSE, without double clicks; true. */
bool curses_mouse_event(struct terminal *term, struct mouse_event *event);

/* Ask the terminal for its background color. It answers later, if at all: TUI_KEY_BACKGROUND. */
void curses_ask_background(struct terminal *term);
enum background curses_background(const struct terminal *term); /* as answered */
/* Is an answer still to come, soon after the question? */
bool curses_awaits_answer(void);
