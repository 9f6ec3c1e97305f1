/* The explorer in a real (pseudo-)terminal: start, keys, signals, and what it leaves behind. */
#include "pty.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 30, COLUMNS_WIDE = 100, PATIENCE_MS = 20000 };

static char *const demo[] = { "./strata", "--demo", NULL };
static const char *const plain[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR", NULL };

static bool wrote(const struct pty *pty, const char *sequence)
{
	return pty->raw && memmem(pty->raw, pty->raw_length, sequence, strlen(sequence)) != NULL;
}

static void start_demo(struct pty *pty)
{
	pty_start(pty, demo, plain, ROWS, COLUMNS_WIDE);
	assert_true(pty_wait(pty, "[1 Overview]", PATIENCE_MS));
	assert_true(pty_wait(pty, "Search", PATIENCE_MS));
	pty_settle(pty);
}

/* As it was: other screen left, cursor shown, paste mode off, modes kept. */
static void check_restored(struct pty *pty)
{
	assert_true(wrote(pty, "\033[?1049h"));
	assert_true(wrote(pty, "\033[?1049l"));
	assert_true(wrote(pty, "\033[?2004l"));
	assert_true(wrote(pty, "\033[?25h") || wrote(pty, "\033[?12l\033[?25h"));
	assert_true(pty_modes_kept(pty));
}

static void quitting_leaves_the_terminal_as_it_was(void **state)
{
	struct pty pty;
	(void)state;

	start_demo(&pty);
	assert_false(pty_modes_kept(&pty));
	pty_send(&pty, "q");
	assert_true(pty_wait(&pty, "q again quits", PATIENCE_MS));
	pty_send(&pty, "q");
	assert_true(pty_wait_end(&pty, PATIENCE_MS));
	assert_true(WIFEXITED(pty.status));
	assert_int_equal(WEXITSTATUS(pty.status), 0);
	check_restored(&pty);
	pty_end(&pty);
}

static void signals_leave_the_terminal_as_it_was(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	(void)state;

	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct pty pty;
		start_demo(&pty);
		kill(pty.pid, signals[i]);
		assert_true(pty_wait_end(&pty, PATIENCE_MS));
		assert_true(WIFEXITED(pty.status));
		assert_int_equal(WEXITSTATUS(pty.status), 128 + signals[i]);
		check_restored(&pty);
		pty_end(&pty);
	}
}

static void a_crash_restores_the_terminal_first(void **state)
{
	struct pty pty;
	(void)state;

	start_demo(&pty);
	kill(pty.pid, SIGSEGV);
	assert_true(pty_wait_end(&pty, PATIENCE_MS));
	assert_false(WIFEXITED(pty.status) && WEXITSTATUS(pty.status) == 0);
	check_restored(&pty);
	pty_end(&pty);
}

static void keys_as_terminals_send_them(void **state)
{
	struct pty pty;
	(void)state;

	start_demo(&pty);
	pty_send(&pty, "3");
	assert_true(pty_wait(&pty, "[3 Operators]", PATIENCE_MS));
	assert_true(pty_wait(&pty, " 1/", PATIENCE_MS));
	pty_send(&pty, "\033[B\033OB");
	assert_true(pty_wait(&pty, " 3/", PATIENCE_MS));
	pty_send(&pty, "\033[1;5Z"); /* nobody knows this one: it does nothing */
	pty_send(&pty, "k");
	assert_true(pty_wait(&pty, " 2/", PATIENCE_MS));
	pty_send(&pty, "\033");
	assert_true(pty_wait(&pty, "this is the top", 1000));
	pty_send(&pty, "\x0f"); /* Ctrl-O */
	assert_true(pty_wait(&pty, "[1 Overview]", PATIENCE_MS));
	pty_send(&pty, "\033[1;3C"); /* Alt-Right */
	assert_true(pty_wait(&pty, "[3 Operators]", PATIENCE_MS));
	pty_end(&pty);
}

static void what_is_pasted_does_nothing_outside_of_a_prompt(void **state)
{
	struct pty pty;
	(void)state;

	start_demo(&pty);
	pty_send(&pty, "\033[200~3Q:quit\r\033[201~");
	pty_settle(&pty);
	assert_false(pty_wait_end(&pty, 300));
	assert_non_null(strstr(pty_text(&pty), "[1 Overview]"));
	pty_send(&pty, "/\033[200~no\nsuch\033[201~");
	assert_true(pty_wait(&pty, "/no", PATIENCE_MS));
	pty_send(&pty, "\003"); /* Ctrl-C leaves the prompt, not the program */
	pty_settle(&pty);
	assert_false(pty_wait_end(&pty, 300));
	pty_end(&pty);
}

static void the_mouse_is_off_until_it_is_wanted(void **state)
{
	struct pty pty;
	(void)state;

	start_demo(&pty);
	assert_false(wrote(&pty, "\033[?1000h"));
	pty_send(&pty, "3:set mouse\r");
	pty_settle(&pty);
	assert_true(wrote(&pty, "\033[?1006;1000h") || wrote(&pty, "\033[?1000h"));
	pty_send(&pty, "\033[<65;10;10M"); /* wheel down */
	assert_true(pty_wait(&pty, " 4/", PATIENCE_MS));
	pty_send(&pty, "\033[<0;10;7M\033[<0;10;7m"); /* a click on the second row */
	assert_true(pty_wait(&pty, " 2/", PATIENCE_MS));
	pty_send(&pty, "\033[<0;16;2M\033[<0;16;2m"); /* a click on a tab */
	assert_true(pty_wait(&pty, "[2 Layers]", PATIENCE_MS));
	pty_send(&pty, "Q");
	assert_true(pty_wait_end(&pty, PATIENCE_MS));
	check_restored(&pty);
	assert_true(wrote(&pty, "\033[?1006;1000l") || wrote(&pty, "\033[?1000l"));
	pty_end(&pty);
}

/* Even where SIGHUP is ignored, as under nohup. */
static void it_ends_when_the_terminal_goes_away(void **state)
{
	char *const deaf[] = { "/bin/sh", "-c", "trap '' HUP; exec ./strata --demo", NULL };
	struct pty pty;
	(void)state;

	pty_start(&pty, deaf, plain, ROWS, COLUMNS_WIDE);
	assert_true(pty_wait(&pty, "[1 Overview]", PATIENCE_MS));
	pty_settle(&pty);
	pty_hang_up(&pty);
	assert_true(pty_wait_end(&pty, 4000));
	pty_end(&pty);
}

static void idle_it_writes_nothing(void **state)
{
	struct pty pty;
	(void)state;

	start_demo(&pty);
	pty_send(&pty, "2j");
	pty_settle(&pty);
	size_t before = pty.raw_length;
	assert_false(pty_wait(&pty, "there is no such text", 1500));
	assert_int_equal(pty.raw_length, before);
	pty_end(&pty);
}

static void a_resize_is_followed(void **state)
{
	static const int sizes[][2] = { { 12, 40 }, { 3, 20 }, { 1, 1 }, { 45, 160 }, { 24, 80 } };
	struct pty pty;
	(void)state;

	start_demo(&pty);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		pty_resize(&pty, sizes[i][0], sizes[i][1]);
		pty_settle(&pty);
		assert_false(pty_wait_end(&pty, 50));
	}
	assert_true(pty_wait(&pty, "[1 Overview]", PATIENCE_MS));
	assert_true(pty_wait(&pty, "Search", PATIENCE_MS));
	pty_resize(&pty, 2, 60);
	assert_true(pty_wait(&pty, "too small", PATIENCE_MS));
	pty_end(&pty);
}

static void without_colours_nothing_is_coloured(void **state)
{
	const char *const environment[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR=1",
					    NULL };
	struct pty pty;
	(void)state;

	pty_start(&pty, demo, environment, ROWS, COLUMNS_WIDE);
	assert_true(pty_wait(&pty, "[1 Overview]", PATIENCE_MS));
	pty_settle(&pty);
	for (int color = 0; color < 8; color++) {
		char sequence[16];
		snprintf(sequence, sizeof sequence, "\033[3%dm", color);
		assert_false(wrote(&pty, sequence));
	}
	assert_false(wrote(&pty, "38;5"));
	assert_true(wrote(&pty, "7m")); /* reversed: the selection */
	pty_end(&pty);
}

static void outside_of_utf8_all_is_ascii(void **state)
{
	const char *const environment[] = { "TERM=xterm", "LC_ALL=C", NULL };
	struct pty pty;
	(void)state;

	pty_start(&pty, demo, environment, ROWS, COLUMNS_WIDE);
	assert_true(pty_wait(&pty, "[1 Overview]", PATIENCE_MS));
	pty_send(&pty, "2");
	assert_true(pty_wait(&pty, "[2 Layers]", PATIENCE_MS));
	pty_settle(&pty);
	for (size_t i = 0; i < pty.raw_length; i++)
		assert_true((unsigned char)pty.raw[i] < 0x80);
	pty_end(&pty);
}

/* One sentence, no escape, and the exit status: the terminal was never taken over. */
static void check_refused(char *const *argv, const char *const *environment, int status,
			  const char *text)
{
	struct pty pty;

	pty_start(&pty, argv, environment, ROWS, COLUMNS_WIDE);
	assert_true(pty_wait_end(&pty, PATIENCE_MS));
	assert_true(WIFEXITED(pty.status));
	assert_int_equal(WEXITSTATUS(pty.status), status);
	assert_true(wrote(&pty, text));
	assert_false(wrote(&pty, "\033"));
	assert_true(pty_modes_kept(&pty));
	pty_end(&pty);
}

static void what_cannot_be_shown_is_refused_in_a_sentence(void **state)
{
	const char *const dumb[] = { "TERM=dumb", NULL }, *const unset[] = { "TERM", NULL };
	const char *const unknown[] = { "TERM=no-such-terminal", NULL };
	char *const missing[] = { "./strata", "no/such/file.json", NULL };
	(void)state;

	check_refused(demo, dumb, 2, "strata report");
	check_refused(demo, unset, 2, "strata report");
	check_refused(demo, unknown, 2, "strata report");
	check_refused(missing, plain, 4, "no/such/file.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quitting_leaves_the_terminal_as_it_was),
		cmocka_unit_test(signals_leave_the_terminal_as_it_was),
		cmocka_unit_test(a_crash_restores_the_terminal_first),
		cmocka_unit_test(keys_as_terminals_send_them),
		cmocka_unit_test(what_is_pasted_does_nothing_outside_of_a_prompt),
		cmocka_unit_test(the_mouse_is_off_until_it_is_wanted),
		cmocka_unit_test(it_ends_when_the_terminal_goes_away),
		cmocka_unit_test(idle_it_writes_nothing),
		cmocka_unit_test(a_resize_is_followed),
		cmocka_unit_test(without_colours_nothing_is_coloured),
		cmocka_unit_test(outside_of_utf8_all_is_ascii),
		cmocka_unit_test(what_cannot_be_shown_is_refused_in_a_sentence),
	};
	const char *srcdir = getenv("srcdir");

	setenv("STRATA_DATADIR", srcdir ? srcdir : "..", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
