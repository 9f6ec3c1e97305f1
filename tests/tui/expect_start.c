/* Expectations 1 to 12: start, loading, exit, and restoring the terminal. */
#include "expect.h"

#include "base/mem.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a trace fed at the test's pace ---- */

/* No preview of less than this many bytes. */
enum { LITTLE = 24000 };

struct feed {
	const char *path;
	int fd;
	char *text;
	size_t length, at;
};

static void feed_open(struct feed *feed, const char *name)
{
	*feed = (struct feed){ .path = scratch(name), .text = output_of("./tracegen") };
	feed->length = strlen(feed->text);
	assert_true(feed->length > 100000);
	assert_int_equal(mkfifo(feed->path, 0600), 0);
	/* for both ends, so that it opens before the program does */
	feed->fd = open(feed->path, O_RDWR | O_CLOEXEC);
	assert_true(feed->fd >= 0);
}

/* Write up to byte END. */
static void feed_to(struct feed *feed, size_t end)
{
	while (feed->at < end) {
		ssize_t sent = write(feed->fd, feed->text + feed->at, end - feed->at);
		assert_true(sent > 0);
		feed->at += (size_t)sent;
	}
}

static void feed_close(struct feed *feed)
{
	close(feed->fd);
	free(feed->text);
	unlink(feed->path);
}

EXPECTATION(01_draws_before_file_is_read)
{
	struct feed feed;

	feed_open(&feed, "slow.json");
	struct pty *pty = run_strata(utf8, ROWS, WIDE, feed.path, NULL);
	expect_text(pty, "slow.json");
	expect_text(pty, "reading");
	feed_to(&feed, LITTLE);
	expect_text(pty, "rows");
	feed_to(&feed, feed.length);
	feed_close(&feed);
	expect_text(pty, "1/");
	expect_gone(pty, "reading");

	run_demo(utf8, ROWS, WIDE);
}

/* A file that loads slowly: 1 GB of text in identical gzip members. */
static void write_long_file(const char *path)
{
	char command[512];
	const char *part = scratch("part");
	size_t length;

	snprintf(
		command, sizeof command,
		"awk 'BEGIN { for (i = 0; i < 2000; i++) fill = fill \"x\"; for (i = 0; i < 1000; "
		"i++) printf \"{\\\"ph\\\":\\\"X\\\",\\\"cat\\\":\\\"cpu_op\\\",\\\"name\\\":"
		"\\\"op%%d\\\",\\\"pid\\\":1,\\\"tid\\\":1,\\\"ts\\\":%%d,\\\"dur\\\":1,\\\"args\\\":"
		"{\\\"Call stack\\\":\\\"%%s\\\"}},\\n\", i %% 7, 2 * i, fill }' | gzip -1 >%s",
		part);
	free(output_of(command));
	char *member = read_whole(part, &length);
	snprintf(command, sizeof command,
		 "printf '{\"schemaVersion\":1,\"traceEvents\":[\\n' | gzip >%s", path);
	free(output_of(command));
	FILE *file = fopen(path, "a");
	for (int i = 0; i < 500; i++)
		fwrite(member, 1, length, file);
	fclose(file);
	mem_free(member);
}

EXPECTATION(02_loading_shows_progress_and_can_be_stopped)
{
	static const char *const stops[] = { "q", "\003" };
	struct feed feed;

	for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
		feed_open(&feed, "slow.json");
		struct pty *pty = run_strata(utf8, ROWS, WIDE, feed.path, NULL);
		expect_text(pty, "reading");
		/* Esc has nothing to go back to; Ctrl-L draws again, Ctrl-Z leaves the screen */
		pty_send(pty, "\033");
		pty_settle(pty);
		pty_send(pty, "\014");
		pty_settle(pty);
		assert_false(pty_wrote(pty, "\033[?1049l"));
		pty_send(pty, "\032");
		expect_sent(pty, "\033[?1049l");
		feed_to(&feed, LITTLE);
		expect_text(pty, "rows");
		pty_resize(pty, 20, 50); /* it responds while it waits for more input */
		expect_text(pty, "slow.json");
		expect_text(pty, "reading");
		pty_send(pty, stops[i]);
		expect_exit(pty, 130);
		assert_true(pty_modes_kept(pty));
		feed_close(&feed);
		expectation_teardown(NULL);
	}
	write_long_file(scratch("long.json.gz"));
	struct pty *pty = run_strata(utf8, ROWS, WIDE, scratch("long.json.gz"), NULL);
	expect_text(pty, "%");
	pty_send(pty, "Q");
	assert_true(pty_wait_end(pty, PATIENCE_MS) && WIFEXITED(pty->status));
	/* cancelled or quit before the first preview */
	assert_true(WEXITSTATUS(pty->status) == 130 || WEXITSTATUS(pty->status) == 0);
}

/* The part of the selected row that does not depend on how much was read: from its duration on. */
static void selected_call(struct pty *pty, char *out, size_t size)
{
	const char *line = selected_line(pty), *unit = strstr(line, " us  ");

	snprintf(out, size, "%.40s", unit ? unit - 6 : line);
}

EXPECTATION(03_partial_data_can_be_explored)
{
	char before[64], after[64];
	struct feed feed;

	feed_open(&feed, "slow.json");
	struct pty *pty = run_strata(utf8, ROWS, 120, feed.path, NULL);
	feed_to(&feed, feed.length / 3);
	expect_text(pty, "PARTIALLY LOADED");
	expect_text(pty, "reading, ");
	/* everything works: views, search, sorting, drilling down */
	press(pty, "3", "[3 Operators]");
	expect_text(pty, "1/");
	press(pty, ":sort name\r", "Name▲");
	press(pty, "/aten::mm$\r", "1 of 1 matches");
	expect_selected(pty, "aten::mm ");
	press(pty, "\r", "run > aten::mm");
	expect_text(pty, "1/");
	expect_selected(pty, "aten::mm ");
	pty_settle(pty);
	press(pty, "G", "100%");
	pty_settle(pty);
	selected_call(pty, before, sizeof before);
	const char *rows = strrchr(pty_line(pty, ROWS - 1), '/');
	char few[16], many[16];
	snprintf(few, sizeof few, "%s", rows);
	/* as rows arrive, the cursor stays on its row */
	feed_to(&feed, feed.length);
	for (int waited = 0; waited < PATIENCE_MS; waited += 20) {
		snprintf(many, sizeof many, "%s", strrchr(pty_line(pty, ROWS - 1), '/'));
		if (strcmp(few, many) != 0)
			break;
		pty_read(pty, 20);
	}
	assert_string_not_equal(few, many);
	expect_text(pty, "run > aten::mm");
	pty_settle(pty);
	selected_call(pty, after, sizeof after);
	assert_string_equal(before, after);
	expect_text(pty, "reading, ");
	/* and when all is read, everything is in place */
	feed_close(&feed);
	expect_gone(pty, "reading, ");
	expect_gone(pty, "PARTIALLY LOADED");
	expect_text(pty, "run > aten::mm");
	expect_text(pty, "/6");
	pty_settle(pty);
	selected_call(pty, after, sizeof after);
	assert_string_equal(before, after);
	press(pty, "\177", "[3 Operators]");
	expect_text(pty, "Name▲");
	expect_text(pty, "/70");
	expect_selected(pty, "aten::mm ");
	expectation_teardown(NULL);

	/* loading can be stopped, keeping what was read */
	feed_open(&feed, "slow2.json");
	pty = run_strata(utf8, ROWS, 120, feed.path, NULL);
	feed_to(&feed, feed.length / 2);
	expect_text(pty, "PARTIALLY LOADED");
	expect_text(pty, "1/");
	pty_settle(pty);
	press(pty, "\003", "loading canceled");
	expect_gone(pty, "reading, ");
	press(pty, "3", "[3 Operators]");
	expect_text(pty, "1/");
	expect_text(pty, "PARTIALLY LOADED");
	feed_close(&feed);
	pty_send(pty, "Q");
	expect_exit(pty, 0);
}

/* One line on standard error, the exit status, and no use of the terminal. */
static void check_refused(const char *const *environment, int status, const char *text,
			  const char *argument)
{
	struct pty *pty = run_strata(environment, ROWS, WIDE, argument, NULL);

	expect_exit(pty, status);
	assert_false(pty_wrote(pty, "\033"));
	assert_true(pty_wrote(pty, text));
	assert_true(pty->raw_length > 8 && !memcmp(pty->raw, "strata: ", 8));
	assert_ptr_equal(memchr(pty->raw, '\n', pty->raw_length), pty->raw + pty->raw_length - 1);
	assert_true(pty_modes_kept(pty));
	expectation_teardown(NULL);
}

EXPECTATION(04_invalid_file_is_refused_in_one_line)
{
	static const unsigned char cut_gzip[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };

	write_whole(scratch("empty.json"), "", 0);
	write_whole(scratch("garbage.json"), "\001\002garbage\377\n", 11);
	write_whole(scratch("other.json"), "{\"a\": [1, 2, 3]}\n", 17);
	write_whole(scratch("cut.json.gz"), (const char *)cut_gzip, sizeof cut_gzip);
	write_whole(scratch("cut.sqlite"), "SQLite format 3", 16);
	check_refused(utf8, 4, "no/such/file.json: ", "no/such/file.json");
	check_refused(utf8, 4, "empty.json: ", scratch("empty.json"));
	check_refused(utf8, 4, "garbage.json: ", scratch("garbage.json"));
	check_refused(utf8, 4, "other.json: ", scratch("other.json"));
	check_refused(utf8, 4, "cut.json.gz: ", scratch("cut.json.gz"));
	check_refused(utf8, 4, "cut.sqlite: ", scratch("cut.sqlite"));
}

/* Run COMMAND in a shell in the terminal. */
static struct pty *run_shell(const char *command)
{
	char *argv[] = { "/bin/sh", "-c", (char *)command, NULL };

	return run_argv(argv, utf8, ROWS, WIDE);
}

static void check_no_escapes(const char *path)
{
	size_t length;
	char *text = read_whole(path, &length);

	assert_true(length > 100);
	assert_null(memchr(text, '\033', length));
	assert_non_null(strstr(text, "Findings"));
	mem_free(text);
}

EXPECTATION(05_prints_report_without_terminal)
{
	static const char *const ways[] = { "./strata --demo | cat >%s", "./strata --demo >%s",
					    "./strata --demo </dev/null | cat -v >%s" };

	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		char command[256];
		const char *path = scratch("out");
		snprintf(command, sizeof command, ways[i], path);
		struct pty *pty = run_shell(command);
		expect_exit(pty, 0);
		check_no_escapes(path);
		assert_false(pty_wrote(pty, "\033[?1049h"));
		assert_true(pty_wrote(pty, "strata report")); /* the hint on standard error */
		expectation_teardown(NULL);
	}
	expect_exit(run_shell("./strata no-such-file </dev/null 2>/dev/null"), 4);
	/* so does a history */
	struct pty *pty = run_shell(
		"./tracegen --steps 1 --layers 1 -o h.json && ./strata baseline add h h.json "
		"-q; ./strata history h | cat -v; ./strata history h </dev/null; echo end");
	expect_text(pty, "end");
	expect_exit(pty, 0);
	assert_false(pty_wrote(pty, "\033[?1049h"));
}

/* A report is as wide as the terminal, and has colors and characters that it shows. */
EXPECTATION(05_report_suits_its_terminal)
{
	static const struct {
		const char *variables, *arguments;
		bool colors, unicode;
	} cases[] = {
		{ "", "", true, true },
		{ "LC_ALL=C", "", true, false },
		{ "", "--ascii", true, false },
		{ "NO_COLOR=1", "", false, true },
		{ "NO_COLOR=", "", true, true },
		{ "TERM=dumb", "", false, true },
		{ "TERM=dumb CLICOLOR_FORCE=1", "", true, true },
		{ "TERM=dumb CLICOLOR_FORCE=0", "", false, true },
		{ "NO_COLOR=1", "--color always", true, true },
		{ "", "--color never", false, true },
		{ "", "| cat", false, false },
		{ "CLICOLOR_FORCE=1", "| cat", true, false },
		{ "", "-o - | cat", false, false },
		{ "LC_ALL=C", "--utf8 --color never", false, true },
	};
	enum { NARROW = 60 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTO_FREE char *command = mem_printf(
			"COLUMNS= %s ./strata report kernels --demo -q -n 4 -w 60 %s; echo end",
			cases[i].variables, cases[i].arguments);
		char *argv[] = { "/bin/sh", "-c", command, NULL };
		struct pty *pty = run_argv(argv, utf8, ROWS, NARROW);
		expect_text(pty, "end");
		expect_exit(pty, 0);
		if (pty_wrote(pty, "\033[1m") != cases[i].colors ||
		    pty_wrote(pty, "\xe2\x80\xa6") != cases[i].unicode)
			fail_msg("%s: %s", command, pty_text(pty));
		expectation_teardown(NULL);
	}
	/* without -w, what a line cannot hold is left out */
	for (int columns = 40; columns <= 200; columns += 40) {
		char *argv[] = {
			"./strata", "report", "operators", "--demo", "-q", "-n", "3", NULL
		};
		struct pty *pty = run_argv(argv, utf8, ROWS, columns);
		expect_text(pty, "more rows");
		expect_exit(pty, 0);
		assert_int_equal(pty_find(pty, "------"), 1);
		assert_int_equal(pty_find(pty, "more rows"), 5);
		expectation_teardown(NULL);
	}
}

EXPECTATION(06_ends_quietly_on_closed_pipe)
{
	struct pty *pty;

	pty = run_shell(
		"{ ./strata report calls -q --demo; echo status $? >&2; } | head -1 | cut -c1-8; "
		"echo end");
	expect_exit(pty, 0);
	expect_text(pty, "Name");
	expect_text(pty, "end");
	assert_true(pty_wrote(pty, "status 0") || pty_wrote(pty, "status 141"));
	assert_false(pty_wrote(pty, "strata:"));
	assert_false(pty_wrote(pty, "roken pipe"));
}

EXPECTATION(07_unknown_terminal_is_named_or_replaced)
{
	const char *const unknown[] = { "TERM=no-such-terminal", NULL };
	const char *const dumb[] = { "TERM=dumb", NULL }, *const unset[] = { "TERM", NULL };
	const char *const newer[] = { "TERM=xterm-newer-than-this", "LC_ALL=C.UTF-8", NULL };
	const char *const vt100[] = { "TERM=vt100", "LC_ALL=C.UTF-8", NULL };

	check_refused(unknown, 2, "no-such-terminal", "--demo");
	check_refused(unknown, 2, "strata report", "--demo");
	check_refused(dumb, 2, "strata report", "--demo");
	check_refused(unset, 2, "strata report", "--demo");
	/* of a known family: drawn as that, with one message */
	struct pty *pty = run_demo(newer, ROWS, WIDE);
	expect_text(pty, "xterm-newer-than-this");
	press(pty, "2", "[2 Layers]");
	expect_gone(pty, "xterm-newer-than-this");
	/* terminfo padding delays are not sent as text */
	pty = run_demo(vt100, ROWS, WIDE);
	press(pty, "2", "[2 Layers]");
	assert_false(pty_wrote(pty, "$<"));
	/* without an alternate screen, the shell's prompt gets a clean line */
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	assert_int_equal(strspn(pty_line(pty, ROWS - 1), " "), strlen(pty_line(pty, ROWS - 1)));
}

/* Restored: alternate screen left, cursor shown, mouse and paste modes off, termios unchanged. */
static void check_restored(struct pty *pty)
{
	assert_true(pty_wrote(pty, "\033[?1049h"));
	assert_true(pty_wrote(pty, "\033[?1049l"));
	assert_true(pty_wrote(pty, "\033[?2004l"));
	assert_true(pty_wrote(pty, "\033[?25h") || pty_wrote(pty, "\033[?12l\033[?25h"));
	assert_true(pty_modes_kept(pty));
}

EXPECTATION(08_quitting_restores_terminal)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	assert_false(pty_modes_kept(pty));
	press(pty, "q", "press q again to quit");
	pty_send(pty, "q");
	expect_exit(pty, 0);
	check_restored(pty);
	assert_false(pty_wrote(pty, "1006"));
	pty = run_demo(utf8, ROWS, WIDE);
	pty_send(pty, ":set mouse\r");
	expect_sent(pty, "\033[?1006;1000h");
	pty_send(pty, "Q");
	expect_exit(pty, 0);
	check_restored(pty);
	assert_true(pty_wrote(pty, "\033[?1006;1000l"));
}

EXPECTATION(09_signals_restore_terminal)
{
	static const int signals[] = {
		SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2
	};

	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct pty *pty = run_demo(utf8, ROWS, WIDE);
		kill(pty->pid, signals[i]);
		expect_exit(pty, 128 + signals[i]);
		check_restored(pty);
		expectation_teardown(NULL);
	}
}

EXPECTATION(10_crash_restores_terminal)
{
	static const int signals[] = { SIGSEGV, SIGABRT };
	const char *sanitizers = getenv("SANITIZERS");

	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct pty *pty = run_demo(utf8, ROWS, WIDE);
		pty_send(pty, ":set mouse\r");
		expect_sent(pty, "\033[?1006;1000h");
		kill(pty->pid, signals[i]);
		assert_true(pty_wait_end(pty, PATIENCE_MS));
		/* sanitizers handle the signal themselves */
		if (!sanitizers || !*sanitizers) {
			assert_true(WIFSIGNALED(pty->status));
			assert_int_equal(WTERMSIG(pty->status), signals[i]);
		}
		assert_false(WIFEXITED(pty->status) && WEXITSTATUS(pty->status) == 0);
		check_restored(pty);
		assert_true(pty_wrote(pty, "\033[?1000l"));
		assert_true(pty_wrote(pty, "strata: internal error"));
		expectation_teardown(NULL);
	}
}

/* Even if SIGHUP is ignored, as under nohup, or not sent, as the terminal is not the session's. */
EXPECTATION(11_ends_when_terminal_is_gone)
{
	struct pty *pty;

	static const char *const commands[] = { "trap '' HUP; exec ./strata --demo",
						"trap '' HUP; setsid --wait ./strata --demo" };
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		pty = run_shell(commands[i]);
		expect_text(pty, "[1 Overview]");
		pty_settle(pty);
		pty_hang_up(pty);
		assert_true(pty_wait_end(pty, PATIENCE_MS));
		expectation_teardown(NULL);
	}
	pty = run_demo(utf8, ROWS, WIDE);
	pty_hang_up(pty);
	assert_true(pty_wait_end(pty, PATIENCE_MS));
}

/* Wait until the shell has printed COUNT prompts. */
static void wait_for_prompts(struct pty *pty, int count)
{
	static const char prompt[] = "shell> ";

	for (int waited = 0; waited < PATIENCE_MS; waited += 20) {
		int seen = 0;
		const char *at = pty->raw, *end = pty->raw + pty->raw_length;
		while (at && (at = memmem(at, (size_t)(end - at), prompt, sizeof prompt - 1))) {
			seen++;
			at++;
		}
		if (seen >= count)
			return;
		pty_read(pty, 20);
	}
	fail_msg("no new shell prompt");
}

/* What the terminal answers once the program ends is not left to the shell. */
EXPECTATION(08_answers_are_not_left_to_the_shell)
{
	struct pty *pty = run_shell("./strata --demo; stty -echo; read line; echo \"<$line>\"");
	expect_sent(pty, "\033]11;?\033\\");
	expect_text(pty, "[1 Overview]");
	pty_settle(pty);
	pty_send(pty, "Q\033]11;rgb:0000/0000/0000\033\\\033[?62c");
	expect_sent(pty, "\033[?1049l");
	pty_send(pty, "typed\r");
	expect_text(pty, "<typed>");
	expect_exit(pty, 0);
}

EXPECTATION(12_job_control_works)
{
	const char *const environment[] = { "TERM=xterm-256color", "LC_ALL=C.UTF-8", "PS1=shell> ",
					    "ENV", NULL };
	char *shell[] = { "/bin/sh", "-i", NULL };
	int prompts = 0;
	struct pty *pty;

	pty = run_argv(shell, environment, ROWS, WIDE);
	wait_for_prompts(pty, ++prompts);
	press(pty, "./strata --demo --mouse\r", "[1 Overview]");
	press(pty, "3", "[3 Operators]");
	for (int i = 0; i < 2; i++) {
		pty_send(pty, "\032"); /* Ctrl-Z */
		wait_for_prompts(pty, ++prompts);
		expect_gone(pty, "[3 Operators]");
		press(pty, "echo in th''is shell\r", "in this shell");
		wait_for_prompts(pty, ++prompts);
		if (i > 0)
			pty_resize(pty, 24, 80);
		size_t before = pty->raw_length;
		press(pty, "fg\r", "[3 Operators]");
		pty_settle(pty);
		assert_non_null(memmem(pty->raw + before, pty->raw_length - before, "1000h", 5));
		expect_gone(pty, "in this shell");
		expect_text(pty, "Search");
		assert_true(pty_find(pty, "Search") == pty->rows - 1);
	}
	press(pty, "j", " 2/");
	pty_send(pty, "Q");
	wait_for_prompts(pty, ++prompts);
	expect_text(pty, "in this shell");
	pty_send(pty, "exit\r");
	expect_exit(pty, 0);
}
