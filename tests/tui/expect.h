/*
 * Common ground of the forty expectations: what a person expects of a program in a terminal, each a
 * test that drives the real program in a pseudo-terminal.  tests/tui/README says which is where.
 *
 * Nothing here is timed: what must come is waited for with patience, and that nothing comes is seen
 * by a key sent after it whose effect does.
 */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include "pty.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PATIENCE_MS = 60000, ROWS = 30, WIDE = 100 };

extern const char *const utf8[];  /* xterm-256color, UTF-8, colours */
extern const char *const ascii[]; /* the same in the C locale */

/*
 * Run the program with the arguments up to NULL.  At most two run at a time; the test's teardown
 * ends them.
 */
struct pty *run_strata(const char *const *environment, int rows, int columns, ...);
struct pty *run_argv(char *const *argv, const char *const *environment, int rows, int columns);
/* The same on the sample run, with its first screen there. */
struct pty *run_demo(const char *const *environment, int rows, int columns);

/* Fail with the screen printed unless TEXT comes (goes). */
void expect_text(struct pty *pty, const char *text);
void expect_gone(struct pty *pty, const char *text);
void expect_sent(struct pty *pty, const char *bytes);            /* as it went to the terminal */
void press(struct pty *pty, const char *keys, const char *text); /* send; expect TEXT */
void expect_exit(struct pty *pty, int status);
/* Fail unless the program goes on: it answers a key. */
void expect_alive(struct pty *pty);

/* Text of the row under the cursor, from its sign '>' on (valid until the next call). */
const char *selected_line(struct pty *pty);
void expect_selected(struct pty *pty, const char *text);

/* A file of the test's own directory. */
const char *scratch(const char *name);
void write_file(const char *path, const char *text, size_t length);
char *read_whole(const char *path, size_t *length); /* the caller frees it */
/* Run a shell command in the build directory; its output (the caller frees it). */
char *output_of(const char *command);

int expectation_setup(void **state);
int expectation_teardown(void **state);
int expectations_run(const char *name, const struct CMUnitTest *tests, size_t count);

#define EXPECTATION(function)                                                                      \
	cmocka_unit_test_setup_teardown(function, expectation_setup, expectation_teardown)

#endif
