/*
 * Roles and how they look.  Whatever is drawn names a role; a theme says what a role looks like.
 * Themes are files (themes/default.theme documents the format).
 */
#ifndef STRATA_TUI_TERM_THEME_H
#define STRATA_TUI_TERM_THEME_H

#include "picture/role.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

struct look {
	int foreground, background; /* 0-255, -1: the terminal's own */
	unsigned attributes;        /* STYLE_* */
};

struct theme {
	char name[64];
	struct look look[ROLE_COUNT];
};

/* The look without any colour; it is compiled in, so there always is one. */
void theme_mono(struct theme *theme);

/*
 * Load the theme NAME (or the file, when NAME has a '/') for a terminal of COLORS colours.  With
 * fewer than 8 the result is theme_mono.  False with ERROR (file and line) when there is no such
 * theme, a line is wrong or a role is missing; THEME is unchanged then.
 */
bool theme_load(struct theme *theme, const char *name, int colors, struct error *error);

/* The names of all themes that can be found, sorted, blank separated. */
void theme_names(struct buffer *out);

/* The role of this text in the columns "kind", "pass" and "verdict", or ROLE_TEXT. */
enum role role_of_kind(const char *text, size_t length);

#endif
