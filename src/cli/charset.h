/*
 * The characters of the terminal, by the locale.
 */
#pragma once

#include <stdbool.h>

/*
 * Take the environment's locale for characters, at the start of the program. ssh forwards LANG to
 * hosts that lack its locale: UTF-8 is then taken by the variable's text.
 */
void charset_start(void);

/* Take UTF-8 whatever the environment says. False if the system has no such locale. */
bool charset_utf8(void);
