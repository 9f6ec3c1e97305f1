/*
 * Interface of terminals: curses, and a grid in memory for scripts.
 */
#pragma once

#include "picture/grid.h"
#include "tui/term/key.h"
#include "tui/term/theme.h"

struct terminal;

struct mouse_event {
	int row, column;
	int wheel;     /* -1 up, 1 down, 0 a click */
	bool twice;    /* a double click */
	bool released; /* the button: the end of a drag */
	bool right;    /* the right button */
};

struct terminal_ops {
	void (*free)(struct terminal *term); /* restores the terminal */
	void (*size)(struct terminal *term, int *rows, int *columns);
	void (*resize)(struct terminal *term, int rows, int columns); /* NULL: the user does */
	void (*theme)(struct terminal *term, const struct theme *theme);
	void (*draw)(struct terminal *term, const struct grid *grid); /* sends the differences */
	void (*redraw)(struct terminal *term); /* the next draw sends everything */
	/* Never blocks; TUI_KEY_NONE if there is no input. */
	tui_key (*read)(struct terminal *term);
	void (*mouse)(struct terminal *term, bool on);
	bool (*mouse_event)(struct terminal *term, struct mouse_event *event); /* NULL: no mouse */
	void (*suspend)(struct terminal *term); /* returns when the process continues */
	/* Run PRINT on the normal screen; return when the user presses Enter. */
	void (*outside)(struct terminal *term, void (*print)(void *context), void *context);
	/* Run RUN, which uses the terminal, on the normal screen; then draw everything again. */
	void (*lend)(struct terminal *term, void (*run)(void *context), void *context);
	/*
	 * Ask for the background, which a terminal answers later (TUI_KEY_BACKGROUND), or never;
	 * and what is known of it. NULL: unknown.
	 */
	void (*ask_background)(struct terminal *term);
	enum background (*background)(const struct terminal *term);
	/* Send a control sequence to the terminal (OSC 52); NULL: unsupported. */
	void (*send)(struct terminal *term, const char *bytes, size_t length);
};

struct terminal {
	const struct terminal_ops *ops;
	int fd; /* to poll for input, or -1 */
	int colors;
	const char *drawn_as; /* compatible terminal used if TERM is unknown; otherwise NULL */
};

/*
 * Open the terminal with COLORS colors; -1: as many as it has, 0: none. NULL with ERROR if TERM is
 * unset, dumb or unknown.
 */
struct terminal *terminal_curses(int colors, struct error *error);
struct terminal *terminal_memory(int rows, int columns);

/* ---- screenshots ---- */

void look_start(struct buffer *out, const struct look *look); /* as ANSI sequence */
void screenshot_ansi(const struct grid *grid, const struct theme *theme, struct buffer *out);
void screenshot_svg(const struct grid *grid, const struct theme *theme, struct buffer *out);
