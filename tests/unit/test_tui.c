/* Parts of the explorer that need no run: grid, layout, keys, actions, prompt. */
#include "test.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "tui/widget/action.h"
#include "tui/app/app.h"
#include "tui/term/emergency.h"
#include "picture/grid.h"
#include "picture/role.h"
#include "tui/widget/layout.h"
#include "tui/widget/prompt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* ---- the grid ---- */

static const char *const hostile[] = {
	"plain",
	"\x1b[2Jescape",
	"new\nline\ttab",
	"\xff\xfe\x80 broken",
	"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e wide",
	"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81 marks",
	"\xcc\x81 begins with a mark",
	"\xe2\x80\xae right to left",
	"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9 joined",
	"\xc2\x9b"
	"31m C1",
	"a very long name that does not fit into any of the fields that it is put into here",
	"",
};

enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static void row_text(const struct grid *grid, int row, struct buffer *out)
{
	buffer_clear(out);
	grid_row_text(grid, row, out);
}

/* Colors start where they change and end with the row, of which blanks at the end are left out. */
TEST(rows_in_color)
{
	struct grid grid = { 0 };
	struct buffer text = { 0 }, expected = { 0 };
	grid_resize(&grid, 2, 12);
	grid.color = true;
	grid_puts(&grid, 0, 0, 12, ROLE_TEXT, "a");
	grid_puts(&grid, 0, 1, 12, ROLE_ERROR, "bc");
	grid_puts(&grid, 0, 3, 12, ROLE_DIM, "d");
	grid_puts(&grid, 0, 4, 12, ROLE_TEXT, "e");
	grid_puts(&grid, 0, 6, 12, ROLE_TEXT, "f");
	grid_reverse(&grid, 0, 6, 2);
	grid_puts(&grid, 1, 0, 12, ROLE_ERROR, "g   ");
	assert_true(role_info(ROLE_ERROR)->start && role_info(ROLE_DIM)->start);
	buffer_printf(&expected,
		      "a\033[%smbc" ROLE_END "\033[%smd" ROLE_END "e \033[7mf " ROLE_END
		      "\n\033[%smg" ROLE_END "\n",
		      role_info(ROLE_ERROR)->start, role_info(ROLE_DIM)->start,
		      role_info(ROLE_ERROR)->start);
	grid_dump(&grid, &text);
	assert_string_equal(buffer_text(&text), buffer_text(&expected));
	buffer_free(&text);
	buffer_free(&expected);
	grid_free(&grid);
}

/* What no screen can show loses its middle, between characters. */
TEST(endless_texts_lose_their_middle)
{
	enum { LENGTH = 9001, COLUMNS = 9000 };
	struct grid grid = { 0 };
	struct buffer text = { 0 }, row = { 0 };
	for (int shift = 0; shift < 3; shift++) {
		buffer_clear(&text);
		for (int i = 0; i < shift; i++)
			buffer_putc(&text, 'x');
		while (text.length < LENGTH)
			buffer_puts(&text, "\xe6\x97\xa5");
		grid_resize(&grid, 1, COLUMNS);
		int width = grid_width(&grid, text.data, text.length);
		grid_put(&grid, 0, 0, COLUMNS, 0, text.data, text.length);
		row_text(&grid, 0, &row);
		assert_true(width < (int)text.length / 3 * 2 && width > 8000 / 3 * 2);
		assert_non_null(strstr(buffer_text(&row), "\xe6\x97\xa5...\xe6\x97\xa5"));
		assert_memory_equal(row.data, text.data, 4000);
		assert_null(strchr(buffer_text(&row), '?'));
		assert_null(strchr(buffer_text(&row), '\\'));
	}
	buffer_free(&text);
	buffer_free(&row);
	grid_free(&grid);
}

/* Any text in a field leaves the next field in its column. */
TEST(field_stays_in_its_columns)
{
	struct grid grid = { 0 };

	for (int ascii = 0; ascii < 2; ascii++) {
		grid_resize(&grid, HOSTILE, 40);
		grid.ascii = ascii;
		for (int columns = 1; columns < 36; columns++) {
			for (int i = 0; i < HOSTILE; i++) {
				grid_field(&grid, i, 2, columns, 0, i % 2 ? GRID_LEFT : GRID_RIGHT,
					   hostile[i], strlen(hostile[i]));
				grid_puts(&grid, i, 2 + columns, 1, 0, "|");
				assert_string_equal(grid_cell(&grid, i, 2 + columns)->bytes, "|");
				assert_string_equal(grid_cell(&grid, i, 1)->bytes, " ");
			}
			grid_clear(&grid);
		}
	}
	grid_free(&grid);
}

TEST(cells_are_escaped)
{
	struct grid grid = { 0 };

	for (int ascii = 0; ascii < 2; ascii++) {
		grid_resize(&grid, HOSTILE, 120);
		grid.ascii = ascii;
		for (int i = 0; i < HOSTILE; i++)
			grid_puts(&grid, i, 0, 120, 0, hostile[i]);
		for (int i = 0; i < grid.rows * grid.columns; i++) {
			const struct cell *cell = &grid.cells[i];
			for (size_t at = 0, length = strlen(cell->bytes); at < length;) {
				int32_t point;
				at += text_decode(cell->bytes + at, length - at, &point);
				assert_false(point < 0 || text_is_unsafe(point));
				assert_true(!ascii || point < 0x7f);
			}
		}
	}
	grid_free(&grid);
}

TEST(wide_characters_are_never_split)
{
	struct grid grid = { 0 };
	struct buffer text = { 0 };

	grid_resize(&grid, 1, 6);
	grid_puts(&grid, 0, 0, 6, 0, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e");
	grid_puts(&grid, 0, 1, 1, 0, "x");
	grid_puts(&grid, 0, 4, 1, 0, "y");
	row_text(&grid, 0, &text);
	assert_string_equal(text.data, " x\xe6\x9c\xac"
				       "y");
	grid_clear(&grid);
	grid_puts(&grid, 0, 5, 6, 0, "\xe6\x97\xa5"); /* no room for its right half */
	row_text(&grid, 0, &text);
	assert_string_equal(buffer_text(&text), "");
	buffer_free(&text);
	grid_free(&grid);
}

TEST(writes_outside_are_ignored)
{
	struct grid grid = { 0 };

	grid_resize(&grid, 2, 3);
	grid_puts(&grid, -1, -1, 50, 0, "abc");
	grid_puts(&grid, 5, 0, 50, 0, "abc");
	grid_field(&grid, 0, -2, 9, 0, GRID_RIGHT, "\xe6\x97\xa5", 3);
	grid_fill(&grid, 1, 2, 100, 0, '-');
	grid_paint(&grid, 1, -5, 100, ROLE_MATCH);
	assert_string_equal(grid_cell(&grid, 1, 2)->bytes, "-");
	grid_resize(&grid, 0, 0);
	grid_puts(&grid, 0, 0, 5, 0, "abc");
	grid_free(&grid);
}

/* ---- the layout ---- */

TEST(panes_never_overlap)
{
	for (int rows = 0; rows < 120; rows++) {
		for (int kind = 0; kind < 2; kind++) {
			struct layout layout;
			layout_compute(&layout, rows, 80, kind == 1);
			assert_int_equal(layout.too_small, rows < LAYOUT_MIN_ROWS);
			if (layout.too_small)
				continue;
			const struct rect *parts[] = { &layout.title,      &layout.tabs,
						       &layout.breadcrumb, &layout.body,
						       &layout.rule,       &layout.detail,
						       &layout.footer };
			int at = 0;
			for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
				if (parts[i]->rows > 0)
					assert_int_equal(parts[i]->row, at);
				assert_true(parts[i]->rows >= 0);
				at += parts[i]->rows;
			}
			assert_int_equal(at, rows);
			assert_true(layout.body.rows >= 2); /* headings and a row */
			assert_true(layout.footer.rows == 1);
		}
	}
}

TEST(shrinking_drops_title_then_detail)
{
	struct layout layout;
	bool title = true, detail = true;

	for (int rows = 60; rows >= LAYOUT_MIN_ROWS; rows--) {
		layout_compute(&layout, rows, 80, true);
		assert_true(title || !layout.title.rows);
		assert_true(detail || !layout.detail.rows);
		assert_true(layout.detail.rows || !layout.title.rows);
		title = layout.title.rows;
		detail = layout.detail.rows;
	}
	assert_false(title || detail);
}

TEST(strip_height_depends_on_the_screen)
{
	static const int heights[][2] = { { 12, 1 }, { 24, 3 }, { 35, 5 }, { 45, 7 }, { 200, 8 } };

	for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
		struct layout layout;
		layout_compute(&layout, heights[i][0], 80, true);
		assert_int_equal(layout.detail.rows, heights[i][1]);
	}
}

/* ---- keys and actions ---- */

TEST(key_names_round_trip)
{
	char name[TUI_KEY_NAME_MAX];
	tui_key key;

	for (tui_key alt = 0; alt <= TUI_KEY_ALT; alt += TUI_KEY_ALT) {
		for (tui_key wanted = TUI_KEY_UP; wanted <= TUI_KEY_F12; wanted++) {
			tui_key_name(wanted | alt, name);
			assert_int_equal(tui_key_parse(name, strlen(name), &key), strlen(name));
			assert_int_equal(key, wanted | alt);
		}
		for (tui_key wanted = '!'; wanted < 0x7f; wanted++) {
			tui_key_name(wanted | alt, name);
			assert_int_equal(tui_key_parse(name, strlen(name), &key), strlen(name));
			assert_int_equal(key, wanted | alt);
		}
	}
	for (char letter = 'a'; letter <= 'z'; letter++) {
		tui_key_name(tui_key_ctrl(letter), name);
		assert_int_equal(tui_key_parse(name, strlen(name), &key), strlen(name));
		assert_int_equal(key, tui_key_ctrl(letter));
	}
	assert_int_equal(tui_key_parse("<Nosuch>", 8, &key), 0);
	assert_int_equal(tui_key_parse("\xc3\xa9x", 3, &key), 2);
	assert_int_equal(key, 0xe9);
}

/* Each key listed for an action performs it in its context: no binding hides another. */
TEST(no_binding_hides_another)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		int keys = 0;
		for (int context = 0; context < CONTEXT_COUNT; context++) {
			struct buffer list = { 0 };
			action_keys(&list, (enum action)i, (enum context)context);
			for (const char *at = buffer_text(&list); *at; at += *at == ' ') {
				tui_key key;
				size_t used = tui_key_parse(at, strcspn(at, " "), &key);
				assert_true(used > 0);
				assert_int_equal(action_of_key((enum context)context, key), i);
				at += used;
				keys++;
			}
			buffer_free(&list);
		}
		assert_int_equal(keys > 0, action_info((enum action)i)->keys != NULL);
		assert_int_equal(action_find(action_info((enum action)i)->name), i);
	}
	assert_int_equal(action_find("nosuch"), ACTION_NONE);
	assert_int_equal(action_of_key(CONTEXT_PROMPT, 'q'), ACTION_NONE);
	assert_int_equal(action_of_key(CONTEXT_TREE, 'l'), ACTION_TREE_IN);
	assert_int_equal(action_of_key(CONTEXT_TABLE, 'l'), ACTION_DRILL);
}

TEST(keys_can_be_rebound)
{
	struct buffer keys = { 0 };

	action_bind(CONTEXT_TABLE, 'l', ACTION_HELP);
	action_bind(CONTEXT_TREE, TUI_KEY_ENTER, ACTION_NONE);
	assert_int_equal(action_of_key(CONTEXT_TABLE, 'l'), ACTION_HELP);
	assert_int_equal(action_of_key(CONTEXT_TREE, 'l'),
			 ACTION_TREE_IN); /* the narrower context wins */
	/* unbound here although bound in the wider context */
	assert_int_equal(action_of_key(CONTEXT_TREE, TUI_KEY_ENTER), ACTION_NONE);
	assert_int_equal(action_of_key(CONTEXT_TABLE, TUI_KEY_ENTER), ACTION_DRILL);
	assert_int_equal(action_key(ACTION_DRILL, CONTEXT_TREE), TUI_KEY_NONE);
	action_keys(&keys, ACTION_HELP, CONTEXT_TABLE);
	assert_string_equal(buffer_text(&keys), "l");
	action_bind(CONTEXT_ALL, 'l', ACTION_LAST); /* everywhere except where it was rebound */
	assert_int_equal(action_of_key(CONTEXT_TREE, 'l'), ACTION_HELP);
	assert_int_equal(action_of_key(CONTEXT_TEXT, 'l'), ACTION_LAST);
	assert_int_equal(action_of_key(CONTEXT_MENU, 'l'), ACTION_MENU_CHOOSE);
	action_bindings_reset();
	assert_int_equal(action_of_key(CONTEXT_TABLE, 'l'), ACTION_DRILL);
	assert_int_equal(action_key(ACTION_DRILL, CONTEXT_TREE), TUI_KEY_ENTER);
	buffer_free(&keys);
}

/* ---- copying ---- */

static void check_copy(const char *text, bool tmux, bool screen, const char *expected)
{
	struct buffer out = { 0 };

	copy_sequence(&out, text, strlen(text), tmux, screen);
	assert_string_equal(buffer_text(&out), expected);
	buffer_free(&out);
}

/* The vectors of RFC 4648, and the escapes by which tmux and screen pass them on. */
TEST(copy_is_base64)
{
	struct buffer out = { 0 };

	check_copy("", false, false, "\033]52;c;\a");
	check_copy("f", false, false, "\033]52;c;Zg==\a");
	check_copy("fo", false, false, "\033]52;c;Zm8=\a");
	check_copy("foo", false, false, "\033]52;c;Zm9v\a");
	check_copy("foobar", false, false, "\033]52;c;Zm9vYmFy\a");
	check_copy("\xff\xfe\xfd", false, false, "\033]52;c;//79\a");
	check_copy("f", true, false, "\033]52;c;Zg==\a\033Ptmux;\033\033]52;c;Zg==\a\033\\");
	check_copy("f", false, true, "\033P\033]52;c;Zg==\a\033\\");
	char long_text[1000];
	memset(long_text, 'x', sizeof long_text);
	copy_sequence(&out, long_text, sizeof long_text, false, true);
	for (const char *part = out.data; part; part = strstr(part + 1, "\033P")) {
		const char *end = strstr(part, "\033\\");
		assert_non_null(end);
		assert_true(end - part < 768);
	}
	buffer_free(&out);
}

/* ---- the prompt ---- */

static struct history history;

static void type(struct prompt *prompt, const char *text)
{
	prompt_insert(prompt, text, strlen(text));
}

static void check_line(const struct prompt *prompt, const char *line, size_t cursor)
{
	assert_string_equal(buffer_text(&prompt->line), line);
	assert_int_equal(prompt->cursor, cursor);
}

TEST(line_editing_matches_readline)
{
	struct prompt prompt = { 0 };

	prompt_open(&prompt, PROMPT_COMMAND, ":", &history, "");
	type(&prompt, "sort gpu\xc3\xa9");
	prompt_edit(&prompt, ACTION_PROMPT_ERASE);
	check_line(&prompt, "sort gpu", 8);
	prompt_edit(&prompt, ACTION_PROMPT_WORD_LEFT);
	check_line(&prompt, "sort gpu", 5);
	prompt_edit(&prompt, ACTION_PROMPT_ERASE_WORD);
	check_line(&prompt, "gpu", 0);
	prompt_edit(&prompt, ACTION_PROMPT_END);
	prompt_edit(&prompt, ACTION_PROMPT_YANK);
	check_line(&prompt, "gpusort ", 8);
	prompt_edit(&prompt, ACTION_PROMPT_BEGIN);
	prompt_edit(&prompt, ACTION_PROMPT_RIGHT);
	prompt_edit(&prompt, ACTION_PROMPT_DELETE);
	check_line(&prompt, "gusort ", 1);
	prompt_edit(&prompt, ACTION_PROMPT_ERASE_END);
	check_line(&prompt, "g", 1);
	prompt_edit(&prompt, ACTION_PROMPT_ERASE_BEGIN);
	check_line(&prompt, "", 0);
	prompt_edit(&prompt, ACTION_PROMPT_ERASE);
	prompt_edit(&prompt, ACTION_PROMPT_DELETE);
	prompt_edit(&prompt, ACTION_PROMPT_LEFT);
	check_line(&prompt, "", 0);
	type(&prompt, "two\nlines\x1b");
	check_line(&prompt, "two lines ", 10);
	prompt_free(&prompt);
}

TEST(history_navigation)
{
	struct prompt prompt = { 0 };

	history_add(&history, "view layers");
	history_add(&history, "sort calls");
	history_add(&history, "view layers");
	history_add(&history, "");
	assert_int_equal(history.count, 2);
	prompt_open(&prompt, PROMPT_COMMAND, ":", &history, "");
	type(&prompt, "so");
	prompt_edit(&prompt, ACTION_PROMPT_OLDER);
	check_line(&prompt, "view layers", 11);
	prompt_edit(&prompt, ACTION_PROMPT_OLDER);
	prompt_edit(&prompt, ACTION_PROMPT_OLDER);
	check_line(&prompt, "sort calls", 10);
	prompt_edit(&prompt, ACTION_PROMPT_NEWER);
	prompt_edit(&prompt, ACTION_PROMPT_NEWER);
	check_line(&prompt, "so", 2);
	prompt_edit(&prompt, ACTION_PROMPT_RECALL);
	check_line(&prompt, "sort calls", 10);
	prompt_free(&prompt);
	history_free(&history);
}

static void offer_words(void *context, const char *line, size_t cursor,
			struct completion *completion)
{
	static const char *const words[] = { "save-screen", "search", "sort", "set" };

	completion->start = 0;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (!strncmp(words[i], line, cursor))
			completion_add(completion, words[i], strlen(words[i]));
	}
}

TEST(tab_completes_and_cycles)
{
	struct prompt prompt = { 0 };

	prompt_open(&prompt, PROMPT_COMMAND, ":", &history, "");
	prompt.complete = offer_words;
	type(&prompt, "so");
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	check_line(&prompt, "sort ", 5);
	prompt_edit(&prompt, ACTION_PROMPT_ERASE_BEGIN);
	type(&prompt, "se");
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	check_line(&prompt, "se", 2);
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	check_line(&prompt, "search", 6);
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	check_line(&prompt, "set", 3);
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	check_line(&prompt, "search", 6);
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE_BACK);
	check_line(&prompt, "set", 3);
	type(&prompt, "x");
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	check_line(&prompt, "setx", 4);
	assert_string_equal(prompt.note, "no completions");
	prompt_free(&prompt);
}

/* The rows around the prompt, from UP above it; between the roles of their first and last cells. */
static void check_drawn(struct prompt *prompt, int columns, int up, const char *expected)
{
	struct grid grid = { 0 };
	struct buffer text = { 0 }, row = { 0 };
	int at = 5;
	grid_resize(&grid, at + 1, columns);
	grid.ascii = true;
	prompt_draw(prompt, &grid, at, columns);
	for (int i = at - up; i <= at; i++) {
		row_text(&grid, i, &row);
		buffer_printf(&text, "%d[%s]%d", grid_cell(&grid, i, 1)->role, buffer_text(&row),
			      grid_cell(&grid, i, columns - 1)->role);
	}
	buffer_printf(&text, "@%d", grid.cursor_column);
	assert_int_equal(grid.cursor_row, at);
	assert_true(grid.show_cursor);
	assert_string_equal(buffer_text(&text), expected);
	buffer_free(&text);
	buffer_free(&row);
	grid_free(&grid);
}

/* A note stands beside the line, else above it, else over it; the cursor stays in sight. */
TEST(prompts_are_drawn)
{
	struct prompt prompt = { 0 };
	char expected[200];
	enum { TEXT = ROLE_TEXT, DIM = ROLE_DIM, MENU = ROLE_MENU };
#define DRAWN(columns, up, ...)                                                                    \
	snprintf(expected, sizeof expected, __VA_ARGS__),                                          \
		check_drawn(&prompt, columns, up, expected)

	prompt_open(&prompt, PROMPT_COMMAND, ":", &history, "");
	type(&prompt, "sort calls");
	DRAWN(20, 0, "%d[:sort calls]%d@11", TEXT, TEXT);
	snprintf(prompt.note, sizeof prompt.note, "no");
	DRAWN(20, 1, "%d[]%d%d[:sort calls       no]%d@11", TEXT, TEXT, TEXT, DIM);
	prompt.note_is_error = true;
	DRAWN(15, 0, "%d[:ort calls   no]%d@10", TEXT, ROLE_ERROR);
	prompt.note_is_error = false;
	snprintf(prompt.note, sizeof prompt.note, "no such column");
	DRAWN(28, 1, "%d[]%d%d[:sort calls   no such column]%d@11", TEXT, TEXT, TEXT, DIM);
	DRAWN(27, 1, "%d[ no such column]%d%d[:sort calls]%d@11", DIM, DIM, TEXT, TEXT);
	DRAWN(8, 1, "%d[ no such]%d%d[: calls]%d@7", DIM, DIM, TEXT, TEXT);

	/* candidates take the row above, and the note goes over the line */
	prompt_edit(&prompt, ACTION_PROMPT_ERASE_BEGIN);
	type(&prompt, "se");
	prompt.complete = offer_words;
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	DRAWN(20, 1, "%d[ search  set]%d%d[:se]%d@3", MENU, MENU, TEXT, TEXT);
	snprintf(prompt.note, sizeof prompt.note, "two of them fit");
	DRAWN(18, 1, "%d[ search  set]%d%d[:setwo of them fit]%d@3", MENU, MENU, TEXT, DIM);
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	DRAWN(20, 1, "%d[ search  set]%d%d[:search]%d@7", ROLE_SELECTION, MENU, TEXT, TEXT);
	/* the page with the chosen one */
	DRAWN(9, 1, "%d[ search]%d%d[:search]%d@7", ROLE_SELECTION, MENU, TEXT, TEXT);
	prompt_edit(&prompt, ACTION_PROMPT_COMPLETE);
	DRAWN(9, 1, "%d[ set]%d%d[:set]%d@4", ROLE_SELECTION, MENU, TEXT, TEXT);
	prompt_free(&prompt);
}

/* ---- signals ---- */

static void note_nothing(int number)
{
	(void)number;
}

static bool handles(int number, void (*handler)(int number))
{
	struct sigaction now;
	sigaction(number, NULL, &now);
	return now.sa_handler == handler;
}

static bool has_stack(void)
{
	stack_t now;
	sigaltstack(NULL, &now);
	return !(now.ss_flags & SS_DISABLE) && now.ss_sp && now.ss_size >= 16384;
}

/* Between the two calls each signal has a handler, crashes one with a stack of its own; then all is
 * as before. */
TEST(signals_are_handled_for_a_time)
{
	static const int noted[] = { SIGWINCH, SIGTSTP, SIGCONT };
	static const int ending[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				      SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM };
	static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE };
	enum { NOTED = 3, ENDING = 8, CRASHES = 5, ALL = NOTED + ENDING + CRASHES };
	const struct sigaction nothing = { .sa_handler = note_nothing };
	struct sigaction before[ALL + 1], now;
	stack_t stack_before, none = { .ss_flags = SS_DISABLE };
	int all[ALL + 1], ends[2];
	char bytes[8];
	memcpy(all, noted, sizeof noted);
	memcpy(all + NOTED, ending, sizeof ending);
	memcpy(all + NOTED + ENDING, crashes, sizeof crashes);
	all[ALL] = SIGPIPE;
	for (int i = 0; i <= ALL; i++)
		sigaction(all[i], &nothing, &before[i]);
	sigaltstack(&none, &stack_before);
	signals_restore(); /* nothing is installed */
	assert_int_equal(pipe(ends), 0);
	for (int round = 0; round < 2; round++) {
		signals_install(ends[1]);
		for (int i = 0; i < ALL; i++)
			assert_false(handles(all[i], note_nothing));
		assert_true(handles(SIGPIPE, SIG_IGN));
		assert_true(has_stack());
		for (int i = 0; i < CRASHES; i++) {
			sigaction(crashes[i], NULL, &now);
			assert_true(now.sa_flags & SA_ONSTACK);
		}
		/* each is taken once, however often it came, and wakes the one that waits */
		for (int i = 0; i < NOTED; i++) {
			raise(noted[i]);
			raise(noted[i]);
			assert_int_equal(read(ends[0], bytes, sizeof bytes), 2);
		}
		bool taken[NSIG] = { false };
		for (int number; (number = signals_take());) {
			assert_false(taken[number]);
			taken[number] = true;
		}
		for (int i = 0; i < NOTED; i++)
			assert_true(taken[noted[i]]);
		raise(SIGTERM); /* what is stuck then ends by itself */
		assert_int_equal(signals_take(), SIGTERM);
		assert_true(alarm(2) > 0);
		signals_restore();
		assert_int_equal(alarm(0), 0);
		for (int i = 0; i <= ALL; i++)
			assert_true(handles(all[i], note_nothing));
		assert_false(has_stack());
		assert_int_equal(read(ends[0], bytes, sizeof bytes), 1);
	}
	for (int i = 0; i <= ALL; i++)
		sigaction(all[i], &before[i], NULL);
	sigaltstack(&stack_before, NULL);
	close(ends[0]);
	close(ends[1]);
}

/* After a crash the terminal has its modes back, and the sequences without their delays; once, and
 * only if it was taken over. */
TEST(an_emergency_restores_the_terminal)
{
	static const struct {
		const char *added, *sent;
	} cases[] = { { "\033[?1l\033>", "\033[?1l\033>" },
		      { "a$<5>b$<20/>", "ab" },
		      { "$<5*>", "" },
		      { "a$b<c", "a$b<c" },
		      { "$<5", "$<5" },
		      { "$", "$" },
		      { "<5>", "<5>" },
		      { "", "" } };
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	int fd = open(ptsname(master), O_RDWR | O_NOCTTY);
	struct termios modes, raw, now;
	assert_int_equal(tcgetattr(fd, &modes), 0);
	modes.c_oflag &= (tcflag_t)~OPOST;
	assert_int_equal(tcsetattr(fd, TCSANOW, &modes), 0);
	raw = modes;
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
	int flags = fcntl(fd, F_GETFL);
	assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char sent[300] = "";
		emergency_prepare(fd);
		emergency_add("<");
		emergency_add(cases[i].added);
		emergency_add(">");
		assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
		emergency_restore(); /* it was not taken over */
		assert_true(read(master, sent, sizeof sent) < 0);
		emergency_arm(true);
		emergency_arm(false);
		emergency_restore();
		assert_true(read(master, sent, sizeof sent) < 0);
		emergency_arm(true);
		emergency_restore();
		ssize_t length = read(master, sent, sizeof sent - 1);
		assert_int_equal(length, strlen(cases[i].sent) + 2);
		assert_memory_equal(sent + 1, cases[i].sent, strlen(cases[i].sent));
		assert_int_equal(tcgetattr(fd, &now), 0);
		assert_int_equal(now.c_lflag, modes.c_lflag);
		assert_int_equal(fcntl(fd, F_GETFL), flags);
		emergency_restore();
		assert_true(read(master, sent, sizeof sent) < 0);
	}
	/* more than there is room for is cut */
	emergency_prepare(fd);
	for (int i = 0; i < 100; i++)
		emergency_add("seven..");
	emergency_arm(true);
	emergency_restore();
	char sent[1000];
	assert_int_equal(read(master, sent, sizeof sent), 256);
	close(fd);
	close(master);
}
