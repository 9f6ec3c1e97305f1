/*
 * The explorer without a terminal, its loop in the hands of a test: keys are typed when the test
 * says so, and every turn of the loop is the test's own call.
 */
#ifndef STRATA_TESTS_EXPLORER_CASE_H
#define STRATA_TESTS_EXPLORER_CASE_H

#include "base/buffer.h"
#include "tui/app/app.h"

struct explorer {
	struct app app;
	struct tui_options options;
	struct terminal_ops ops;
	const char *keys; /* still to be typed */
	struct buffer screen;
};

/* Open these files on a screen of 160x45, as far as the first view. */
void explorer_open(struct explorer *explorer, const char *const *paths, size_t count);
void explorer_close(struct explorer *explorer);

/* Keys as scripts name them ("jj<Enter>"), typed at the next turn; KEYS outlives it. */
void explorer_type(struct explorer *explorer, const char *keys);
/* Turn until all keys are answered and no work is left. */
void explorer_settle(struct explorer *explorer);
/* Turn until TEXT is on the screen; the test fails when it never comes. */
void explorer_expect(struct explorer *explorer, const char *text);
bool explorer_shows(struct explorer *explorer, const char *text);

#endif
