/*
 * Checks for a usable terminal.
 */
#pragma once

struct error;

/*
 * Terminfo name to open the terminal with: TERM, or a compatible one if TERM is unknown here. NULL
 * with ERROR if no screen can be drawn. Prepares emergency_restore.
 */
const char *curses_probe(struct error *error);

/*
 * On a direct-color terminal, which must be open: number of indexed colors; higher values are RGB.
 */
int curses_indexed_colors(void);

/* Of an open terminal: a change of attributes does not select the character set again. */
void curses_keep_character_set(void);
