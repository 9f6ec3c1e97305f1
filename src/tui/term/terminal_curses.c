/*
 * The curses terminal. Only this file, curses_keys.c and curses_probe.c use curses.
 */
#define NCURSES_WIDECHAR 1

#include "base/error.h"
#include "base/text.h"
#include "tui/term/curses_keys.h"
#include "tui/term/curses_probe.h"
#include "tui/term/emergency.h"

#include <curses.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum {
	ESCAPE_DELAY_MS = 50,
};

#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

struct curses_term {
	struct terminal term;
	SCREEN *screen;
	FILE *in, *out;
	struct grid shown; /* last screen passed to curses */
	attr_t attributes[ROLE_COUNT];
	bool unpainted[ROLE_COUNT]; /* a blank of the role looks like any other */
	int indexed;                /* higher color values are RGB; INT_MAX: none */
	int spare;                  /* first of the palette that holds a color of the theme */
	bool whole;                 /* the next draw sends everything */
	bool mouse_on;
};

/* ---- drawing ---- */

static void curses_size(struct terminal *term, int *rows, int *columns)
{
	struct curses_term *self = (struct curses_term *)term;
	struct winsize size;
	*rows = LINES;
	*columns = COLS;
	if (ioctl(fileno(self->out), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 &&
	    size.ws_col > 0) {
		*rows = size.ws_row;
		*columns = size.ws_col;
	}
	if (*rows != LINES || *columns != COLS)
		resizeterm(*rows, *columns);
}

static void curses_redraw(struct terminal *term)
{
	((struct curses_term *)term)->whole = true;
}

static attr_t attributes_of(unsigned style)
{
	return (style & STYLE_BOLD ? A_BOLD : 0) | (style & STYLE_DIM ? A_DIM : 0) |
	       (style & STYLE_ITALIC ? A_ITALIC : 0) | (style & STYLE_UNDERLINE ? A_UNDERLINE : 0) |
	       (style & STYLE_REVERSE ? A_REVERSE : 0);
}

static bool has_color(const struct theme *theme, int color)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (theme->look[i].foreground == color || theme->look[i].background == color)
			return true;
	return false;
}

/* Put RGB into the palette, in place of a color that THEME lacks; leaving curses restores it. */
static int palette_color(struct curses_term *self, const struct theme *theme, int rgb)
{
	while (self->spare > 16 && has_color(theme, --self->spare))
		;
	/* in thousandths, as terminfo has them, which are rounded down again */
	return can_change_color() && self->spare > 16 &&
			       init_extended_color(self->spare, ((rgb >> 16) * 1000 + 254) / 255,
						   ((rgb >> 8 & 255) * 1000 + 254) / 255,
						   ((rgb & 255) * 1000 + 254) / 255) == OK
		       ? self->spare
		       : theme_cube_color(rgb);
}

/* The curses color of xterm color INDEX of THEME. */
static int color_number(struct curses_term *self, const struct theme *theme, int index)
{
	static const int bright[8] = { 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
				       0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };
	if (index >= COLOR_RGB && self->indexed == INT_MAX)
		return palette_color(self, theme, theme_color_rgb(index));
	if (index < self->indexed)
		return index;
	return index < 16 ? bright[index - 8] : theme_color_rgb(index);
}

static void curses_theme(struct terminal *term, const struct theme *theme)
{
	struct curses_term *self = (struct curses_term *)term;
	self->spare = 256;
	for (int i = 0; i < ROLE_COUNT; i++) {
		const struct look *look = &theme->look[i];
		if (term->colors > 0)
			init_extended_pair(i + 1, color_number(self, theme, look->foreground),
					   color_number(self, theme, look->background));
		self->attributes[i] = attributes_of(look->attributes);
		self->unpainted[i] = look->background < 0 &&
				     !(look->attributes & (STYLE_UNDERLINE | STYLE_REVERSE));
	}
	curses_redraw(term);
}

static void draw_cell(struct curses_term *self, int row, int column, const struct cell *cell,
		      int role)
{
	wchar_t wide[CCHARW_MAX + 1] = { 0 };
	cchar_t character;
	size_t length = strlen(cell->bytes), count = 0;
	for (size_t at = 0; at < length && count < CCHARW_MAX;) {
		int32_t point;
		at += text_decode(cell->bytes + at, length - at, &point);
		wide[count++] = (wchar_t)point;
	}
	attr_t attributes = self->attributes[role] ^ (cell->filled ? A_REVERSE : 0);
	short pair = self->term.colors > 0 ? (short)(role + 1) : 0;
	if (setcchar(&character, wide, attributes, pair, NULL) == OK)
		mvadd_wch(row, column, &character);
}

static bool terminal_curses_is_same(const struct curses_term *self, const struct grid *grid,
				    int row, int column)
{
	return !self->whole && !memcmp(grid_cell(grid, row, column),
				       grid_cell(&self->shown, row, column), sizeof(struct cell));
}

static void draw_row(struct curses_term *self, const struct grid *grid, int row)
{
	for (int column = 0; column < grid->columns; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		bool same = terminal_curses_is_same(self, grid, row, column);
		*grid_cell(&self->shown, row, column) = *cell;
		if (cell->width > 0 && !same)
			draw_cell(self, row, column, cell, cell->role);
	}
}

static void curses_draw(struct terminal *term, const struct grid *grid)
{
	struct curses_term *self = (struct curses_term *)term;
	struct grid *shown = &self->shown;
	if (shown->rows != grid->rows || shown->columns != grid->columns) {
		grid_resize(shown, grid->rows, grid->columns);
		self->whole = true;
	}
	if (self->whole)
		clear();
	for (int row = 0; row < grid->rows; row++)
		if (self->whole || row < grid->later_row ||
		    row >= grid->later_row + grid->later_rows)
			draw_row(self, grid, row);
	self->whole = false;
	curs_set(grid->show_cursor);
	move(grid->cursor_row, grid->cursor_column);
	refresh();
}

/* ---- keys ---- */

static tui_key curses_read(struct terminal *term)
{
	struct curses_term *self = (struct curses_term *)term;
	for (;;) {
		tui_key key = curses_key();
		if (key != TUI_KEY_MOUSE || self->mouse_on)
			return key;
	}
}

/* ---- modes ---- */

static void send(struct curses_term *self, const char *sequence)
{
	fputs(sequence, self->out);
	fflush(self->out);
}

static void curses_mouse(struct terminal *term, bool on)
{
	struct curses_term *self = (struct curses_term *)term;
	self->mouse_on = on;
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON3_PRESSED | BUTTON4_PRESSED |
				  BUTTON5_PRESSED
		     : 0,
		  NULL);
	mouseinterval(0);
}

/* True if the terminal has an alternate screen. */
static bool has_other_screen(void)
{
	static char name[] = "rmcup";
	const char *back = tigetstr(name);
	return back && back != (const char *)-1 && *back;
}

static void leave(struct curses_term *self)
{
	if (self->mouse_on)
		mousemask(0, NULL);
	send(self, PASTE_OFF);
	curs_set(1);
	if (!has_other_screen()) { /* the shell prompt goes there */
		move(LINES - 1, 0);
		clrtoeol();
		refresh();
	}
	endwin();
	emergency_arm(false);
}

static void enter(struct curses_term *self)
{
	emergency_arm(true);
	self->whole = true;
	refresh();
	send(self, PASTE_ON);
	if (self->mouse_on)
		curses_mouse(&self->term, true);
}

static void curses_suspend(struct terminal *term)
{
	struct curses_term *self = (struct curses_term *)term;
	struct sigaction before, normal = { .sa_handler = SIG_DFL };
	leave(self);
	sigaction(SIGTSTP, &normal, &before);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &before, NULL);
	enter(self);
}

static void curses_outside(struct terminal *term, void (*print)(void *context), void *context)
{
	struct curses_term *self = (struct curses_term *)term;
	leave(self);
	print(context);
	fputs("\nPress Enter to return to strata. ", self->out);
	fflush(self->out);
	/* wait for a line, end of file or a signal */
	char byte;
	while (read(fileno(self->in), &byte, 1) == 1 && byte != '\n' && byte != '\r')
		;
	enter(self);
}

static void curses_lend(struct terminal *term, void (*run)(void *context), void *context)
{
	struct curses_term *self = (struct curses_term *)term;
	leave(self);
	run(context);
	enter(self);
}

static void curses_send(struct terminal *term, const char *bytes, size_t length)
{
	struct curses_term *self = (struct curses_term *)term;
	fwrite(bytes, 1, length, self->out);
	fflush(self->out);
}

/* An answer that arrives after the program has ended would be read by the shell. */
static void swallow_answers(const struct curses_term *self)
{
	enum { ANSWER_MS = 100 };
	struct pollfd input = { .fd = fileno(self->in), .events = POLLIN };
	while (curses_awaits_answer() && poll(&input, 1, ANSWER_MS) > 0 &&
	       !(input.revents & (POLLHUP | POLLERR)))
		curses_key();
}

static void curses_free(struct terminal *term)
{
	AUTO_FREE struct curses_term *self = (struct curses_term *)term;
	swallow_answers(self);
	leave(self);
	delscreen(self->screen);
	if (self->in != stdin)
		fclose(self->in);
	grid_free(&self->shown);
}

static const struct terminal_ops curses_ops = { CURSES_OPS };

/* ---- start ---- */

static void set_modes(struct curses_term *self, int colors)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	if (!getenv("ESCDELAY"))
		set_escdelay(ESCAPE_DELAY_MS);
	curses_define_keys();
	if (colors != 0 && has_colors()) {
		start_color();
		use_default_colors();
		self->term.colors = COLORS < 256 ? COLORS : 256;
		self->indexed = COLORS <= 256 ? INT_MAX : curses_indexed_colors();
	}
}

struct terminal *terminal_curses(int colors, struct error *error)
{
	const char *name = curses_probe(error);
	if (!name)
		return NULL;
	FILE *in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r");
	if (!in) {
		error_set(error, ERROR_USAGE, "no terminal to read keys from");
		return NULL;
	}
	struct curses_term *self = mem_zalloc(1, sizeof *self);
	self->in = in;
	self->out = stdout;
	self->term = (struct terminal){ .ops = &curses_ops, .fd = fileno(in) };
	self->term.drawn_as = strcmp(name, getenv("TERM")) ? name : NULL;
	self->screen = newterm(name, stdout, in);
	if (!self->screen) {
		if (in != stdin)
			fclose(in);
		mem_free(self);
		error_set(error, ERROR_USAGE, "cannot initialize the terminal");
		return NULL;
	}
	curses_keep_character_set();
	set_modes(self, colors);
	enter(self);
	return &self->term;
}
