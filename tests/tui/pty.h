/*
 * A program in a pseudo-terminal, with an emulator that reads what it draws.
 */
#ifndef TESTS_PTY_H
#define TESTS_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct VTerm;
struct VTermScreen;

struct pty {
	int fd;
	pid_t pid;
	int status;		/* as waitpid gives it, once it has ended */
	bool ended;
	struct VTerm *vterm;
	struct VTermScreen *screen;
	int rows, columns;
	char *raw;		/* everything it wrote */
	size_t raw_length, raw_cap;
	struct termios before;	/* the modes it found */
	char *text;		/* of pty_text */
};

/* Start ARGV with ENVIRONMENT ("NAME=VALUE" to set, "NAME" to unset; NULL at the end) on top. */
void pty_start(struct pty *pty, char *const *argv, const char *const *environment, int rows,
	       int columns);
void pty_send(struct pty *pty, const char *keys);
void pty_resize(struct pty *pty, int rows, int columns);
/* Read for so long, or until TEXT is on the screen or the program has ended.  True: it is. */
bool pty_wait(struct pty *pty, const char *text, int milliseconds);
void pty_settle(struct pty *pty);	/* until nothing has been written for a while */
bool pty_wait_end(struct pty *pty, int milliseconds);
void pty_hang_up(struct pty *pty);		/* the terminal goes away */
const char *pty_text(struct pty *pty);		/* the screen, a line a row */
bool pty_modes_kept(struct pty *pty);	/* are the terminal's modes as they were before? */
void pty_end(struct pty *pty);			/* kills what still runs */

#endif
