
#include "tui/term/emergency.h"

#include "base/check.h"
#include "text_tables.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CRASH_STACK = 65536,
	OVERDUE_SECONDS = 2, /* exit forcibly this long after a request to end */
};

static volatile sig_atomic_t pending[NSIG];
static volatile sig_atomic_t ending; /* the signal that requested the end */
static int wake_fd = -1;
static struct sigaction before[NSIG];
static char *crash_stack;

static void note_signal(int number)
{
	int saved = errno;
	pending[number] = 1;
	ssize_t sent = write(wake_fd, "s", 1);
	(void)sent;
	errno = saved;
}

static void end_now(int number)
{
	emergency_restore();
	_exit(128 + ending);
}

/* The loop ends by itself, unless drawing or a job is stuck; a second signal ends at once. */
static void note_end(int number)
{
	bool again = ending;
	ending = number;
	if (again)
		end_now(number);
	alarm(OVERDUE_SECONDS);
	note_signal(number);
}

/* Restore the terminal, then die from the signal. */
static void crash(int number)
{
	static const char text[] = "strata: internal error (a bug): the explorer crashed\n";
	emergency_restore();
	/* SIGBUS: a mapped file was truncated, which is not a bug */
	ssize_t sent = number == SIGBUS ? 0 : write(STDERR_FILENO, text, sizeof text - 1);
	sent = write(STDERR_FILENO, check_report(), strlen(check_report()));
	(void)sent;
	sigaction(number, &before[number], NULL);
	raise(number);
}

/* Batch systems send the last four that end. */
static const struct {
	int number;
	void (*handler)(int number);
	int flags;
} handled[] = { HANDLED_SIGNALS_ROWS };

enum { HANDLED = sizeof handled / sizeof *handled };

void signals_install(int fd)
{
	wake_fd = fd;
	ending = 0;
	crash_stack = malloc(CRASH_STACK);
	stack_t stack = { .ss_sp = crash_stack, .ss_size = CRASH_STACK };
	if (crash_stack)
		sigaltstack(&stack, NULL);
	for (size_t i = 0; i < HANDLED; i++) {
		struct sigaction action = { .sa_handler = handled[i].handler,
					    .sa_flags = handled[i].flags };
		sigaction(handled[i].number, &action, &before[handled[i].number]);
	}
}

void signals_restore(void)
{
	stack_t none = { .ss_flags = SS_DISABLE };
	if (wake_fd < 0)
		return;
	alarm(0);
	for (size_t i = 0; i < HANDLED; i++)
		sigaction(handled[i].number, &before[handled[i].number], NULL);
	if (crash_stack)
		sigaltstack(&none, NULL);
	free(crash_stack);
	crash_stack = NULL;
	wake_fd = -1;
}

int signals_take(void)
{
	for (int number = 1; number < NSIG; number++) {
		if (pending[number]) {
			pending[number] = 0;
			return number;
		}
	}
	return 0;
}
