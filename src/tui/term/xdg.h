/*
 * Where the user's files are, by the rules of the XDG base directories: a variable that is unset,
 * empty or no absolute path is as if it were its default, below HOME.
 */
#ifndef STRATA_TUI_TERM_XDG_H
#define STRATA_TUI_TERM_XDG_H

#include <stdbool.h>

enum { XDG_PATH_MAX = 4096 };

/* The path of NAME among strata's own files; false when neither the variable nor HOME tells. */
bool xdg_config(char out[XDG_PATH_MAX], const char *name); /* $XDG_CONFIG_HOME/strata/NAME */
bool xdg_state(char out[XDG_PATH_MAX], const char *name);  /* $XDG_STATE_HOME/strata/NAME */
bool xdg_cache(char out[XDG_PATH_MAX]);                    /* $XDG_CACHE_HOME/strata */

#endif
