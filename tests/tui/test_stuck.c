/*
 * Stuck files and terminals: the explorer can still be quit and restores the terminal.
 */
#include "expect.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_restored(struct pty *pty)
{
	assert_true(pty_wrote(pty, "\033[?1049h"));
	assert_true(pty_wrote(pty, "\033[?1049l"));
	assert_true(pty_modes_kept(pty));
}

/* ---- a job ---- */

/* Write to a named pipe without a reader. */
static struct pty *run_stuck(void)
{
	char command[200];
	const char *path = scratch("pipe.csv");
	struct pty *pty = run_demo(utf8, ROWS, WIDE);

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	press(pty, "4", "[4 Kernels]");
	expect_text(pty, "1/");
	snprintf(command, sizeof command, ":write! %s\r", path);
	press(pty, command, "Writing");
	return pty;
}

EXPECTATION(signal_abandons_stuck_job)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1 };
	enum { SIGNALS = sizeof signals / sizeof signals[0] };
	struct pty *stuck[SIGNALS];

	/* together, as each gives the job some time */
	for (size_t i = 0; i < SIGNALS; i++) {
		stuck[i] = run_stuck();
		kill(stuck[i]->pid, signals[i]);
	}
	for (size_t i = 0; i < SIGNALS; i++) {
		expect_exit(stuck[i], 128 + signals[i]);
		check_restored(stuck[i]);
	}
}

EXPECTATION(second_signal_ends_at_once)
{
	struct pty *pty = run_stuck();
	kill(pty->pid, SIGTERM);
	expect_sent(pty, "\033[?1049l");
	kill(pty->pid, SIGHUP);
	expect_exit(pty, 128 + SIGHUP);
	check_restored(pty);
}

/* Quitting restores the terminal at once and interrupts the stuck job. */
EXPECTATION(quitting_with_stuck_job_restores_terminal)
{
	struct pty *pty = run_stuck();
	pty_send(pty, "Q");
	expect_sent(pty, "\033[?1049l");
	for (int waited = 0; waited < PATIENCE_MS && !pty_modes_kept(pty); waited += 20)
		pty_read(pty, 20);
	pty_send(pty, "\003");
	expect_exit(pty, 128 + SIGINT);
	check_restored(pty);
}

/* ---- the terminal ---- */

static bool ended(struct pty *pty, int milliseconds)
{
	for (int waited = 0; waited < milliseconds; waited += 20) {
		if (waitpid(pty->pid, &pty->status, WNOHANG) == pty->pid) {
			pty->ended = true;
			return true;
		}
		usleep(20000);
	}
	return false;
}

/* The terminal is not read any more, as when its window is stopped: drawing blocks. */
EXPECTATION(blocked_terminal_does_not_prevent_exit)
{
	struct winsize size = { .ws_row = 200, .ws_col = 400 };
	const char *sanitizers = getenv("SANITIZERS");
	if (sanitizers && strstr(sanitizers, "thread"))
		skip(); /* the tool delays signals while write blocks */

	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	for (int i = 0; i < 60; i++) {
		size.ws_col = (unsigned short)(300 + i);
		ioctl(pty->fd, TIOCSWINSZ, &size);
		pty_send(pty, i % 2 ? "2" : "4");
		usleep(20000);
	}
	assert_false(ended(pty, 0));
	kill(pty->pid, SIGTERM);
	assert_true(ended(pty, PATIENCE_MS));
	assert_true(WIFEXITED(pty->status));
	assert_int_equal(WEXITSTATUS(pty->status), 128 + SIGTERM);
	assert_true(pty_modes_kept(pty));
}

/* Whether or not SIGHUP is ignored. */
EXPECTATION(ends_when_terminal_is_gone_while_loading)
{
	const char *path = scratch("nobody-writes.json");

	assert_int_equal(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	for (int ignored = 0; ignored < 2; ignored++) {
		signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
		struct pty *pty = run_strata(utf8, ROWS, WIDE, path, NULL);
		signal(SIGHUP, SIG_DFL);
		expect_text(pty, "nobody-writes.json");
		pty_hang_up(pty);
		assert_true(ended(pty, PATIENCE_MS));
		expectation_teardown(NULL);
	}
	close(fd);
}

/* A one-cell window, resized a hundred times while drawing. */
EXPECTATION(resizing_while_drawing)
{
	static const int sizes[][2] = { { 1, 1 },   { 2, 2 },    { 1, 300 },
					{ 100, 1 }, { 60, 200 }, { 3, 20 } };

	struct pty *pty = run_strata(utf8, 1, 1, "--demo", NULL);
	for (int i = 0; i < 120; i++) {
		const int *size = sizes[i % 6];
		char key[] = { "1234567890jG?q\033"[i % 15], '\0' };
		pty_send(pty, key);
		pty_resize(pty, size[0], size[1]);
		if (i % 3 == 0)
			pty_read(pty, 5);
	}
	pty_resize(pty, ROWS, WIDE);
	pty_settle(pty);
	pty_send(pty, "\033");
	pty_settle(pty);
	press(pty, ":view operators\r", "[3 Operators]");
	expect_alive(pty);
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	check_restored(pty);
}
