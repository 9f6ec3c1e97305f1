/* Mouse: expectation 40 in full, and the function bar. */
#include "expect.h"

#include <stdio.h>
#include <string.h>

/* Send EVENT (0: click, 64 and 65: wheel) at a row and column, counted from 0. */
static void send_mouse(struct pty *pty, int event, int row, int column)
{
	char bytes[64];

	snprintf(bytes, sizeof bytes, "\033[<%d;%d;%dM\033[<%d;%d;%dm", event, column + 1, row + 1,
		 event, column + 1, row + 1);
	pty_send(pty, bytes);
}

/* Find TEXT: returns its row and sets the column of its start. */
static int find(struct pty *pty, const char *text, int *column)
{
	expect_text(pty, text);
	int row = pty_find(pty, text);
	const char *line = pty_line(pty, row), *at = strstr(line, text);

	*column = 0;
	for (; line < at; line++)
		*column += ((unsigned char)*line & 0xc0) != 0x80;
	return row;
}

static void click(struct pty *pty, const char *text)
{
	int column, row = find(pty, text, &column);

	send_mouse(pty, 0, row, column);
}

static struct pty *run_with_mouse(const char *view)
{
	struct pty *pty = run_strata(utf8, ROWS, WIDE, "--mouse", "--demo", NULL);

	expect_text(pty, "[1 Overview]");
	pty_send(pty, view);
	return pty;
}

EXPECTATION(click_on_heading_sorts)
{
	struct pty *pty = run_with_mouse("3");
	expect_text(pty, "1/70");
	click(pty, "Calls");
	expect_text(pty, "Calls▼");
	click(pty, "Calls▼");
	expect_text(pty, "Calls▲");
}

EXPECTATION(only_rows_are_selectable)
{
	int column, row;

	struct pty *pty = run_with_mouse("3");
	expect_text(pty, "1/70");
	/* neither totals nor detail strip nor rules count as table rows */
	row = find(pty, "70 rows", &column);
	send_mouse(pty, 0, row, column);
	send_mouse(pty, 0, row + 1, column);
	send_mouse(pty, 0, row + 2, column);
	send_mouse(pty, 0, row + 3, column);
	press(pty, "j", " 2/70");
	/* a double click on a row drills down */
	row = find(pty, "aten::convolution_backward", &column);
	send_mouse(pty, 0, row, column);
	send_mouse(pty, 0, row, column);
	expect_text(pty, "[Calls]");
}

EXPECTATION(click_on_fold_sign_folds)
{
	int column, row;

	struct pty *pty = run_with_mouse("2");
	expect_text(pty, "1/40");
	row = find(pty, "▸ BasicBlock_1", &column);
	send_mouse(pty, 0, row, column + 2);
	expect_selected(pty, "BasicBlock_1");
	expect_text(pty, "/40"); /* on the name it only selects */
	send_mouse(pty, 0, row, column);
	expect_text(pty, "▾ BasicBlock_1");
	expect_gone(pty, "/40");
	send_mouse(pty, 0, row, column);
	expect_text(pty, "▸ BasicBlock_1");
	expect_text(pty, "/40");
}

EXPECTATION(function_bar_is_clickable)
{
	struct pty *pty = run_with_mouse("3");
	expect_text(pty, "1/70");
	click(pty, "& Filter");
	expect_gone(pty, "? Help");
	press(pty, "batch_norm\r", "&batch_norm (");
	press(pty, "&\025\r", "70 rows");
	click(pty, "? Help");
	expect_text(pty, "[help]");
	click(pty, "Backspace Back");
	expect_text(pty, "[3 Operators]");
}

EXPECTATION(menus_are_clickable)
{
	int column, row;

	struct pty *pty = run_with_mouse("3");
	expect_text(pty, "1/70");
	click(pty, "s Sort");
	expect_text(pty, "┌─ ");
	row = find(pty, "Kernels  ", &column);
	send_mouse(pty, 65, row, column);
	expect_text(pty, "┌─ "); /* the wheel only moves in it */
	click(pty, "│ CPU Self");
	expect_gone(pty, "┌─ ");
	expect_text(pty, "CPU Self▼");
	click(pty, "s Sort");
	expect_text(pty, "┌─ ");
	send_mouse(pty, 0, 0, 0); /* outside it */
	expect_gone(pty, "┌─ ");
	expect_text(pty, "CPU Self▼");
}

EXPECTATION(right_button_opens_the_menu)
{
	int column, row;

	struct pty *pty = run_with_mouse("3");
	expect_text(pty, "1/70");
	row = find(pty, "aten::copy_", &column);
	send_mouse(pty, 2, row, column);
	expect_text(pty, "┌─ Actions");
	expect_selected(pty, "aten::copy_");
	pty_send(pty, "\033");
	expect_gone(pty, "┌─ Actions");
}

EXPECTATION(breadcrumb_leads_back)
{
	struct pty *pty = run_with_mouse("3");
	expect_text(pty, "1/70");
	press(pty, "\r", "[Calls]");
	click(pty, "run > ");
	expect_text(pty, "[3 Operators]");
}

/* The line between two panes follows the mouse. */
EXPECTATION(drag_moves_the_splitter)
{
	char bytes[64];
	int before, after;

	struct pty *pty = run_strata(utf8, ROWS, 160, "--mouse", "--demo", NULL);
	expect_text(pty, "[1 Overview]");
	press(pty, "3", "1/70");
	press(pty, "S", "│");
	pty_settle(pty);
	int row = find(pty, "│", &before);
	snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM\033[<0;%d;%dm", before + 1, row + 3,
		 before + 21, row + 3);
	pty_send(pty, bytes);
	for (int waited = 0; waited < PATIENCE_MS; waited += 20) {
		pty_read(pty, 20);
		if (pty_find(pty, "│") >= 0 && (find(pty, "│", &after), after > before + 15))
			return;
	}
	fail_msg("the line stays at column %d", before);
}

EXPECTATION(tabs_open_views)
{
	int column, row;

	struct pty *pty = run_with_mouse("3");
	expect_text(pty, "[3 Operators]");
	click(pty, "Kernels");
	expect_text(pty, "[4 Kernels]");
	click(pty, "; SQL");
	expect_text(pty, "sql>");
	pty_send(pty, "\033");
	expect_gone(pty, "sql>");
	press(pty, ":view stacks\r", "[Stacks]");
	row = find(pty, "[Stacks]", &column);
	send_mouse(pty, 0, row, column + 2); /* already open */
	press(pty, "j", " 2/");
	expect_text(pty, "[Stacks]");
}

EXPECTATION(timeline_is_clickable)
{
	int column, row;

	struct pty *pty = run_with_mouse("5");
	expect_text(pty, "(46.36 ms)");
	row = find(pty, "ProfilerStep", &column);
	send_mouse(pty, 0, row, column);
	expect_text(pty, "Name ProfilerStep");
	send_mouse(pty, 64, row, column); /* the wheel zooms around the pointer */
	expect_text(pty, "(23.18 ms)");
	send_mouse(pty, 65, row, column);
	expect_text(pty, "(46.36 ms)");
}

EXPECTATION(click_focuses_other_pane)
{
	int column, row;

	struct pty *pty = run_with_mouse("3S");
	expect_text(pty, "[Operators]");
	row = find(pty, "1/60", &column);
	send_mouse(pty, 0, row + 3, column + 4);
	expect_text(pty, "[Calls]");
	expect_text(pty, " 2/60");
}

EXPECTATION(frames_are_clickable_below_their_names)
{
	int column, row;

	struct pty *pty = run_strata(utf8, 45, 160, "--mouse", "--demo", NULL);
	expect_text(pty, "[1 Overview]");
	pty_send(pty, ":plot flame\r");
	expect_text(pty, "[Flame Graph]");
	row = find(pty, "ResNet_0", &column);
	expect_text(pty, "Frame all");
	send_mouse(pty, 0, row + 1, column);
	expect_text(pty, "Frame ResNet_0");
}
