/* State kept between sessions: searches, positions, the view; and state that is not kept. */
#include "../unit/test.h"
#include "pty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 30, COLUMNS_WIDE = 120, PATIENCE_MS = 20000 };

static char state_home[] = "/tmp/strata-sessions-XXXXXX";
static char state_variable[sizeof state_home + 20];

/* Start on a copy of the sample run, with one more OPTION (NULL: none). */
static void start(struct pty *pty, const char *option)
{
	char *const argv[] = { "./strata", "./demo.trace.json.gz", (char *)option, NULL };
	const char *const environment[] = { "TERM=xterm-256color",
					    "LC_ALL=C.UTF-8",
					    "NO_COLOR",
					    state_variable,
					    "XDG_CONFIG_HOME=/nonexistent",
					    NULL };

	pty_start(pty, argv, environment, ROWS, COLUMNS_WIDE);
	assert_true(pty_wait(pty, " 1/", PATIENCE_MS));
	pty_settle(pty);
}

static void leave(struct pty *pty)
{
	pty_send(pty, "Q");
	assert_true(pty_wait_end(pty, PATIENCE_MS));
	assert_int_equal(WEXITSTATUS(pty->status), 0);
	pty_end(pty);
}

static void forget(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf %s/strata", state_home);
	assert_int_equal(system(command), 0);
}

TEST(next_session_repeats_search)
{
	struct pty pty;

	start(&pty, "--view=operators");
	pty_send(&pty, "/batch_norm\r");
	assert_true(pty_wait(&pty, "matches 'batch_norm'", PATIENCE_MS));
	leave(&pty);
	start(&pty, "--view=operators");
	pty_send(&pty, "n");
	assert_true(pty_wait(&pty, "matches 'batch_norm'", PATIENCE_MS));
	pty_send(&pty, ":\033[A");
	pty_send(&pty, "\003/\033[A");
	assert_true(pty_wait(&pty, "/batch_norm", PATIENCE_MS));
	pty_send(&pty, "\003");
	leave(&pty);
	forget();
}

TEST(file_opens_in_last_view)
{
	struct pty pty;

	start(&pty, NULL);
	assert_non_null(strstr(pty_text(&pty), "[1 Overview]"));
	pty_send(&pty, "4");
	assert_true(pty_wait(&pty, "[4 Kernels]", PATIENCE_MS));
	pty_send(&pty, "\r"); /* deeper: the view at the top counts */
	assert_true(pty_wait(&pty, "Launches", PATIENCE_MS));
	leave(&pty);
	start(&pty, NULL);
	assert_true(pty_wait(&pty, "[4 Kernels]", PATIENCE_MS));
	assert_true(pty_wait(&pty, "reopened in its last view", PATIENCE_MS));
	leave(&pty);
	start(&pty, "--view=steps"); /* the command line has priority */
	assert_true(pty_wait(&pty, "[7 Steps]", PATIENCE_MS));
	pty_send(&pty, ":set norestore\r");
	leave(&pty);
	start(&pty, "--no-state");
	assert_true(pty_wait(&pty, "[1 Overview]", PATIENCE_MS));
	leave(&pty);
	forget();
}

TEST(positions_persist)
{
	struct pty pty;

	start(&pty, NULL);
	pty_send(&pty, "2jjj\r"); /* narrowed to a layer */
	assert_true(pty_wait(&pty, "[3 Operators]", PATIENCE_MS));
	pty_settle(&pty);
	pty_send(&pty, "jjmx");
	assert_true(pty_wait(&pty, "bookmark x set", PATIENCE_MS));
	pty_send(&pty, "j");
	pty_settle(&pty);
	pty_send(&pty, "k");
	pty_settle(&pty);
	char *before = strdup(pty_text(&pty));
	leave(&pty);
	start(&pty, "--view=overview");
	pty_send(&pty, ":positions\r");
	assert_true(pty_wait(&pty, "'x  Operators: run > ", PATIENCE_MS));
	pty_send(&pty, "q'x");
	assert_true(pty_wait(&pty, "[3 Operators]", PATIENCE_MS));
	assert_true(pty_wait(&pty, " 3/", PATIENCE_MS));
	pty_send(&pty, "j");
	pty_settle(&pty);
	pty_send(&pty, "k");
	pty_settle(&pty);
	assert_string_equal(pty_text(&pty), before);
	free(before);
	pty_send(&pty, "'y");
	assert_true(pty_wait(&pty, "no such bookmark", PATIENCE_MS));
	leave(&pty);
	forget();
}

TEST(works_without_state_directory)
{
	static char *const argv[] = { "./strata", "./demo.trace.json.gz", NULL };
	static const char *const environments[][6] = {
		{ "TERM=xterm", "LC_ALL=C.UTF-8", "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME",
		  NULL },
		{ "TERM=xterm", "LC_ALL=C.UTF-8", "HOME=/proc", "XDG_STATE_HOME=/proc/x",
		  "XDG_CONFIG_HOME=/proc/y", NULL }
	};

	for (int i = 0; i < 2; i++) {
		struct pty pty;
		pty_start(&pty, argv, environments[i], ROWS, COLUMNS_WIDE);
		assert_true(pty_wait(&pty, "[1 Overview]", PATIENCE_MS));
		pty_settle(&pty);
		pty_send(&pty, "/kernel\rma'a");
		pty_settle(&pty);
		assert_null(strstr(pty_text(&pty), "cannot"));
		leave(&pty);
	}
}

TEST(configuration_errors_are_shown_inside)
{
	char path[200], option[220];
	struct pty pty;

	snprintf(path, sizeof path, "%s/config", state_home);
	FILE *file = fopen(path, "w");
	fputs("bind table J move-down\nset nosuch on\n", file);
	fclose(file);
	snprintf(option, sizeof option, "--config=%s", path);
	start(&pty, option);
	assert_true(pty_wait(&pty, "config:2: unknown option 'nosuch'", PATIENCE_MS));
	pty_send(&pty, "J");
	pty_settle(&pty);
	leave(&pty);
	forget();
}

static bool wrote(const struct pty *pty, const char *sequence)
{
	return memmem(pty->raw, pty->raw_length, sequence, strlen(sequence)) != NULL;
}

TEST(copy_goes_to_terminal_or_file)
{
	char path[200], line[200] = "";
	struct pty pty;

	start(&pty, "--view=operators");
	pty_send(&pty, "/^aten::conv2d$\r");
	assert_true(pty_wait(&pty, "1 of 1 match", PATIENCE_MS));
	pty_send(&pty, "y");
	assert_true(pty_wait(&pty, "copied to the terminal's clipboard: 'aten::conv2d', 12 B",
			     PATIENCE_MS));
	assert_true(wrote(&pty, "\033]52;c;YXRlbjo6Y29udjJk\a"));
	assert_false(wrote(&pty, "Ptmux;"));
	pty_send(&pty, "  Y");
	assert_true(pty_wait(&pty, "copied to the terminal's clipboard: 2 rows", PATIENCE_MS));
	pty_send(&pty, ":set noclipboard\ry");
	assert_true(pty_wait(&pty, "2 names", PATIENCE_MS));
	leave(&pty);
	snprintf(path, sizeof path, "%s/strata/copied", state_home);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	assert_string_equal(line, "aten::conv2d\n");
	fclose(file);
	forget();
}

TEST(copy_passes_through_tmux)
{
	char *const argv[] = { "./strata", "./demo.trace.json.gz", NULL };
	const char *const environment[] = { "TERM=screen-256color",
					    "LC_ALL=C.UTF-8",
					    "TMUX=/tmp/t,1,0",
					    state_variable,
					    "XDG_CONFIG_HOME=/nonexistent",
					    NULL };
	struct pty pty;

	pty_start(&pty, argv, environment, ROWS, COLUMNS_WIDE);
	assert_true(pty_wait(&pty, " 1/", PATIENCE_MS));
	pty_settle(&pty);
	pty_send(&pty, "3/^aten::conv2d$\r");
	assert_true(pty_wait(&pty, "1 of 1 match", PATIENCE_MS));
	pty_send(&pty, "y");
	assert_true(pty_wait(&pty,
			     "copied to the terminal's clipboard (tmux needs set-clipboard on)",
			     PATIENCE_MS));
	assert_true(wrote(&pty, "\033Ptmux;\033\033]52;c;YXRlbjo6Y29udjJk\a\033\\"));
	leave(&pty);
	forget();
}

TEST(plain_rows_stay_until_enter)
{
	struct pty pty;

	start(&pty, "--view=kernels");
	pty_send(&pty, ":plain\r");
	assert_true(pty_wait(&pty, "Press Enter to return to strata.", PATIENCE_MS));
	assert_true(pty_modes_kept(&pty));
	pty_send(&pty, "\r");
	assert_true(pty_wait(&pty, "[4 Kernels]", PATIENCE_MS));
	pty_send(&pty, "j");
	assert_true(pty_wait(&pty, " 2/", PATIENCE_MS));
	leave(&pty);
	forget();
}

static int make_home(void **state)
{
	if (!mkdtemp(state_home))
		return 1;
	snprintf(state_variable, sizeof state_variable, "XDG_STATE_HOME=%s", state_home);
	return 0;
}

static int remove_home(void **state)
{
	char command[100];
	snprintf(command, sizeof command, "rm -rf %s", state_home);
	return system(command);
}

TEST_PROGRAM(make_home, remove_home)
