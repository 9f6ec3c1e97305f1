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

struct pty_look { /* of a cell */
	bool bold, underline, reverse;
	bool plain_foreground, plain_background; /* the terminal's own colours */
};

struct pty {
	int fd;
	pid_t pid;
	int status; /* as waitpid gives it, once it has ended */
	bool ended;
	struct VTerm *vterm;
	struct VTermScreen *screen;
	int rows, columns;
	char *raw; /* everything it wrote */
	size_t raw_length, raw_cap;
	struct termios before; /* the modes it found */
	char *text, *line;     /* of pty_text and pty_line */
};

/* Start ARGV with ENVIRONMENT ("NAME=VALUE" to set, "NAME" to unset; NULL at the end) on top. */
void pty_start(struct pty *pty, char *const *argv, const char *const *environment, int rows,
	       int columns);
void pty_send(struct pty *pty, const char *keys);
/* A byte at a time.  Returns the longest time between two of them. */
int pty_send_slowly(struct pty *pty, const char *keys, int milliseconds);
void pty_resize(struct pty *pty, int rows, int columns);
/* Read for so long, or until TEXT is on the screen or the program has ended.  True: it is. */
bool pty_wait(struct pty *pty, const char *text, int milliseconds);
bool pty_wait_gone(struct pty *pty, const char *text, int milliseconds); /* the contrary */
void pty_read(struct pty *pty, int milliseconds); /* whatever comes within this time */
void pty_settle(struct pty *pty);                 /* until nothing has been written for a while */
bool pty_wait_end(struct pty *pty, int milliseconds);
void pty_hang_up(struct pty *pty);               /* the terminal goes away */
const char *pty_text(struct pty *pty);           /* the screen, a line a row */
const char *pty_line(struct pty *pty, int row);  /* one row of it */
int pty_find(struct pty *pty, const char *text); /* the first row that has it; -1 */
struct pty_look pty_look(struct pty *pty, int row, int column);
void pty_cursor(struct pty *pty, int *row, int *column);
bool pty_wrote(const struct pty *pty, const char *bytes); /* at any time */
bool pty_modes_kept(struct pty *pty); /* are the terminal's modes as they were before? */
void pty_end(struct pty *pty);        /* kills what still runs */

#endif
