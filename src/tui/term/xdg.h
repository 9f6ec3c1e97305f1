/*
 * Paths of the user's files by the XDG base directory rules: a variable that is unset, empty or
 * relative has its default below HOME.
 */
#pragma once

#include <stdbool.h>

enum { XDG_PATH_MAX = 4096 };

/* Path of NAME among strata's files; false if neither the variable nor HOME is set. */
bool xdg_config(char out[XDG_PATH_MAX], const char *name); /* $XDG_CONFIG_HOME/strata/NAME */
bool xdg_state(char out[XDG_PATH_MAX], const char *name);  /* $XDG_STATE_HOME/strata/NAME */
bool xdg_cache(char out[XDG_PATH_MAX]);                    /* $XDG_CACHE_HOME/strata */
