/*
 * Terminfo entries compiled in, for machines without a terminfo database.
 */
#ifndef STRATA_TUI_TERM_FALLBACK_TERMINALS_H
#define STRATA_TUI_TERM_FALLBACK_TERMINALS_H

#include <stdbool.h>

/*
 * Make the entry of the terminal NAME known to curses (by TERMINFO, which takes entries in
 * base64). False if there is none.
 */
bool fallback_terminal(const char *name);

#endif
