/*
 * Copies to the clipboard of the user's machine through the terminal (OSC 52, also through tmux and
 * screen), otherwise to a file, and says which.
 */
#ifndef STRATA_TUI_APP_COPY_H
#define STRATA_TUI_APP_COPY_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct app;

/* Limit in bytes for terminals. */
enum { COPY_MAX = 65536 };

/* Copy the selected or marked rows of the current pane, or their names. */
void copy_rows(struct app *app, bool whole);

/* The sequence that sets the clipboard to TEXT; TMUX and SCREEN: wrapped for these multiplexers. */
void copy_sequence(struct buffer *out, const char *text, size_t length, bool tmux, bool screen);

#endif
