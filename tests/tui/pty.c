#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>
#include <vterm.h>

enum { SETTLE_MS = 150 };

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void set_environment(const char *const *environment)
{
	for (; *environment; environment++) {
		if (strchr(*environment, '='))
			putenv(strdup(*environment));
		else
			unsetenv(*environment);
	}
}

/* The terminal must not get the number of a standard stream that is closed. */
static void open_standard_streams(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
}

void pty_start(struct pty *pty, char *const *argv, const char *const *environment, int rows,
	       int columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };
	int slave;

	*pty = (struct pty){ .rows = rows, .columns = columns };
	open_standard_streams();
	if (openpty(&pty->fd, &slave, NULL, NULL, &size) != 0)
		abort();
	tcgetattr(slave, &pty->before);
	pty->pid = fork();
	if (pty->pid == 0) {
		login_tty(slave);
		close(pty->fd);
		set_environment(environment);
		execv(argv[0], argv);
		_exit(127);
	}
	close(slave);
	pty->vterm = vterm_new(rows, columns);
	vterm_set_utf8(pty->vterm, 1);
	pty->screen = vterm_obtain_screen(pty->vterm);
	vterm_screen_enable_altscreen(pty->screen, 1);
	vterm_screen_reset(pty->screen, 1);
}

static void take(struct pty *pty, const char *bytes, size_t length)
{
	if (pty->raw_length + length > pty->raw_cap) {
		pty->raw_cap = 2 * (pty->raw_length + length);
		pty->raw = realloc(pty->raw, pty->raw_cap);
	}
	memcpy(pty->raw + pty->raw_length, bytes, length);
	pty->raw_length += length;
	vterm_input_write(pty->vterm, bytes, length);
}

/* Read for up to MILLISECONDS; false if there was nothing. */
static bool pump(struct pty *pty, int milliseconds)
{
	struct pollfd fd = { pty->fd, POLLIN, 0 };
	char bytes[65536];

	if (poll(&fd, 1, milliseconds) <= 0 || pty->fd < 0)
		return false;
	ssize_t length = read(pty->fd, bytes, sizeof bytes);
	if (length <= 0)
		return false;
	take(pty, bytes, (size_t)length);
	return true;
}

static bool look_whether_ended(struct pty *pty)
{
	if (!pty->ended && waitpid(pty->pid, &pty->status, WNOHANG) == pty->pid)
		pty->ended = true;
	return pty->ended;
}

void pty_send(struct pty *pty, const char *keys)
{
	size_t length = strlen(keys);

	while (length > 0) {
		ssize_t sent = write(pty->fd, keys, length);
		if (sent < 0)
			return;
		keys += sent;
		length -= (size_t)sent;
	}
}

int pty_send_slowly(struct pty *pty, const char *keys, int milliseconds)
{
	long longest = 0, before = now_ms();

	for (; *keys; keys++) {
		char key[2] = { *keys, '\0' };
		pty_send(pty, key);
		long now = now_ms();
		longest = now - before > longest ? now - before : longest;
		before = now;
		if (keys[1])
			pty_read(pty, milliseconds);
	}
	return (int)longest;
}

void pty_resize(struct pty *pty, int rows, int columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };

	pty->rows = rows;
	pty->columns = columns;
	vterm_set_size(pty->vterm, rows, columns);
	ioctl(pty->fd, TIOCSWINSZ, &size);
}

bool pty_wait(struct pty *pty, const char *text, int milliseconds)
{
	long end = now_ms() + milliseconds;

	for (;;) {
		if (strstr(pty_text(pty), text))
			return true;
		if (now_ms() >= end)
			return false;
		if (!pump(pty, 20) && look_whether_ended(pty) && !pump(pty, 0))
			return strstr(pty_text(pty), text) != NULL;
	}
}

bool pty_wait_gone(struct pty *pty, const char *text, int milliseconds)
{
	long end = now_ms() + milliseconds;

	while (strstr(pty_text(pty), text)) {
		if (now_ms() >= end)
			return false;
		pump(pty, 20);
	}
	return true;
}

void pty_read(struct pty *pty, int milliseconds)
{
	long end = now_ms() + milliseconds, left;

	while ((left = end - now_ms()) > 0)
		pump(pty, (int)left);
}

void pty_settle(struct pty *pty)
{
	while (pump(pty, SETTLE_MS))
		;
}

bool pty_wait_end(struct pty *pty, int milliseconds)
{
	long end = now_ms() + milliseconds;

	while (!look_whether_ended(pty) && now_ms() < end)
		pump(pty, 20);
	while (pump(pty, 0))
		;
	return pty->ended;
}

void pty_hang_up(struct pty *pty)
{
	close(pty->fd);
	pty->fd = -1;
}

/* Is the cell marked by a color or in reverse video? */
static bool is_lit(struct pty *pty, int row, int column)
{
	struct pty_look look = pty_look(pty, row, column);

	return look.reverse || !look.plain_background;
}

/* The active tab, which has blanks around it in color, in brackets, as it is without color. */
static void put_brackets(struct pty *pty, int row, char *out)
{
	int from = 0, to;

	while (from < pty->columns && !is_lit(pty, row, from))
		from++;
	for (to = from; to < pty->columns && is_lit(pty, row, to);)
		to++;
	if (to - from < 3 || to == pty->columns || out[from] != ' ' || out[to - 1] != ' ')
		return;
	out[from] = '[';
	out[to - 1] = ']';
}

/* Text of a row to OUT, which must be large enough; returns its length without trailing blanks. */
static size_t row_text(struct pty *pty, int row, char *out)
{
	VTermRect rect = { row, row + 1, 0, pty->columns };
	size_t length = vterm_screen_get_text(pty->screen, out, (size_t)pty->columns * 8, rect);

	for (; row < 2 && length < (size_t)pty->columns; length++)
		out[length] = ' ';
	out[length] = '\0';
	if (row < 2 && (size_t)pty->columns == length) /* all ASCII */
		put_brackets(pty, row, out);
	while (length > 0 && out[length - 1] == ' ')
		length--;
	out[length] = '\0';
	return length;
}

const char *pty_text(struct pty *pty)
{
	size_t at = 0;

	free(pty->text);
	pty->text = malloc((size_t)pty->rows * ((size_t)pty->columns * 8 + 2) + 1);
	for (int row = 0; row < pty->rows; row++) {
		at += row_text(pty, row, pty->text + at);
		pty->text[at++] = '\n';
	}
	pty->text[at] = '\0';
	return pty->text;
}

const char *pty_line(struct pty *pty, int row)
{
	free(pty->line);
	pty->line = malloc((size_t)pty->columns * 8 + 2);
	row_text(pty, row, pty->line);
	return pty->line;
}

int pty_find(struct pty *pty, const char *text)
{
	for (int row = 0; row < pty->rows; row++) {
		if (strstr(pty_line(pty, row), text))
			return row;
	}
	return -1;
}

struct pty_look pty_look(struct pty *pty, int row, int column)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(pty->screen, (VTermPos){ .row = row, .col = column }, &cell);
	return (struct pty_look){
		.bold = cell.attrs.bold,
		.underline = cell.attrs.underline != 0,
		.reverse = cell.attrs.reverse,
		.plain_foreground = VTERM_COLOR_IS_DEFAULT_FG(&cell.fg),
		.plain_background = VTERM_COLOR_IS_DEFAULT_BG(&cell.bg),
	};
}

void pty_cursor(struct pty *pty, int *row, int *column)
{
	VTermPos at;

	vterm_state_get_cursorpos(vterm_obtain_state(pty->vterm), &at);
	*row = at.row;
	*column = at.col;
}

bool pty_wrote(const struct pty *pty, const char *bytes)
{
	return pty->raw && memmem(pty->raw, pty->raw_length, bytes, strlen(bytes)) != NULL;
}

bool pty_modes_kept(struct pty *pty)
{
	struct termios now;

	return tcgetattr(pty->fd, &now) == 0 && now.c_iflag == pty->before.c_iflag &&
	       now.c_oflag == pty->before.c_oflag && now.c_cflag == pty->before.c_cflag &&
	       now.c_lflag == pty->before.c_lflag &&
	       !memcmp(now.c_cc, pty->before.c_cc, sizeof now.c_cc);
}

void pty_end(struct pty *pty)
{
	if (!pty->ended) {
		kill(pty->pid, SIGKILL);
		waitpid(pty->pid, &pty->status, 0);
	}
	if (pty->fd >= 0)
		close(pty->fd);
	vterm_free(pty->vterm);
	free(pty->raw);
	free(pty->text);
	free(pty->line);
}
