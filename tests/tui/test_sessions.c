/* State kept between sessions: searches, positions, the view; and state that is not kept. */
#include "expect.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDEST = 120 };

/* Start on a copy of the sample run, with one more OPTION (NULL: none). */
static struct pty *start(const char *const *environment, const char *option)
{
	struct pty *pty =
		run_strata(environment, ROWS, WIDEST, "./demo.trace.json.gz", option, NULL);
	expect_text(pty, " 1/");
	pty_settle(pty);
	return pty;
}

static void leave(struct pty *pty)
{
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

static int forget(void **state)
{
	remove_folder(scratch("state/strata"));
	return expectation_teardown(state);
}

#define SESSIONS(name) TEST_AROUND(name, expectation_setup, forget)

SESSIONS(next_session_repeats_search)
{
	struct pty *pty = start(utf8, "--view=operators");
	press(pty, "/batch_norm\r", "matches 'batch_norm'");
	leave(pty);
	pty = start(utf8, "--view=operators");
	press(pty, "n", "matches 'batch_norm'");
	pty_send(pty, ":\033[A");
	press(pty, "\003/\033[A", "/batch_norm");
	pty_send(pty, "\003");
	leave(pty);
}

SESSIONS(file_opens_in_last_view)
{
	struct pty *pty = start(utf8, NULL);
	assert_non_null(strstr(pty_text(pty), "[1 Overview]"));
	press(pty, "4", "[4 Kernels]");
	press(pty, "\r", "Launches"); /* deeper: the view at the top counts */
	leave(pty);
	pty = start(utf8, NULL);
	expect_text(pty, "[4 Kernels]");
	expect_text(pty, "reopened in its last view");
	press(pty, "1", "[1 Overview]");
	leave(pty);
	pty = start(utf8, NULL); /* the overview is where files open anyway */
	expect_text(pty, "[1 Overview]");
	pty_settle(pty);
	assert_null(strstr(pty_text(pty), "reopened"));
	press(pty, "4", "[4 Kernels]");
	leave(pty);
	pty = start(utf8, "--view=steps"); /* the command line has priority */
	expect_text(pty, "[7 Steps]");
	pty_send(pty, ":set norestore\r");
	leave(pty);
	pty = start(utf8, "--no-state");
	expect_text(pty, "[1 Overview]");
	leave(pty);
}

SESSIONS(positions_persist)
{
	struct pty *pty = start(utf8, NULL);
	press(pty, "2jjj\r", "[3 Operators]"); /* narrowed to a layer */
	pty_settle(pty);
	press(pty, "jjmx", "bookmark x set");
	pty_send(pty, "j");
	pty_settle(pty);
	pty_send(pty, "k");
	pty_settle(pty);
	char *before = strdup(pty_text(pty));
	leave(pty);
	pty = start(utf8, "--view=overview");
	press(pty, ":positions\r", "'x  Operators: run > ");
	press(pty, "q'x", "[3 Operators]");
	expect_text(pty, " 3/");
	pty_send(pty, "j");
	pty_settle(pty);
	pty_send(pty, "k");
	pty_settle(pty);
	assert_string_equal(pty_text(pty), before);
	free(before);
	press(pty, "'y", "no such bookmark");
	leave(pty);
}

/* Rows of a file that was written again are others. */
SESSIONS(positions_end_with_their_file)
{
	char path[4096], command[9000];
	snprintf(path, sizeof path, "%s", scratch("written.json.gz"));
	snprintf(command, sizeof command, "cp demo.trace.json.gz %s; touch -d 2024-01-01 %s", path,
		 path);
	free(output_of(command));
	for (int round = 0; round < 3; round++) {
		struct pty *pty = run_strata(utf8, ROWS, WIDEST, path, "--view=operators", NULL);
		expect_text(pty, " 1/");
		pty_settle(pty);
		if (round == 0)
			press(pty, "jjmx", "bookmark x set");
		else
			press(pty, "'x", round == 1 ? " 3/" : "no such bookmark");
		leave(pty);
		if (round == 1) {
			snprintf(command, sizeof command, "touch -d 2024-01-02 %s", path);
			free(output_of(command));
		}
	}
}

/* Cut what is examined off the third line, which an overview that was shown knows. */
static char *without_figures(char *text)
{
	char *scope = strchr(strchr(text, '\n') + 1, '\n') + 1, *end = strchr(scope, '\n');
	char *figures = strstr(scope, "   ");
	if (figures && figures < end)
		memmove(figures, end, strlen(end) + 1);
	return text;
}

/* The screen at the bookmark LETTER, without what the footer says of going there. */
static char *screen_at(struct pty *pty, char letter)
{
	const char keys[] = { '\'', letter, '\0' };
	pty_send(pty, keys);
	pty_settle(pty);
	pty_send(pty, "j");
	pty_settle(pty);
	pty_send(pty, "k");
	pty_settle(pty);
	return without_figures(strdup(pty_text(pty)));
}

/* A bookmark of a narrowed view shows the same in the next session. */
SESSIONS(places_of_every_scope_persist)
{
	static const struct {
		const char *keys, *shown;
	} places[] = {
		{ ":steps 3..4\r:view kernels\r", "[4 Kernels]" },
		{ ":device 0\r:view launches\r", "[Launches]" },
		{ ":stream 7\r:view layers\r", "[2 Layers]" },
		{ ":time 5ms..20ms\r:view operators\r", "[3 Operators]" },
		{ ":under ResNet_0/Sequential_0\r:view calls\r", "[Calls]" },
		{ "3/conv\r\r", "[Calls]" },
	};
	enum { PLACES = sizeof places / sizeof *places };
	char *before[PLACES];
	struct pty *pty = start(utf8, NULL);
	for (int i = 0; i < PLACES; i++) {
		const char mark[] = { 'm', (char)('A' + i), '\0' };
		pty_send(pty, "\033\033\033\033");
		pty_settle(pty);
		press(pty, ":dashboard\r", "[1 Overview]");
		press(pty, places[i].keys, places[i].shown);
		pty_settle(pty);
		pty_send(pty, "jj");
		pty_settle(pty);
		press(pty, mark, "set");
		before[i] = screen_at(pty, (char)('A' + i));
		assert_non_null(strstr(before[i], " run > "));
	}
	leave(pty);
	pty = start(utf8, "--view=overview");
	for (int i = 0; i < PLACES; i++) {
		char *after = screen_at(pty, (char)('A' + i));
		assert_non_null(strstr(after, places[i].shown));
		assert_string_equal(after, before[i]);
		free(after);
		free(before[i]);
	}
	leave(pty);
}

SESSIONS(sample_run_keeps_nothing)
{
	struct pty *pty = run_strata(utf8, ROWS, WIDEST, "--demo", NULL);
	expect_text(pty, "[1 Overview]");
	press(pty, "4", "[4 Kernels]");
	press(pty, "/xmma\r", "matches 'xmma'");
	pty_send(pty, "mx");
	pty_settle(pty);
	leave(pty);
	assert_int_equal(access(scratch("state/strata"), F_OK), -1);
}

SESSIONS(works_without_state_directory)
{
	static const char *const environments[][6] = {
		{ "TERM=xterm", "LC_ALL=C.UTF-8", "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME",
		  NULL },
		{ "TERM=xterm", "LC_ALL=C.UTF-8", "HOME=/proc", "XDG_STATE_HOME=/proc/x",
		  "XDG_CONFIG_HOME=/proc/y", NULL }
	};

	for (int i = 0; i < 2; i++) {
		struct pty *pty = start(environments[i], NULL);
		expect_text(pty, "[1 Overview]");
		pty_send(pty, "/kernel\rma'a");
		pty_settle(pty);
		assert_null(strstr(pty_text(pty), "cannot"));
		leave(pty);
	}
}

SESSIONS(configuration_errors_are_shown_inside)
{
	static const char config[] = "bind table J move-down\nset nosuch on\n";
	char option[200];

	write_whole(scratch("config.bad"), config, sizeof config - 1);
	snprintf(option, sizeof option, "--config=%s", scratch("config.bad"));
	struct pty *pty = start(utf8, option);
	expect_text(pty, "config.bad:2: unknown option 'nosuch'");
	pty_send(pty, "J");
	pty_settle(pty);
	leave(pty);
}

SESSIONS(copy_goes_to_terminal_or_file)
{
	size_t length;
	struct pty *pty = start(utf8, "--view=operators");
	press(pty, "/^aten::conv2d$\r", "1 of 1 match");
	press(pty, "y", "copied to the terminal's clipboard: 'aten::conv2d', 12 B");
	assert_true(pty_wrote(pty, "\033]52;c;YXRlbjo6Y29udjJk\a"));
	assert_false(pty_wrote(pty, "Ptmux;"));
	press(pty, "  Y", "copied to the terminal's clipboard: 2 rows");
	press(pty, ":set noclipboard\ry", "2 names");
	leave(pty);
	char *copied = read_whole(scratch("state/strata/copied"), &length);
	copied[strcspn(copied, "\n")] = '\0';
	assert_string_equal(copied, "aten::conv2d");
	mem_free(copied);
}

SESSIONS(a_finding_is_copied_with_its_evidence)
{
	struct pty *pty = start(utf8, "--view=dashboard");
	expect_text(pty, "Data loader bound");
	press(pty, "jy", "'Data loader bound");
	/* "Data loader bound\t15.5 %\t" and more */
	expect_sent(pty, "\033]52;c;RGF0YSBsb2FkZXIgYm91bmQJMTUuNSAlC");
	leave(pty);
}

SESSIONS(copy_passes_through_tmux)
{
	static const char *const tmux[] = { "TERM=screen-256color", "LC_ALL=C.UTF-8",
					    "TMUX=/tmp/t,1,0", NULL };
	struct pty *pty = start(tmux, NULL);
	press(pty, "3/^aten::conv2d$\r", "1 of 1 match");
	press(pty, "y", "copied to the terminal's clipboard (tmux needs set-clipboard on)");
	assert_true(pty_wrote(pty, "\033Ptmux;\033\033]52;c;YXRlbjo6Y29udjJk\a\033\\"));
	leave(pty);
}

SESSIONS(plain_rows_stay_until_enter)
{
	struct pty *pty = start(utf8, "--view=kernels");
	press(pty, ":plain\r", "Press Enter to return to strata.");
	assert_true(pty_modes_kept(pty));
	press(pty, "n3\r", "[4 Kernels]"); /* the whole line is only waited for */
	press(pty, "j", " 2/");
	expect_text(pty, "[4 Kernels]");
	leave(pty);
}
