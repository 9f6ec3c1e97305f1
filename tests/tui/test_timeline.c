/* Terminal output of the timeline: bytes per key, none when idle; mouse. */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 200, TALL = 45, WIDEST = 160 };

static struct pty *open_timeline(const char *path)
{
	struct pty *pty =
		path ? run_strata(utf8, TALL, WIDEST, path, NULL) : run_demo(utf8, TALL, WIDEST);
	expect_text(pty, "Overview]");
	expect_gone(pty, "PARTIALLY LOADED"); /* all is drawn again then */
	press(pty, "5", "[5 Timeline]");
	expect_text(pty, "  all ");
	press(pty, "z", "Zoom"); /* in place of the message that the run is read */
	pty_settle(pty);
	return pty;
}

/* Bytes sent for KEYS typed ahead; a further key marks their end. */
static size_t bytes_of(struct pty *pty, const char *keys)
{
	char typed[KEYS + 1];
	size_t before = pty->raw_length, length = strlen(keys);

	for (int i = 0; i < KEYS; i++)
		typed[i] = keys[(size_t)i % length];
	typed[KEYS] = '\0';
	pty_send(pty, typed);
	press(pty, "ma", "marker A set");
	pty_settle(pty);
	return pty->raw_length - before;
}

static void check_bytes(struct pty *pty)
{
	static const char *const keys[] = { "+d-a", "++dda-", "wsdaAD0", "+", "d",
					    "a",    "-",      ".",       "," };

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		size_t bytes = bytes_of(pty, keys[i]);
		if (bytes > 8 * 1024)
			fail_msg("%zu bytes for %d keys '%s'", bytes, KEYS, keys[i]);
		press(pty, "z0", "Zoom");
		pty_settle(pty);
	}
	/* idle it writes nothing, once the last results are drawn */
	size_t before = 0;
	for (int waited = 0; waited < PATIENCE_MS && pty->raw_length != before; waited += 300) {
		before = pty->raw_length;
		pty_read(pty, 300);
	}
	assert_int_equal(pty->raw_length, before);
}

EXPECTATION(queued_keys_cost_few_bytes)
{
	check_bytes(open_timeline(NULL));
}

/* A longer run: many more events than cells. */
EXPECTATION(queued_keys_cost_few_bytes_on_long_run)
{
	char command[512];

	snprintf(command, sizeof command, "./tracegen --events 200000 --layers 4 -o %s",
		 scratch("long.json"));
	free(output_of(command));
	check_bytes(open_timeline(scratch("long.json")));
}

EXPECTATION(wheel_zooms_and_click_selects)
{
	struct pty *pty = open_timeline(NULL);

	press(pty, ":set mouse\r", "Zoom");
	char *before = strdup(pty_text(pty));
	pty_send(pty, "\033[<64;80;10M"); /* wheel up: zoom in */
	expect_text(pty, "(23.18 ms)");
	pty_send(pty, "\033[<65;80;10M"); /* wheel down: zoom out */
	expect_text(pty, "(46.36 ms)");
	pty_send(pty, "\033[<0;80;5M\033[<0;80;5m"); /* the steps lane */
	expect_text(pty, "Name ProfilerStep#4");
	expect_selected(pty, "steps");
	pty_send(pty, "++++");
	expect_text(pty, "(2.90 ms)");
	pty_send(pty, "\033[<0;40;35M\033[<0;40;35m"); /* the overview map */
	pty_settle(pty);
	assert_string_not_equal(pty_text(pty), before);
	free(before);
	expect_alive(pty);
}

/* What happens between two columns is said at once; a release where the press was is a click. */
EXPECTATION(drag_marks_range)
{
	struct pty *pty = open_timeline(NULL);

	press(pty, ":set mouse\r", "Zoom");
	pty_send(pty, "\033[<0;40;10M\033[<0;40;10m");
	pty_settle(pty);
	expect_gone(pty, "A..B");
	pty_send(pty, "\033[<0;60;10M\033[<0;100;10m");
	expect_text(pty, "A..B");
	expect_text(pty, "GPU Busy");
	expect_text(pty, "Top GPU Work");
	pty_send(pty, "z");
	expect_gone(pty, "Top GPU Work");
	press(pty, " ", "range from here");
	press(pty, "l)))", "Range "); /* it follows the cursor */
	pty_send(pty, "\r");
	expect_text(pty, "run > ");
	expect_alive(pty);
}

/* Without color, or with too few, letters distinguish what has no color of its own. */
EXPECTATION(letters_replace_colors)
{
	static const char *const plain[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1",
					     NULL },
				 *const eight[] = { "TERM=xterm", "LC_ALL=C.UTF-8", NULL };

	struct pty *pty = run_demo(plain, TALL, WIDEST);
	press(pty, "5", "vvvvVVVV");
	pty = run_demo(eight, TALL, WIDEST); /* too few colors for all families */
	press(pty, "5", "vvvvVVVV");
	pty = run_demo(utf8, TALL, WIDEST);
	press(pty, "5", "  all ");
	expect_gone(pty, "vvvvVVVV");
	press(pty, ":theme mono\r", "vvvvVVVV");
	press(pty, ":theme default\r", "Zoom");
	expect_gone(pty, "vvvvVVVV");
	press(pty, ":set letters\r", "vvvvVVVV");
}
