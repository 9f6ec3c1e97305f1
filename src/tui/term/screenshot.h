/*
 * The screen as a text with the colours and attributes of its theme, as terminals show it (ANSI).
 */
#ifndef STRATA_TUI_TERM_SCREENSHOT_H
#define STRATA_TUI_TERM_SCREENSHOT_H

struct buffer;
struct grid;
struct theme;

void screenshot_ansi(const struct grid *grid, const struct theme *theme, struct buffer *out);

#endif
