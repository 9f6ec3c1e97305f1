/*
 * Runs a program in a pseudo-terminal and emulates the terminal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct VTerm;
struct VTermScreen;

struct pty_look { /* of a cell */
	bool bold, underline, reverse;
	bool plain_foreground, plain_background; /* default colors of the terminal */
};

struct pty {
	int fd;
	pid_t pid;
	int status; /* from waitpid, once it has ended */
	bool ended;
	struct VTerm *vterm;
	struct VTermScreen *screen;
	int rows, columns;
	char *raw; /* everything written */
	size_t raw_length, raw_cap;
	struct termios before; /* initial terminal modes */
	char *text, *line;     /* results of pty_text and pty_line */
};

/* Start ARGV, with ENVIRONMENT ("NAME=VALUE" to set, "NAME" to unset; NULL at the end) applied. */
void pty_start(struct pty *pty, char *const *argv, const char *const *environment, int rows,
	       int columns);
void pty_send(struct pty *pty, const char *keys);
/* Send byte by byte. Returns the longest interval between two bytes. */
int pty_send_slowly(struct pty *pty, const char *keys, int milliseconds);
void pty_resize(struct pty *pty, int rows, int columns);
/*
 * Read until TEXT is on the screen, the program has ended or the time is over. True: it is shown.
 */
bool pty_wait(struct pty *pty, const char *text, int milliseconds);
bool pty_wait_gone(struct pty *pty, const char *text, int milliseconds); /* until TEXT is gone */
void pty_read(struct pty *pty, int milliseconds);                        /* read for this time */
void pty_settle(struct pty *pty); /* read until output pauses */
bool pty_wait_end(struct pty *pty, int milliseconds);
void pty_hang_up(struct pty *pty);               /* close the master side */
const char *pty_text(struct pty *pty);           /* the screen, one line a row */
const char *pty_line(struct pty *pty, int row);  /* one row */
int pty_find(struct pty *pty, const char *text); /* first row with TEXT, or -1 */
struct pty_look pty_look(struct pty *pty, int row, int column);
void pty_cursor(struct pty *pty, int *row, int *column);
bool pty_wrote(const struct pty *pty, const char *bytes); /* at any time so far */
bool pty_modes_kept(struct pty *pty); /* terminal modes are as before the start */
void pty_end(struct pty *pty);        /* kills the program if still running */
