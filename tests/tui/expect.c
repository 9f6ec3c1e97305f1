#include "expect.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const utf8[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR", NULL };
const char *const ascii[] = { "TERM=xterm-256color", "LC_ALL=C", "NO_COLOR", NULL };

enum { RUNNING_MAX = 5, ARGUMENTS_MAX = 16 };

static struct pty running[RUNNING_MAX];
static int running_count;
static char directory[] = "/tmp/strata-expect-XXXXXX";

/* ---- setup ---- */

int expectation_setup(void **state)
{
	running_count = 0;
	return 0;
}

int expectation_teardown(void **state)
{
	while (running_count > 0)
		pty_end(&running[--running_count]);
	return 0;
}

/* A fresh home directory, so that the user's settings are neither used nor changed. */
static int make_directory(void **state)
{
	setenv("STRATA_DATADIR", source_path("."), 0);
	if (!mkdtemp(directory))
		return -1;
	setenv("HOME", scratch("home"), 1);
	setenv("XDG_CONFIG_HOME", scratch("config"), 1);
	setenv("XDG_STATE_HOME", scratch("state"), 1);
	setenv("XDG_CACHE_HOME", scratch("cache"), 1);
	unsetenv("ESCDELAY");
	unsetenv("COLORTERM");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	return mkdir(getenv("HOME"), 0700);
}

static int remove_directory(void **state)
{
	return remove_folder(directory);
}

TEST_PROGRAM(make_directory, remove_directory)

/* ---- running ---- */

struct pty *run_argv(char *const *argv, const char *const *environment, int rows, int columns)
{
	assert_true(running_count < RUNNING_MAX);
	pty_start(&running[running_count], argv, environment, rows, columns);
	return &running[running_count++];
}

struct pty *run_strata(const char *const *environment, int rows, int columns, ...)
{
	char *argv[ARGUMENTS_MAX] = { "./strata" };
	va_list arguments;

	va_start(arguments, columns);
	for (int i = 1; i < ARGUMENTS_MAX - 1; i++) {
		argv[i] = va_arg(arguments, char *);
		if (!argv[i])
			break;
	}
	va_end(arguments);
	return run_argv(argv, environment, rows, columns);
}

struct pty *run_demo(const char *const *environment, int rows, int columns)
{
	struct pty *pty = run_strata(environment, rows, columns, "--demo", NULL);

	expect_text(pty, "[1 Overview]");
	expect_text(pty, "1/");
	return pty;
}

/* ---- expecting ---- */

static void complain(struct pty *pty, const char *what, const char *text)
{
	print_error("%s '%s'; the screen is:\n", what, text);
	for (const char *line = pty_text(pty), *next; *line; line = next + (*next == '\n')) {
		next = strchrnul(line, '\n'); /* print_error cuts long texts */
		print_error("%.*s\n", (int)(next - line), line);
	}
	fail();
}

void expect_text(struct pty *pty, const char *text)
{
	if (!pty_wait(pty, text, PATIENCE_MS))
		complain(pty, "there never came", text);
}

void expect_gone(struct pty *pty, const char *text)
{
	if (!pty_wait_gone(pty, text, PATIENCE_MS))
		complain(pty, "there always was", text);
}

void expect_sent(struct pty *pty, const char *bytes)
{
	for (int waited = 0; waited < PATIENCE_MS && !pty_wrote(pty, bytes); waited += 20)
		pty_read(pty, 20);
	if (!pty_wrote(pty, bytes))
		complain(pty, "there was never sent", bytes + (*bytes == '\033'));
}

void press(struct pty *pty, const char *keys, const char *text)
{
	pty_send(pty, keys);
	expect_text(pty, text);
}

void expect_exit(struct pty *pty, int status)
{
	if (!pty_wait_end(pty, PATIENCE_MS))
		complain(pty, "it did not end", "");
	if (!WIFEXITED(pty->status))
		print_error("ended by signal %d\n", WTERMSIG(pty->status));
	assert_true(WIFEXITED(pty->status));
	assert_int_equal(WEXITSTATUS(pty->status), status);
}

void expect_alive(struct pty *pty)
{
	press(pty, ":", ":");
	press(pty, "are you there", ":are you there");
	pty_send(pty, "\003");
	expect_gone(pty, ":are you there");
}

const char *selected_line(struct pty *pty)
{
	for (int row = 0; row < pty->rows; row++) {
		if (*pty_line(pty, row) == '>')
			return pty_line(pty, row);
	}
	return "";
}

void expect_selected(struct pty *pty, const char *text)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += 20) {
		if (strstr(selected_line(pty), text))
			return;
		pty_read(pty, 20);
	}
	complain(pty, "there was not selected", text);
}

/* ---- files ---- */

const char *scratch(const char *name)
{
	static char paths[8][sizeof directory + 64];
	static int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof paths[0], "%s/%s", directory, name);
	return path;
}

static char *read_stream(FILE *file, size_t *length)
{
	size_t cap = 1 << 16, got;
	char *text = malloc(cap);

	*length = 0;
	while ((got = fread(text + *length, 1, cap - *length - 1, file)) > 0) {
		*length += got;
		if (cap - *length < 2)
			text = realloc(text, cap *= 2);
	}
	text[*length] = '\0';
	return text;
}

char *output_of(const char *command)
{
	size_t length;
	FILE *pipe = popen(command, "r");

	assert_non_null(pipe);
	char *text = read_stream(pipe, &length);
	pclose(pipe);
	return text;
}
