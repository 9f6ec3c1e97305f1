/* Expectations 13 to 17: output volume and sizes. */
#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE_ROWS = 45, LARGE_COLUMNS = 160 };

/* ---- output volume ---- */

EXPECTATION(13_idle_writes_nothing)
{
	struct pty *pty[2];

	pty[0] = run_demo(utf8, ROWS, WIDE);
	press(pty[0], "2", "[2 Layers]");
	press(pty[0], "j", " 2/");
	pty[1] = run_demo(utf8, ROWS, WIDE);
	press(pty[1], "3", "[3 Operators]");
	press(pty[1], "/conv\r", " of ");
	for (int i = 0; i < 2; i++)
		pty_settle(pty[i]);
	pty_read(pty[0], 300);
	pty_read(pty[1], 300);
	size_t before = pty[0]->raw_length + pty[1]->raw_length;
	pty_read(pty[0], 5000);
	pty_read(pty[1], 100);
	assert_int_equal(pty[0]->raw_length + pty[1]->raw_length, before);
	expect_alive(pty[0]);
	expect_alive(pty[1]);
}

static struct pty *run_calls(void)
{
	struct pty *pty =
		run_strata(utf8, LARGE_ROWS, LARGE_COLUMNS, "--demo", "--view", "calls", NULL);

	expect_text(pty, "1/2361");
	press(pty, "G", "2361/2361");
	press(pty, "g", " 1/2361");
	pty_settle(pty);
	return pty;
}

EXPECTATION(14_queued_keys_draw_once)
{
	char keys[3 * 200 + 1] = "";

	struct pty *pty = run_calls();
	for (int i = 0; i < 200; i++)
		memcpy(keys + 3 * i, "\033[B", 4);
	size_t before = pty->raw_length;
	press(pty, keys, "201/2361");
	pty_settle(pty);
	assert_in_range(pty->raw_length - before, 1, 8 * 1024);
}

/* Bytes sent from KEYS until TEXT is shown. */
static size_t cost(struct pty *pty, const char *keys, const char *text)
{
	size_t before = pty->raw_length;

	press(pty, keys, text);
	pty_settle(pty);
	return pty->raw_length - before;
}

/* Of a large screen, in tables and on the timeline; of a small one, while keys are typed; with the
 * strip, which has three rows of names and figures that differ, they may cost as many as it has
 * cells. */
enum { MOVES = 10, LARGE = 700, LANES = 700, FOLDED = 620, SMALL = 400, SMALL_STRIP = SMALL + 240 };
enum { ATTEMPTS = 8 };

/* What is drawn when keys rest is that of the last row; nothing follows. */
EXPECTATION(13_details_follow_when_keys_rest)
{
	struct pty *pty = run_strata(utf8, 24, 80, "--demo", NULL);
	expect_text(pty, "Overview]");
	press(pty, "4", " 1/");
	pty_settle(pty);
	char *first = strdup(pty_line(pty, 20));
	pty_send(pty, "jjj");
	expect_text(pty, " 4/");
	pty_settle(pty);
	assert_string_not_equal(pty_line(pty, 20), first);
	char *fourth = strdup(pty_line(pty, 20));
	press(pty, "g", " 1/");
	expect_text(pty, first);
	press(pty, "jjj", " 4/");
	expect_text(pty, fourth);
	pty_read(pty, 20); /* the end of the frame */
	size_t before = pty->raw_length;
	pty_read(pty, 300);
	assert_int_equal(pty->raw_length, before);
	free(first);
	free(fourth);
}

/* Number of rows, from the position at the end of the footer; 0: it has none. */
static size_t rows_shown(struct pty *pty)
{
	const char *slash = strrchr(pty_line(pty, pty->rows - 1), '/');
	return slash ? strtoul(slash + 1, NULL, 10) : 0;
}

/* Most bytes of a key that moves the cursor down, of up to MOVES from the first row. */
static size_t cost_of_moves(struct pty *pty)
{
	size_t most = 0, rows = rows_shown(pty);

	pty_send(pty, "g");
	if (rows > 0)
		expect_text(pty, " 1/");
	pty_settle(pty);
	for (size_t i = 1, before = pty->raw_length; i <= MOVES && i < rows; i++) {
		char position[32];
		snprintf(position, sizeof position, " %zu/", i + 1);
		press(pty, "j", position);
		pty_read(pty, 5); /* a frame arrives at once */
		size_t bytes = pty->raw_length - before;
		before = pty->raw_length;
		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Of MOVES from the first row, each before keys rest: how many cost at most MOST bytes. */
static size_t cheap_moves(struct pty *pty, size_t most)
{
	size_t cheap = 0, moves = 0;

	pty_send(pty, "g");
	expect_text(pty, " 1/");
	pty_settle(pty);
	for (size_t before = pty->raw_length; moves < MOVES && moves + 1 < rows_shown(pty);) {
		char position[32];
		snprintf(position, sizeof position, " %zu/", ++moves + 1);
		press(pty, "j", position);
		cheap += pty->raw_length - before <= most;
		before = pty->raw_length;
	}
	return cheap + MOVES - moves;
}

/* The title of the view shown, "[Out of Memory]"; the caller frees. */
static char *title_shown(struct pty *pty)
{
	const char *title = strrchr(pty_line(pty, 1), '[');
	return strndup(title ? title : "", title ? strcspn(title, "]") : 0);
}

/* Show VIEW, which is not shown yet unless it is the overview. */
static void open_view(struct pty *pty, const char *view)
{
	char command[64], *before = title_shown(pty), *now = strdup(before);

	snprintf(command, sizeof command, ":view %s\r", view);
	pty_send(pty, command);
	bool shown = !strcmp(view, "overview") && strstr(before, "Overview");
	for (int waited = 0; waited < PATIENCE_MS && !shown; waited += 20) {
		pty_read(pty, 20);
		free(now);
		now = title_shown(pty);
		shown = *now && strcmp(now, before) != 0;
	}
	if (!shown)
		fail_msg("%s is not shown: \"%s\"", view, now);
	free(before);
	free(now);
	pty_settle(pty);
}

/* The two rows, whose background changes, and what differs in the strip. */
static void check_cost_of_moves(struct pty *pty, const char *path, const char *view)
{
	open_view(pty, view);
	size_t most = cost_of_moves(pty);
	if (most > LARGE)
		fail_msg("%s of %s: %zu bytes for a key", view, path, most);
	pty_send(pty, "i");
	most = cost_of_moves(pty);
	if (most > FOLDED)
		fail_msg("%s of %s, without strip: %zu bytes for a key", view, path, most);
	pty_send(pty, "i");
}

/* Of VIEWS, one a line. */
static void check_views(struct pty *pty, const char *path, const char *views)
{
	while (*views) {
		char view[32];
		size_t length = strcspn(views, "\n");
		snprintf(view, sizeof view, "%.*s", (int)length, views);
		check_cost_of_moves(pty, path, view);
		views += length + (views[length] == '\n');
	}
}

EXPECTATION(15_key_costs_few_bytes)
{
	struct pty *pty = run_calls();
	assert_in_range(cost(pty, "\033[6~", "/2361"), 1, 8 * 1024);
	expect_gone(pty, " 1/2361");
	char *views = output_of("./strata views | sed -n 's/^\\([a-z-]*\\): a row .*/\\1/p'");
	assert_non_null(strstr(views, "critical-path\n"));
	open_view(pty, "launches");
	for (int row = 2; row < 60; row++) { /* rows that move up cost nothing */
		char position[32];
		snprintf(position, sizeof position, " %d/", row);
		assert_in_range(cost(pty, "j", position), 1, LARGE);
	}
	check_views(pty, "the sample run", views);
	free(views);
}

EXPECTATION(15_key_costs_few_bytes_on_small_screen)
{
	static const char *const views[] = { "launches", "kernels", "operators", "layers", "gaps" };

	struct pty *pty = run_strata(utf8, 24, 80, "--demo", NULL);
	expect_text(pty, "Overview]");
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		open_view(pty, views[i]);
		assert_in_range(cost_of_moves(pty), 1, SMALL_STRIP);
		/* the strip is drawn when keys rest, which they seem to on a machine that is busy
		 */
		size_t cheap = 0;
		for (int attempt = 0; attempt < ATTEMPTS && cheap < MOVES; attempt++)
			cheap = cheap_moves(pty, SMALL);
		assert_int_equal(cheap, MOVES);
		pty_send(pty, "i");
		assert_in_range(cost_of_moves(pty), 1, SMALL);
		pty_send(pty, "i");
	}
}

/* Long names and layers, ranks, other tools. */
EXPECTATION(15_key_costs_few_bytes_in_other_profiles)
{
	static const struct {
		const char *path, *views;
	} profiles[] = {
		{ "kineto/particle_transformer/gpu_working_chrome_trace.json.gz",
		  "memory\ncritical-path\nlaunches\noverview" },
		{ "kineto/dlrm_8ranks", "launches\ngaps\noverview" },
		{ "nsys/GindaChen__nsys-ai/mfu_2gpu_after.sqlite", "gaps\nkernels\ncritical-path" },
		{ "xplane/jax_conv_mi300_legacy.xplane.pb", "launches\nlayers\noverview" },
		{ "kineto/param/linear_kineto.json.gz", "gaps\noverview\nlinks" },
	};

	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		const char *path = corpus_path(profiles[i].path);
		if (!path) {
			print_message("%s is not here\n", profiles[i].path);
			continue;
		}
		struct pty *pty =
			run_strata(utf8, LARGE_ROWS, LARGE_COLUMNS, "--no-cache", path, NULL);
		expect_text(pty, "Overview]");
		check_views(pty, profiles[i].path, profiles[i].views);
		expectation_teardown(NULL);
	}
}

/* The frame of a key, which may come late; a key without an effect sends nothing. */
static void await_frame(struct pty *pty, size_t before)
{
	enum { LATE_MS = 1000 };

	for (int waited = 0; waited < LATE_MS && pty->raw_length == before; waited += 20)
		pty_read(pty, 20);
	pty_settle(pty);
}

/* Each of KEYS may cost MOST bytes. */
static void check_keys(struct pty *pty, const char *where, const char *keys, size_t most)
{
	for (; *keys; keys++) {
		const char key[] = { *keys, '\0' };
		size_t before = pty->raw_length;
		pty_send(pty, key);
		await_frame(pty, before);
		if (pty->raw_length - before > most)
			fail_msg("%s: %zu bytes for '%s', more than %zu", where,
				 pty->raw_length - before, key, most);
	}
}

static void check_pictures(struct pty *pty, const char *path)
{
	pty_settle(pty);
	check_keys(pty, path, "jjjjjjjjjjjjkkkklljjjj", FOLDED);
	press(pty, ":view timeline\r", "  GPU0 SM eff.");
	expect_gone(pty, "│..."); /* lanes that are not read yet */
	pty_settle(pty);
	check_keys(pty, path, "..,,))((", LANES);
	check_keys(pty, path, "jjjjjjkkkk", LANES);
	size_t before = pty->raw_length;
	pty_send(pty, "i");
	await_frame(pty, before);
	check_keys(pty, path, "..,,,,.", FOLDED); /* with a message, and without it again */
	check_keys(pty, path, "))((jjjjjjkkkk))((", FOLDED);
}

EXPECTATION(15_key_costs_few_bytes_in_pictures)
{
	const char *path = corpus_path("kineto/dlrm_8ranks");

	check_pictures(run_demo(utf8, LARGE_ROWS, LARGE_COLUMNS), "the sample run");
	expectation_teardown(NULL);
	if (!path)
		return;
	struct pty *pty = run_strata(utf8, LARGE_ROWS, LARGE_COLUMNS, "--no-cache", path, NULL);
	expect_text(pty, "Straggler rank");
	check_pictures(pty, path);
}

/* What was sent in parts is what is sent at once. */
static void check_redraw(struct pty *pty, const char *path)
{
	char *shown = strdup(pty_text(pty));
	size_t before = pty->raw_length;
	pty_send(pty, "\014");
	await_frame(pty, before);
	if (pty->raw_length - before < LARGE)
		fail_msg("%s: not redrawn", path);
	assert_string_equal(pty_text(pty), shown);
	free(shown);
}

/*
 * Rows of idle lanes look alike; curses must not take them for scrolled ones and redraw the lanes
 * around the cursor. Names of samples are long, and so are their stacks.
 */
EXPECTATION(15_key_costs_few_bytes_on_lanes)
{
	static const struct {
		const char *path;
		bool strip;
	} profiles[] = {
		{ "kineto/hta/call_stack/backward_thread.json", false },
		{ "kineto/hta/trace_filter/sampled_rank-1.json.gz", false },
		{ "kineto/hta/execution_trace/benchmark_simple_add_trace.json.gz", true },
		{ "kineto/torch113/seed001_mymodule/mymodule_v1_nonzero_stack.pt.trace.json.gz",
		  false },
		{ "dlprof/kakack__dlprofer/dlprof_dldb.sqlite", true },
	};

	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		const char *path = corpus_path(profiles[i].path);
		if (!path) {
			print_message("%s is not here\n", profiles[i].path);
			continue;
		}
		struct pty *pty =
			run_strata(utf8, LARGE_ROWS, LARGE_COLUMNS, "--no-cache", path, NULL);
		expect_text(pty, "Overview]");
		press(pty, ":view timeline\r", "[5 Timeline]");
		expect_text(pty, "annotation"); /* in the legend: the lanes are there */
		expect_gone(pty, "│...");
		pty_settle(pty);
		if (profiles[i].strip)
			check_keys(pty, profiles[i].path, "jjjjjjjjkkkkkkkk", LANES);
		pty_send(pty, "i");
		pty_settle(pty);
		check_keys(pty, profiles[i].path, "jjjjjjjj", FOLDED);
		check_redraw(pty, profiles[i].path);
		check_keys(pty, profiles[i].path, "kkkkkkkk", FOLDED);
		check_redraw(pty, profiles[i].path);
		expectation_teardown(NULL);
	}
}

/* ---- sizes ---- */

EXPECTATION(16_many_resizes_end_in_correct_screen)
{
	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "[3 Operators]");
	for (int i = 0; i < 40; i++) {
		pty_resize(pty, 5 + 7 * i % 50, 25 + 13 * i % 150);
		pty_read(pty, 10);
	}
	pty_resize(pty, 24, 80);
	struct pty *fresh = run_demo(utf8, 24, 80);
	press(fresh, "3", "[3 Operators]");
	press(fresh, "j", " 2/");
	press(fresh, "k", " 1/");
	pty_settle(fresh);
	char *wanted = strdup(pty_text(fresh));
	for (int waited = 0; waited < PATIENCE_MS && strcmp(pty_text(pty), wanted); waited += 20)
		pty_read(pty, 20);
	assert_string_equal(pty_text(pty), wanted);
	free(wanted);
	pty_settle(pty);
	size_t before = pty->raw_length;
	pty_read(pty, 300);
	assert_int_equal(pty->raw_length, before);
}

/* True if the screen has at least a row, or a message that it is too small. */
static bool right_for_size(struct pty *pty)
{
	static const char small[] = "too small";

	if (pty->rows >= 3 && pty->columns >= 20) {
		bool title = pty_find(pty, "strata") == 0, position = strstr(pty_text(pty), "1/70");
		return *selected_line(pty) && position && title == (pty->rows >= 14);
	}
	size_t fits = pty->columns < 9 ? (size_t)pty->columns : 9;
	for (int row = 1; row < pty->rows; row++) {
		if (*pty_line(pty, row))
			return false;
	}
	return strlen(pty_line(pty, 0)) == (fits == 4 ? 3 : fits) &&
	       !strncmp(pty_line(pty, 0), small, fits == 4 ? 3 : fits);
}

static void check_size(struct pty *pty)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
		if (right_for_size(pty))
			return;
		pty_read(pty, 10);
		assert_false(pty->ended);
	}
	print_error("at %dx%d:\n%s\n", pty->columns, pty->rows, pty_text(pty));
	fail();
}

EXPECTATION(17_every_size_from_1x1_to_500x200)
{
	static const int rows[] = { 1, 2, 3, 4, 7, 12, 14, 30, 200 };
	static const int columns[] = { 1, 4, 19, 20, 21, 80, 500 };

	struct pty *pty = run_demo(utf8, ROWS, WIDE);
	press(pty, "3", "1/70");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
			pty_resize(pty, rows[i], columns[k]);
			check_size(pty);
		}
	}
	pty_resize(pty, 1, 1);
	check_size(pty);
	pty_resize(pty, ROWS, WIDE); /* and back without a key */
	check_size(pty);
	expect_alive(pty);
	expectation_teardown(NULL);
	/* started there */
	pty = run_strata(utf8, 1, 1, "--demo", "--view", "operators", NULL);
	expect_text(pty, "t");
	pty_resize(pty, 200, 500);
	check_size(pty);
	pty = run_strata(utf8, 3, 20, "--demo", "--view", "operators", NULL);
	check_size(pty);
}
