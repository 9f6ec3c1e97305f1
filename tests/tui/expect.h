/*
 * Helpers of the expectation tests, which drive the program in a pseudo-terminal; see
 * tests/tui/README.
 *
 * Nothing depends on timing: expected output is awaited with a long timeout; to check that there is
 * none, a further key is sent and its effect awaited.
 */
#pragma once

#include "../unit/file_case.h"
#include "../unit/test.h"
#include "pty.h"

enum { PATIENCE_MS = 60000, ROWS = 30, WIDE = 100 };

extern const char *const utf8[];  /* xterm-256color, UTF-8, color */
extern const char *const ascii[]; /* the same in the C locale */

/* Run the program with arguments up to NULL. At most two run at a time; teardown ends them. */
struct pty *run_strata(const char *const *environment, int rows, int columns, ...);
struct pty *run_argv(char *const *argv, const char *const *environment, int rows, int columns);
/* Run it on the sample run and await the first screen. */
struct pty *run_demo(const char *const *environment, int rows, int columns);

/* Wait until TEXT appears (disappears); on timeout fail and print the screen. */
void expect_text(struct pty *pty, const char *text);
void expect_gone(struct pty *pty, const char *text);
void expect_sent(struct pty *pty, const char *bytes);            /* bytes sent to the terminal */
void press(struct pty *pty, const char *keys, const char *text); /* send; expect TEXT */
void expect_exit(struct pty *pty, int status);
/* Fail unless the program still answers a key. */
void expect_alive(struct pty *pty);

/* The row under the cursor, starting at its '>' (valid until the next call). */
const char *selected_line(struct pty *pty);
void expect_selected(struct pty *pty, const char *text);

/* Path of a file in the test's own directory. */
const char *scratch(const char *name);
/* Output of a shell command run in the build directory; the caller frees it. */
char *output_of(const char *command);

int expectation_setup(void **state);
int expectation_teardown(void **state);

#define EXPECTATION(name) TEST_AROUND(name, expectation_setup, expectation_teardown)
