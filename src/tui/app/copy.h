/*
 * Copying: through the terminal into the clipboard of the machine one sits at (OSC 52, through tmux
 * and screen too), else into a file; what was copied is always said.
 */
#ifndef STRATA_TUI_APP_COPY_H
#define STRATA_TUI_APP_COPY_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct app;

/* More than this no terminal is asked to take. */
enum { COPY_MAX = 65536 };

/* Copy the selected or marked rows of the pane shown, or only their names. */
void copy_rows(struct app *app, bool whole);

/*
 * The sequence that puts TEXT into the clipboard; TMUX and SCREEN: as these multiplexers pass it on
 * to the terminal they run in.
 */
void copy_sequence(struct buffer *out, const char *text, size_t length, bool tmux, bool screen);

#endif
