/*
 * Formats the screen as text with the theme's colors and attributes (ANSI).
 */
#ifndef STRATA_TUI_TERM_SCREENSHOT_H
#define STRATA_TUI_TERM_SCREENSHOT_H

struct buffer;
struct grid;
struct theme;

void screenshot_ansi(const struct grid *grid, const struct theme *theme, struct buffer *out);

#endif
