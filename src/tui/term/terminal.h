/*
 * What a terminal is to the explorer.  There are two: the real one (curses) and one that is only a
 * size in memory, for scripts.
 */
#ifndef STRATA_TUI_TERM_TERMINAL_H
#define STRATA_TUI_TERM_TERMINAL_H

#include "picture/grid.h"
#include "tui/term/key.h"
#include "tui/term/theme.h"

struct error;
struct terminal;

struct mouse_event {
	int row, column;
	int wheel;  /* -1 up, 1 down, 0 a click */
	bool twice; /* a double click */
};

struct terminal_ops {
	void (*free)(struct terminal *term); /* leaves the terminal as it was */
	void (*size)(struct terminal *term, int *rows, int *columns);
	void (*resize)(struct terminal *term, int rows, int columns); /* only in memory */
	void (*theme)(struct terminal *term, const struct theme *theme);
	void (*draw)(struct terminal *term, const struct grid *grid); /* sends what differs */
	void (*redraw)(struct terminal *term); /* the next draw sends everything */
	/* Never waits; TUI_KEY_NONE when there is nothing. */
	tui_key (*read)(struct terminal *term);
	void (*mouse)(struct terminal *term, bool on);
	bool (*mouse_event)(struct terminal *term, struct mouse_event *event);
	void (*suspend)(struct terminal *term); /* returns when the process goes on */
	/* Let PRINT write on the normal screen; come back when the user has pressed Enter. */
	void (*outside)(struct terminal *term, void (*print)(void *context), void *context);
	/* Bytes that the terminal itself is told (OSC 52); NULL: it understands none. */
	void (*send)(struct terminal *term, const char *bytes, size_t length);
};

struct terminal {
	const struct terminal_ops *ops;
	int fd; /* to poll for input, or -1 */
	int colors;
	const char *drawn_as; /* the one it is taken for when TERM is not known here; else NULL */
};

/*
 * Take over the terminal, with as many COLORS as it has (-1) or none (0).  NULL with ERROR when
 * TERM is unset, dumb, or unknown and of no known family.
 */
struct terminal *terminal_curses(int colors, struct error *error);
struct terminal *terminal_memory(int rows, int columns);

#endif
