/* Expectations 32 to 36: searching, filtering, sorting. */
#include "expect.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pty *run_operators(void)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);

	press(pty, "3", "1/70");
	pty_settle(pty);
	return pty;
}

/* Cells highlighted as matches, black on yellow, in rows that are not selected. */
static int hit_cells(struct pty *pty)
{
	int count = 0;

	for (int row = 5; row < pty->rows - 8; row++) {
		if (*pty_line(pty, row) == '>')
			continue;
		for (int column = 1; column < pty->columns; column++) {
			struct pty_look look = pty_look(pty, row, column);
			count += !look.plain_background && !look.reverse;
		}
	}
	return count;
}

EXPECTATION(32_search_is_incremental)
{
	static const char typed[] = "batch_norm";

	struct pty *pty = run_operators();
	press(pty, "jj", " 3/70");
	press(pty, "j", " 4/70");
	pty_settle(pty);
	char *before = strdup(pty_text(pty));
	assert_int_equal(hit_cells(pty), 0);
	/* each character typed moves the view */
	pty_send(pty, "/");
	for (size_t i = 0; i < sizeof typed - 1; i++) {
		char key[2] = { typed[i], '\0' }, line[32];
		snprintf(line, sizeof line, "/%.*s", (int)i + 1, typed);
		press(pty, key, line);
		expect_text(pty, " matches '");
	}
	expect_text(pty, "2 of 4 matches 'batch_norm' (");
	expect_selected(pty, "aten::cudnn_batch_norm ");
	pty_settle(pty);
	assert_true(hit_cells(pty) >=
		    (int)sizeof typed - 1); /* matches in rows that are not selected */
	/* Esc restores the previous state */
	pty_send(pty, "\033");
	for (int waited = 0; waited < PATIENCE_MS && strcmp(pty_text(pty), before); waited += 20)
		pty_read(pty, 20);
	assert_string_equal(pty_text(pty), before);
	assert_int_equal(hit_cells(pty), 0);
	free(before);
	/* Enter stays at the match and shows its position */
	press(pty, "/batch_norm\r", "2 of 4 matches 'batch_norm' (");
	expect_text(pty, " % of GPU time)");
	expect_selected(pty, "aten::cudnn_batch_norm ");
	press(pty, "n", "3 of 4 matches 'batch_norm'");
	expect_selected(pty, "batch_norm");
	press(pty, "N", "2 of 4 matches 'batch_norm'");
}

enum { GRACE_US = 1000000 };

/* A search in a pane that is still being made is done when the rows are there. */
EXPECTATION(search_waits_for_rows)
{
	static const char *const panes[][2] = { { "4", "[4 Kernels]" }, { "5", "[5 Timeline]" } };

	for (size_t i = 0; i < sizeof panes / sizeof panes[0]; i++) {
		const char *path = scratch("pipe.csv");
		char command[200], read_bytes[4096];
		struct pty *pty = run_operators();

		/* what makes panes writes to a pipe that is not read yet */
		assert_int_equal(mkfifo(path, 0600), 0);
		snprintf(command, sizeof command, ":write! %s\r", path);
		press(pty, command, "Writing");
		press(pty, panes[i][0], panes[i][1]);
		usleep(GRACE_US); /* keys are no longer held for the result */
		pty_send(pty, "/gemm\r");
		pty_settle(pty);
		assert_null(strstr(pty_text(pty), "matches 'gemm'"));
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		while (read(fd, read_bytes, sizeof read_bytes) > 0)
			;
		close(fd);
		expect_text(pty, "matches 'gemm'");
		unlink(path);
		expectation_teardown(NULL);
	}
}

/* The line at which the search began has no room any more. */
EXPECTATION(search_goes_on_in_a_smaller_window)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "\t\t", "Findings");
	press(pty, "/z", "/z");
	pty_resize(pty, 3, 20);
	pty_settle(pty);
	pty_send(pty, "zz");
	pty_settle(pty);
	pty_resize(pty, ROWS, WIDE);
	press(pty, "\r", "no match for 'zzz'");
	expect_alive(pty);
}

EXPECTATION(33_invalid_expression_is_reported_in_place)
{
	struct pty *pty = run_operators();
	press(pty, "/batch_norm\r", "1 of 4 matches");
	press(pty, "/conv(", "/conv(");
	expect_text(pty, "invalid at byte 5"); /* next to the input */
	assert_int_equal(pty_find(pty, "/conv("), ROWS - 1);
	press(pty, "\r", "regular expression");
	press(pty, "n", "2 of 4 matches 'batch_norm'"); /* without a key in between */
	press(pty, "/conv(", "invalid at byte 5");
	press(pty, ")", "matches 'conv()'"); /* once corrected, it is searched */
	pty_send(pty, "\033");
	expect_gone(pty, "/conv");
	press(pty, "n", "3 of 4 matches 'batch_norm'");
	press(pty, "&(\r", "regular expression");
	expect_text(pty, "/70"); /* not filtered */
	press(pty, ":filter [\r", "regular expression");
	expect_text(pty, "/70");
}

EXPECTATION(34_no_match_and_wrapping_are_reported)
{
	char place[256], command[512];
	const char *const environment[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR",
					    place, NULL };

	snprintf(place, sizeof place, "XDG_STATE_HOME=%s", scratch("sessions"));
	/* not --demo, which keeps no state */
	struct pty *pty = run_strata(environment, ROWS, WIDE, "demo.trace.json.gz", NULL);
	press(pty, "3", "1/70");
	press(pty, "n", "no previous search");
	press(pty, "/no such name\r", "no match for 'no such name'");
	expect_text(pty, " 1/70");
	press(pty, "/batch_norm\r", "1 of 4 matches");
	press(pty, "nnn", "4 of 4 matches");
	press(pty, "n", "1 of 4 matches");
	expect_text(pty, "wrapped to the top");
	press(pty, "N", "4 of 4 matches");
	expect_text(pty, "wrapped to the bottom");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	expectation_teardown(NULL);
	/* the next session can repeat the search, and the history file is private */
	pty = run_strata(environment, ROWS, WIDE, "demo.trace.json.gz", "--view", "operators",
			 NULL);
	expect_text(pty, "1/70");
	press(pty, "n", "matches 'batch_norm'");
	press(pty, "/\033[A", "/batch_norm");
	press(pty, "\033[A", "/no such name");
	pty_send(pty, "\003");
	expect_gone(pty, "/no such name");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	snprintf(command, sizeof command, "find %s/strata -type f -not -perm 600",
		 scratch("sessions"));
	char *open = output_of(command);
	assert_string_equal(open, "");
	free(open);
	snprintf(command, sizeof command, "grep -rl batch_norm %s/strata", scratch("sessions"));
	char *kept = output_of(command);
	assert_string_not_equal(kept, "");
	free(kept);
}

EXPECTATION(35_filter_is_shown_persists_and_can_be_cleared)
{
	struct pty *pty = run_operators();
	press(pty, "/cudnn_batch_norm$\r", "1 of 1 matches");
	press(pty, "\033", "search cleared");
	expect_selected(pty, "aten::cudnn_batch_norm ");
	char row[16];
	snprintf(row, sizeof row, "%s", strstr(pty_line(pty, ROWS - 1), "% ") + 1);
	press(pty, "&batch\r", "&batch (6 of 70)");
	expect_selected(pty, "aten::cudnn_batch_norm ");
	assert_non_null(strstr(pty_line(pty, 2), "&batch (6 of 70)"));
	/* after sorting, the filter and the selected row stay */
	press(pty, ":sort name\r", "Name▲");
	expect_text(pty, "&batch (6 of 70)");
	expect_selected(pty, "aten::cudnn_batch_norm ");
	/* drill down and back */
	press(pty, "\r", "[Calls]");
	expect_gone(pty, "&batch");
	press(pty, "\177", "&batch (6 of 70)");
	expect_selected(pty, "aten::cudnn_batch_norm ");
	press(pty, ":sort gpu_self_ns\r", "GPU Self▼");
	press(pty, ":filter\r", "/70");
	expect_gone(pty, "&batch");
	expect_selected(pty, "aten::cudnn_batch_norm ");
	expect_text(pty, row);
	/*
	 * a filter that hides the selected row selects a visible one; clearing it restores the row
	 */
	press(pty, "&conv\r", "&conv (");
	expect_selected(pty, "conv");
	press(pty, "&\025!conv\r", "&!conv (");
	press(pty, "&\025calls:^60$\r", "&calls:^60$ (");
	press(pty, "&\025\r", "/70");
}

/* Many calls with few names, shuffled. */
static void write_many(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("{\"traceEvents\":[\n", file);
	for (unsigned i = 0; i < 200000; i++)
		fprintf(file,
			"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%u\",\"pid\":1,\"tid\":1,"
			"\"ts\":%u,\"dur\":%u},\n",
			i * 7919 % 1000, 20 * i, 1 + i * 31 % 17);
	fputs("{}]}\n", file);
	fclose(file);
}

/* Names of the visible rows, one a line. */
static void names_shown(struct pty *pty, int header, char *out, size_t size)
{
	size_t at = 0;

	for (int row = header + 1; row < header + 9; row++) {
		char name[64];
		if (sscanf(pty_line(pty, row) + 1, "%60s", name) == 1)
			at += (size_t)snprintf(out + at, size - at, "%s\n", name);
	}
}

static void wait_for_one(struct pty *pty, const char *one, const char *other, const char *third)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += 20) {
		const char *text = pty_text(pty);
		if (strstr(text, one) || strstr(text, other) || strstr(text, third))
			return;
		pty_read(pty, 20);
	}
	fail_msg("neither %s nor %s nor %s; the screen is:\n%s", one, other, third, pty_text(pty));
}

EXPECTATION(36_sorting_keeps_the_row)
{
	char once[1024], twice[1024];

	struct pty *pty = run_operators();
	press(pty, "/aten::mm$\r", "1 of 1 matches");
	expect_selected(pty, "aten::mm ");
	/* numbers sort descending, names ascending; the header shows it */
	press(pty, ">", "GPU Total▼");
	expect_selected(pty, "aten::mm ");
	press(pty, "<", "GPU Self▼");
	press(pty, "<", "Calls▼");
	expect_selected(pty, "aten::mm ");
	press(pty, "<", "Name▲");
	expect_selected(pty, "aten::mm ");
	/* the same key again reverses the order */
	press(pty, "I", "Name▼");
	expect_selected(pty, "aten::mm ");
	press(pty, "s", "Sort By");
	expect_text(pty, "descending");
	press(pty, "\r", "Name▲");
	press(pty, "s\033[B\r", "Calls▼");
	press(pty, "s\r", "Calls▲");
	expect_selected(pty, "aten::mm ");
	/* stable: equal rows keep one order, whatever the previous sort */
	press(pty, ":sort calls\r", "Calls▼");
	press(pty, "g", " 1/70");
	pty_settle(pty);
	names_shown(pty, pty_find(pty, "Calls▼"), once, sizeof once);
	press(pty, ":sort name\r", "Name▲");
	press(pty, ":sort calls\r", "Calls▼");
	press(pty, "g", " 1/70");
	pty_settle(pty);
	names_shown(pty, pty_find(pty, "Calls▼"), twice, sizeof twice);
	assert_string_equal(once, twice);
	expectation_teardown(NULL);
	/*
	 * a long sort can be cancelled: the previous order stays, with a message; otherwise it
	 * completes
	 */
	write_many(scratch("many.json"));
	pty = run_strata(utf8, ROWS, WIDE, "--view", "calls", scratch("many.json"), NULL);
	expect_text(pty, "1/200000");
	press(pty, ":100000\r", "50% 100000/200000");
	pty_settle(pty);
	char name[64];
	assert_int_equal(sscanf(selected_line(pty), ">%60s", name), 1);
	pty_send(pty, ":sort name\r");
	pty_send(pty, "\003");
	wait_for_one(pty, "Name▲", "canceled", "Ctrl-C again");
	pty_settle(pty);
	expect_selected(pty, name);
	assert_int_equal(strstr(pty_text(pty), "Name▲") != NULL,
			 strstr(pty_text(pty), " 100000/200000") == NULL);
	expect_alive(pty);
}
