/* strata attach on a terminal: processes that ask are listed, and those that are picked are
 * recorded. */
#include "expect.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SCREEN_COLUMNS = 130 };

static char *trace;

/* An endpoint of this test, and a trace for the clients to write. */
static int prepare(void **state)
{
	char command[9000];
	trace = mem_strdup(scratch("picked.json"));
	mkdir(scratch("ipc"), 0700);
	mkdir(scratch("traces"), 0700);
	setenv("KINETO_IPC_SOCKET_DIR", scratch("ipc"), 1);
	setenv("KINETO_ONDEMAND_TRACE_DIR", scratch("traces"), 1);
	snprintf(command, sizeof command, "./tracegen --steps 2 --layers 2 --stacks 0 -o %s",
		 trace);
	free(output_of(command));
	return expectation_setup(state);
}

static int forget(void **state)
{
	mem_free(trace);
	return expectation_teardown(state);
}

#define ATTACHING(name) TEST_AROUND(name, prepare, forget)

static struct pty *play(void)
{
	char *argv[] = { "../tests/attach/attach_client", "-i", "300", trace, NULL };
	return run_argv(argv, utf8, ROWS, SCREEN_COLUMNS);
}

ATTACHING(a_process_that_asks_is_picked_and_opened)
{
	struct pty *pty = run_strata(utf8, ROWS, SCREEN_COLUMNS, "attach", "--duration", "100ms",
				     "--no-state", "--view", "operators", NULL);
	expect_text(pty, "nothing yet");
	press(pty, "\r", "nothing yet");
	play();
	expect_text(pty, "[ ]   1 ");
	struct pty *second = play();
	expect_text(pty, "[ ]   2 ");
	press(pty, "<j ", "[x]   2 "); /* they keep their order */
	assert_null(strstr(pty_text(pty), "[x]   1 "));
	pty_send(pty, "\r");
	expect_text(pty, "aten::");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	expect_exit(second, 0);
}

ATTACHING(nothing_is_picked)
{
	play();
	struct pty *pty = run_strata(utf8, ROWS, SCREEN_COLUMNS, "attach", NULL);
	expect_text(pty, "[ ]   1 ");
	press(pty, "a", "[x]   1 ");
	press(pty, " ", "[ ]   1 ");
	pty_send(pty, "q");
	expect_text(pty, "strata attach --pid PID or --all records them");
	expect_exit(pty, 0);
	/* a theme that is none is no obstacle */
	pty = run_strata(ascii, ROWS, SCREEN_COLUMNS, "attach", "--theme", "nothing", NULL);
	expect_text(pty, "[ ]   1 ");
	assert_true(pty_wrote(pty, ";7m")); /* the row is seen, without colors */
	assert_false(pty_wrote(pty, "\033[40m"));
	pty_send(pty, "\003");
	expect_exit(pty, 0);
}
