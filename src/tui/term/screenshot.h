/*
 * Formats the screen in the theme's colors and attributes: as text (ANSI) or SVG.
 */
#ifndef STRATA_TUI_TERM_SCREENSHOT_H
#define STRATA_TUI_TERM_SCREENSHOT_H

struct buffer;
struct grid;
struct theme;

void screenshot_ansi(const struct grid *grid, const struct theme *theme, struct buffer *out);
void screenshot_svg(const struct grid *grid, const struct theme *theme, struct buffer *out);

#endif
