/*
 * Themes: colors and attributes of roles, from files (format: themes/default.theme).
 */
#pragma once

#include "picture/role.h"

struct error;

enum { COLOR_RGB = 1 << 24 }; /* flag of a color that is 0xRRGGBB itself */

struct look {
	int foreground, background; /* 0-255, COLOR_RGB + 0xRRGGBB; -1: terminal default */
	unsigned attributes;        /* STYLE_* */
};

enum background { BACKGROUND_UNKNOWN, BACKGROUND_DARK, BACKGROUND_LIGHT };

struct theme {
	char name[64];
	enum background background; /* that it is for alone; unknown: for both */
	struct look look[ROLE_COUNT];
};

/* The built-in theme without color. */
void theme_mono(struct theme *theme);

/*
 * Load theme NAME (a file if it contains '/') for a terminal with COLORS colors; below 8 the result
 * is theme_mono. Colors have COLOR_RGB where COLORTERM says that all can be shown. False with ERROR
 * (file and line) if it is missing, invalid or incomplete; THEME is unchanged then.
 */
bool theme_load(struct theme *theme, const char *name, int colors, struct error *error);

/* From the color that a terminal answers, "rgb:ffff/ffff/dddd", or from COLORFGBG, "15;0". */
enum background background_of_color(const char *text);
enum background background_of_numbers(const char *text);

/*
 * Load the default theme: in 256 colors the one for this background (unknown: dark), otherwise the
 * eight basic colors; a theme named "default" of the user replaces both.
 */
bool theme_load_default(struct theme *theme, enum background background, int colors,
			struct error *error);

/* 0xRRGGBB of an xterm color from 16 on or one with COLOR_RGB; the closest color of xterm's cube.
 */
int theme_color_rgb(int color);
int theme_cube_color(int rgb);

/* Names of all themes found, sorted, blank-separated. */
void theme_names(struct buffer *out);
