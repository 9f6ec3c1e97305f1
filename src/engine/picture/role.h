/*
 * Roles: the meaning of a cell. Drawing code names roles; themes define their colors, and the
 * attributes below apply without color.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	STYLE_BOLD = 1,
	STYLE_DIM = 2,
	STYLE_ITALIC = 4,
	STYLE_UNDERLINE = 8,
	STYLE_REVERSE = 16,
};

enum role {
#include "role_ids.h" /* one for each row of roles.txt */
	ROLE_COUNT
};

enum { ROLE_VALUES = ROLE_COUNT - ROLE_VALUE_1 }; /* of values, from bad to good */

/* A row of roles.txt; attributes as role_attributes takes them, other texts are NULL for none. */
struct role_info {
	const char *name, *mono;
	const char *start;              /* parameters of SGR, "1;33" */
	const char *color, *background; /* "2e7d32"; NULL: that of the page */
	const char *attributes;
	const char *shape; /* color of plots as pictures, "#4c9f50"; NULL: none of its own */
};

const struct role_info *role_info(enum role role);

/* Add the STYLE_… of WORDS, "bold reverse" or "-" (NULL: none). False for any other word. */
bool role_attributes(const char *words, unsigned *attributes);

/* Role for a text in the columns "kind", "pass" and "verdict", or ROLE_TEXT. */
enum role role_of_text(const char *text, size_t length);

/*
 * Append what starts text of a role on a terminal, in the colors that it has of its own. False if
 * that is nothing. ROLE_END ends it.
 */
struct buffer;
bool role_start(enum role role, struct buffer *out);
#define ROLE_END "\033[0m"
