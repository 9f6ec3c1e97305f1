/*
 * Walks through the explorer at random, in this process, and prints how the screen changes:
 *
 *     walk PROFILE...      what each shows, to PROFILE.walk; PROFILE~BASE: against another;
 *                          PROFILE^: what the mouse does in each kind of pane, and what is copied;
 *                          PROFILE!: what each shows whose work has to wait
 *
 * A walk goes to views, presses keys, enters commands and, against another, uses the mouse; the
 * next key comes when all work of the one before is done. Printed are, after each key, the rows of
 * the screen that it has changed, each with the roles of its cells. The walk depends on the name of
 * the profile alone.
 */
#include "../unit/explorer_case.h"
#include "../unit/test.h"

#include "table/view.h"
#include "tui/term/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 16, KEYS_OF_ROUND = 14, ROWS_MAX = 60, COLUMNS_MAX_SHOWN = 170 };

static uint64_t chance; /* state of the generator */

static size_t draw_below(size_t limit) /* splitmix64 */
{
	uint64_t z = chance += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % limit;
}

#define ONE_OF(array) (array)[draw_below(sizeof(array) / sizeof(array)[0])]

/* Those that leave the explorer, write files or read the run again, which takes its time, are left
 * out. */
static const char *const keys[] = {
	"j",       "j",  "j",  "k",       "<PageDown>", "<PageUp>",    "<C-d>",     "<C-u>",
	"g",       "G",  "3j", "2k",      "}",          "{",           "J",         "K",
	".",       ",",  "z",  "(",       ")",          "<S-Left>",    "<S-Right>", "<Left>",
	"<Right>", "h",  "l",  "<Enter>", "<Enter>",    "<Backspace>", "<Esc>",     "<Tab>",
	"<S-Tab>", "]",  "[",  "v",       "H",          "f",           "P",         "t",
	"w",       "M",  "d",  "<C-o>",   "<M-Right>",  "n",           "N",         "*",
	"s",       "<",  ">",  "I",       "p",          "W",           "c",         "%",
	"+",       "-",  "e",  "E",       "C",          "a",           "A",         "D",
	"S",       "F",  "r",  "<Space>", "i",          "O",           "x",         "U",
	"ma",      "'a", "mB", "'B",      "?",          "o",           "=",         "<F5>",
	"5",       "2",  "3",  "0",
};

static const char *const commands[] = {
	":filter [aegm]<Enter>",
	":filter <Enter>",
	":search [dno]<Enter>",
	":sort<Enter>",
	":shares 3<Enter>",
	":shares 0<Enter>",
	":split<Enter>",
	":iterations 0..1<Enter>",
	":iterations<Enter>",
	":steps ..2<Enter>",
	":steps<Enter>",
	":device 0<Enter>",
	":device<Enter>",
	":min-duration 5us<Enter>",
	":min-duration<Enter>",
	":plot<Enter>",
	":plot flame<Enter>",
	":plot memory<Enter>",
	":plot utilization<Enter>",
	":plot steps<Enter>",
	":plot roofline<Enter>",
	":plot distribution<Enter>",

	":positions<Enter>",
	":help time<Enter>",
	":sort calls:asc<Enter>",
	":group x<Enter>",
	":columns +name<Enter>",
	":config<Enter>",
	":whatif<Enter>",
	":time 1us..2ms<Enter>",
	":time<Enter>",
	":resize 80x24<Enter>",
	":resize 120x40<Enter>",
	":resize 47x13<Enter>",
	":sql select * from operators<Enter>",

	":lane a<Enter>",
	":set <Tab><Tab><Enter>",
	"/a<Enter>",
	":timeline<Enter>",
	":dashboard<Enter>",
	";select 1 x<Enter>",
};

/* The screen as it was printed last: of each row the text and the roles. */
static struct {
	char *row[ROWS_MAX];
} shown;

/* Runs of equal roles: "3*12" is role 3 twelve times, in reverse video with an R. */
static void put_roles(struct buffer *out, const struct grid *grid, int row)
{
	for (int column = 0, length; column < grid->columns; column += length) {
		const struct cell *cell = grid_cell(grid, row, column), *next;
		for (length = 1; column + length < grid->columns; length++) {
			next = grid_cell(grid, row, column + length);
			if (next->role != cell->role || next->filled != cell->filled)
				break;
		}
		buffer_printf(out, " %d%s*%d", cell->role, cell->filled ? "R" : "", length);
	}
}

static void print_changes(FILE *out, const char *typed, struct explorer *explorer)
{
	const struct grid *grid = &explorer->app.tui.grid;
	struct buffer text = { 0 };
	fprintf(out, "== %s (%dx%d)\n", typed, grid->columns, grid->rows);
	for (int row = 0; row < grid->rows && row < ROWS_MAX; row++) {
		buffer_clear(&text);
		grid_row_text(grid, row, &text);
		buffer_puts(&text, " |");
		put_roles(&text, grid, row);
		if (shown.row[row] && strcmp(shown.row[row], buffer_text(&text)) == 0)
			continue;
		free(shown.row[row]);
		shown.row[row] = strdup(buffer_text(&text));
		fprintf(out, "%d %s\n", row, buffer_text(&text));
	}
	buffer_free(&text);
}

static void forget_screen(void)
{
	for (int row = 0; row < ROWS_MAX; row++) {
		free(shown.row[row]);
		shown.row[row] = NULL;
	}
}

static void press(FILE *out, struct explorer *explorer, const char *typed)
{
	explorer_type(explorer, typed);
	explorer_settle(explorer);
	print_changes(out, typed, explorer);
}

/* ---- the mouse, where two profiles are compared ---- */

static struct mouse_event at_mouse;

static FILE *sent_to; /* what is copied, as it is sent to the terminal's clipboard */

static void print_sent(struct terminal *term, const char *bytes, size_t length)
{
	(void)term;
	fprintf(sent_to, "sent %.*s\n", (int)length, bytes);
}

static bool tell_mouse(struct terminal *term, struct mouse_event *event)
{
	(void)term;
	*event = at_mouse;
	return true;
}

enum mouse_use { CLICK, DRAG = 3, TWICE, UP, DOWN, RIGHT, USES };

/* A click, a double click, a drag to (TO_ROW, TO_COLUMN), a turn of the wheel or a click with the
 * right button. */
static void use_mouse_at(FILE *out, struct explorer *explorer, size_t use, int row, int column,
			 int to_row, int to_column)
{
	struct app *app = &explorer->app;
	char text[80];
	at_mouse = (struct mouse_event){ .row = row,
					 .column = column,
					 .wheel = use == UP ? -1 : use == DOWN,
					 .right = use == RIGHT };
	app->clicked_row = use == TWICE ? row : -1;
	app->clicked_column = column;
	app->clicked_ns = INT64_MAX / 2; /* however long this takes */
	mouse_press(app);
	snprintf(text, sizeof text, "mouse %zu %d %d", use, row, column);
	if (use == DRAG) {
		at_mouse = (struct mouse_event){ .row = to_row,
						 .column = to_column,
						 .released = true };
		mouse_press(app);
	}
	explorer_settle(explorer);
	print_changes(out, text, explorer);
}

static int draw_row(const struct explorer *explorer)
{
	return (int)draw_below((size_t)explorer->app.tui.grid.rows);
}

static int draw_column(const struct explorer *explorer)
{
	return (int)draw_below((size_t)explorer->app.tui.grid.columns);
}

static void use_mouse(FILE *out, struct explorer *explorer)
{
	size_t use = draw_below(USES);
	int row = draw_row(explorer), column = draw_column(explorer), to_row = 0, to_column = 0;
	if (use == DRAG) {
		to_row = draw_row(explorer);
		to_column = draw_column(explorer);
	}
	use_mouse_at(out, explorer, use, row, column, to_row, to_column);
}

static void go_to_view(FILE *out, struct explorer *explorer)
{
	size_t views = 0;
	char typed[80];
	while (view_at(views))
		views++;
	const struct view *view = view_at(draw_below(views));
	if (strcmp(view->name, "info") == 0) /* sizes depend on the machine */
		view = view_at(0);
	snprintf(typed, sizeof typed, ":view %s<Enter>", view->name);
	press(out, explorer, typed);
}

static void walk_through(FILE *out, struct explorer *explorer)
{
	print_changes(out, "", explorer);
	for (int round = 0; round < ROUNDS && !explorer->app.tui.quit; round++) {
		if (draw_below(3))
			go_to_view(out, explorer);
		else
			press(out, explorer, ONE_OF(commands));
		for (int i = 0; i < KEYS_OF_ROUND && !explorer->app.tui.quit; i++)
			if (explorer->ops.mouse_event == tell_mouse && draw_below(2))
				use_mouse(out, explorer);
			else
				press(out, explorer,
				      draw_below(14) ? ONE_OF(keys) : ONE_OF(commands));
		press(out, explorer, "<Esc>");
		press(out, explorer, "<Esc>");
	}
}

/* ---- the mouse in each kind of pane ---- */

/* Keys that lead to one. */
static const char *const panes[] = {
	"1",
	"3<Down>",
	"2",
	"5",
	"5+++",
	"5+++ma+++DD",
	"8",
	"9",
	"?",
	"3Ojj",
	":view calls<Enter>",
	":view stacks<Enter>",
	":plot memory<Enter>",
	":plot flame<Enter>",
	":plot steps<Enter>++",
	":plot roofline<Enter>",
	":plot utilization<Enter>",
	":plot distribution<Enter>",
	":plot rank-time<Enter>",
	"3:split calls<Enter>",
	"5:split kernels<Enter>",
	"3x",
	"2s",
	"3c",
	"5M",
	":view advice<Enter>",
	";select 1 x, 2 y<Enter>",
	":resize 44x16<Enter>3",
	"5+++",
	"8",
	":view advice<Enter>",
};

/* In each pane a name and a row are copied; then every use of the mouse on each line of a lattice
 * that is shifted from pane to pane; where one has led elsewhere, back to the pane. */
static void click_through(FILE *out, struct explorer *explorer)
{
	const struct app *app = &explorer->app;
	const struct grid *grid = &app->tui.grid;
	int point = 0;
	for_each (led, panes, sizeof panes / sizeof *panes) {
		press(out, explorer, *led);
		const struct pane *pane = app_pane(app);
		bool menu = app->tui.menu.open;
		press(out, explorer, menu || app->prompt.open ? "" : "yjY");
		for (int row = point % 2; row < grid->rows;
		     row += row < 4 || row > grid->rows - 3 ? 1 : 2)
			for (int i = 0; i < 2; i++, point++) {
				int column = (row * 7 + point * 13 + i * 41) % grid->columns;
				use_mouse_at(out, explorer, (size_t)(point % USES), row, column,
					     (row * 5 + point) % grid->rows,
					     (column + 17 + point) % grid->columns);
				explorer->app.tui.quit = false; /* a click on the footer */
				if (app_pane(app) == pane && app->tui.menu.open == menu &&
				    !app->prompt.open)
					continue;
				press(out, explorer, "<Esc><Esc>");
				press(out, explorer, *led);
				pane = app_pane(app);
				menu = app->tui.menu.open;
			}
		/* the line between two panes is where a drag takes hold of it */
		for (int at = 0; app->tui.settings.split && at < grid->columns; at++) {
			bool row = at < grid->rows, left = at % 2;
			use_mouse_at(out, explorer, DRAG, grid->rows / 2, at, grid->rows / 2,
				     left ? 0 : grid->columns - 1);
			if (row)
				use_mouse_at(out, explorer, DRAG, at, 5, left ? 2 : grid->rows - 1,
					     5);
		}
		press(out, explorer, "<Esc><Esc>");
	}
}

/* ---- work that has to wait ---- */

/* The screen once the work is one that is shown. */
static void print_waiting(FILE *out, const char *typed, struct explorer *explorer)
{
	usleep(2 * WORK_SEEN_MS * 1000);
	explorer->app.tui.dirty = true;
	app_turn(&explorer->app);
	print_changes(out, typed, explorer);
}

/* Keys that are not held for the result. */
static void press_at_once(struct explorer *explorer, const char *typed)
{
	for (tui_key key; *typed && !explorer->app.tui.quit; app_press(&explorer->app, key))
		typed += tui_key_parse(typed, strlen(typed), &key);
}

/* Each pane is opened before a job ends that does not stop, and by turns left, or canceled: what is
 * shown of the work, and what the keys have done when it can be done. */
static void wait_through(FILE *out, struct explorer *explorer)
{
	static const char *const then[] = {
		"", "j", "<Esc>", "n", "<Enter>", "k:filter e<Enter>", "/e<Enter>/a<Enter>n",
	};
	struct app *app = &explorer->app;
	struct held_job held;
	for (size_t i = 0; i < sizeof panes / sizeof *panes; i++) {
		held = (struct held_job){ .job = { .what = "Waiting" },
					  .stage = "reading",
					  .done = 1 << 20,
					  .total = 3 << 20,
					  .rows = 1234 };
		held_job_start(&held, app->tui.worker);
		print_waiting(out, "waiting", explorer);
		press_at_once(explorer, panes[i]);
		print_waiting(out, panes[i], explorer);
		press_at_once(explorer, then[i % (sizeof then / sizeof *then)]);
		print_waiting(out, then[i % (sizeof then / sizeof *then)], explorer);
		atomic_store(&held.may_end, true);
		explorer_settle(explorer);
		assert_true(atomic_load(&held.ended));
		print_changes(out, "done", explorer);
		press(out, explorer, "<Esc><Esc>");
		app->tui.quit = false;
	}
}

/* Opens PROFILE, PROFILE^, PROFILE! or PROFILE~BASE. */
static void open_profile(FILE *out, struct explorer *explorer, const char *profile)
{
	static const char *const sizes[] = { "100x30", "160x45", "64x20", "40x12" };
	static char path[300]; /* which the explorer may load again */
	static const char *const paths[] = { path };
	char typed[320];
	snprintf(path, sizeof path, "%.*s", (int)strcspn(profile, "~^!"), profile);
	explorer_open_size(explorer, paths, 1, ONE_OF(sizes));
	if (strchr(profile, '^')) {
		explorer->ops.mouse_event = tell_mouse;
		explorer->ops.send = print_sent;
		sent_to = out;
	}
	if (!strchr(profile, '~'))
		return;
	snprintf(typed, sizeof typed, ":base %s<Enter>", strchr(profile, '~') + 1);
	explorer_type(explorer, typed);
	explorer_settle(explorer);
	/* the overview, which may have been left before it was made, knows what the line of the
	 * scope says */
	press(out, explorer, ":dashboard<Enter>");
	press(out, explorer, ":view diff<Enter>");
	explorer->ops.mouse_event = tell_mouse;
}

int main(int count, char **profiles)
{
	for (int i = 1; i < count; i++) {
		const char *profile = profiles[i];
		struct explorer explorer;
		char path[300];
		chance = 0;
		setenv("TERM", "xterm", 1); /* which has a clipboard */
		for (const char *at = profile; *at; at++)
			chance = chance * 131 + (unsigned char)*at;
		snprintf(path, sizeof path, "%s.walk", profile);
		FILE *out = fopen(path, "w");
		if (!out)
			abort();
		open_profile(out, &explorer, profile);
		(strchr(profile, '^')   ? click_through
		 : strchr(profile, '!') ? wait_through
					: walk_through)(out, &explorer);
		explorer_close(&explorer);
		forget_screen();
		fclose(out);
	}
	return 0;
}
