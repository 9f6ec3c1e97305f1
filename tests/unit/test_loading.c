/*
 * The explorer while a rank is loading: it draws, answers keys, and the shown rank stays usable.
 * The load is stalled with a pipe that is never written, so any wait for it would block forever.
 */
#include "explorer_case.h"
#include "trace_case.h"

#include "session/load_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TURNS = 50, HANGS_AFTER_S = 120, GRACE_MS = 250 };

static const char *const paths[] = { "test-loading-0.tmp", "test-loading-1.tmp" };
static const char copy[] = "test-loading-copy.tmp";

static void run_command(const char *format, const char *a, const char *b)
{
	char command[200];
	snprintf(command, sizeof command, format, a, b);
	assert_int_equal(system(command), 0);
}

static void remove_files(void)
{
	unlink(paths[0]);
	unlink(paths[1]);
	unlink(copy);
}

/* Two ranks; the second one is a pipe and not loaded. */
static void open_stalled(struct explorer *explorer)
{
	alarm(HANGS_AFTER_S);
	remove_files();
	run_command("./tracegen --size 100K --rank %s --world 2 -o %s", "0", paths[0]);
	run_command("./tracegen --size 100K --rank %s --world 2 -o %s", "1", paths[1]);
	explorer_open(explorer, paths, 2);
	explorer_type(explorer, "8");
	explorer_settle(explorer);
	assert_true(explorer_shows(explorer, "[8 Ranks]"));
	assert_true(load_make_room(explorer->app.tui.run, 0));
	run_command("mv %s %s", paths[1], copy);
	assert_int_equal(mkfifo(paths[1], 0600), 0);
}

/* Select the second rank. */
static void stall(struct explorer *explorer)
{
	explorer_type(explorer, "gj<Enter>");
	explorer_expect(explorer, "Esc cancels");
}

static void close_stalled(struct explorer *explorer)
{
	explorer_close(explorer);
	remove_files();
	alarm(0);
}

static bool busy(struct explorer *explorer)
{
	return worker_busy(explorer->app.tui.worker, NULL);
}

TEST(draws_while_rank_is_loading)
{
	struct explorer explorer;

	open_stalled(&explorer);
	stall(&explorer);
	assert_true(explorer_shows(&explorer, "test-loading-1.tmp  rank 1"));
	assert_true(explorer_shows(&explorer, "run > rank 1"));
	assert_true(explorer_shows(&explorer, "Esc cancels"));
	for (int i = 0; i < TURNS; i++) {
		explorer.app.tui.dirty = true;
		app_turn(&explorer.app);
	}
	explorer.app.term->ops->resize(explorer.app.term, 24, 80);
	app_resize(&explorer.app);
	app_turn(&explorer.app);
	assert_true(explorer_shows(&explorer, "Esc cancels"));
	assert_true(busy(&explorer));
	close_stalled(&explorer);
}

TEST(escape_cancels_loading)
{
	struct explorer explorer;

	open_stalled(&explorer);
	stall(&explorer);
	explorer_type(&explorer, "<Esc>");
	explorer_settle(&explorer);
	assert_true(explorer_shows(&explorer, "[8 Ranks]"));
	assert_true(explorer_shows(&explorer, "canceled"));
	explorer_type(&explorer, "4");
	explorer_settle(&explorer);
	assert_true(explorer_shows(&explorer, "[4 Kernels]"));
	assert_true(explorer_shows(&explorer, "test-loading-0.tmp  rank 0"));
	close_stalled(&explorer);
}

/* Other keys act on what is there, which is nothing yet. */
TEST(moving_does_not_cancel_loading)
{
	struct explorer explorer;

	open_stalled(&explorer);
	stall(&explorer);
	explorer_type(&explorer, "jk<PageDown><Enter>");
	app_turn(&explorer.app);
	assert_true(busy(&explorer));
	assert_true(explorer_shows(&explorer, "Esc cancels"));
	close_stalled(&explorer);
}

/* Typed before the load is visible. */
TEST(escape_typed_ahead_cancels_loading)
{
	struct explorer explorer;

	open_stalled(&explorer);
	explorer_type(&explorer, "gj<Enter><Esc>");
	explorer_settle(&explorer);
	assert_true(explorer_shows(&explorer, "[8 Ranks]"));
	assert_false(busy(&explorer));
	close_stalled(&explorer);
}

/* Going elsewhere cancels the load, too. */
TEST(other_view_opens_while_loading)
{
	struct explorer explorer;

	open_stalled(&explorer);
	for (int i = 0; i < 3; i++) {
		stall(&explorer);
		usleep(100000); /* from then on keys are no longer held for the result */
		explorer_type(&explorer, "<Backspace>");
		explorer_settle(&explorer);
		assert_true(explorer_shows(&explorer, "[8 Ranks]"));
	}
	explorer_type(&explorer, "3jjj<Enter>");
	explorer_settle(&explorer);
	explorer_expect(&explorer, "[Calls]");
	close_stalled(&explorer);
}

TEST(rank_is_shown_when_loaded)
{
	struct explorer explorer;

	open_stalled(&explorer);
	stall(&explorer);
	run_command("cat %s >%s", copy, paths[1]);
	explorer_settle(&explorer);
	assert_true(explorer_shows(&explorer, "[1 Overview]"));
	assert_true(explorer_shows(&explorer, "rank 1 of 2"));
	explorer_type(&explorer, "<Backspace>");
	explorer_settle(&explorer);
	assert_true(explorer_shows(&explorer, "[8 Ranks]"));
	close_stalled(&explorer);
}

/* ---- keys while other work runs ---- */

static void open_one(struct explorer *explorer)
{
	alarm(HANGS_AFTER_S);
	remove_files();
	run_command("./tracegen --size 100K --rank %s --world 2 -o %s", "0", paths[0]);
	explorer_open(explorer, paths, 1);
}

static void close_one(struct explorer *explorer)
{
	explorer_close(explorer);
	remove_files();
	alarm(0);
}

static void end_held(struct explorer *explorer, struct held_job *held)
{
	atomic_store(&held->may_end, true);
	explorer_settle(explorer);
	while (!atomic_load(&held->ended))
		explorer_settle(explorer);
}

/* Keys that are typed before the work is seen are held for its result, in order; those that follow
 * them wait, too, however long it takes, but for Esc, which stops it. */
TEST(keys_are_held_behind_those_that_are_held)
{
	struct explorer explorer;
	struct app *app = &explorer.app;
	open_one(&explorer);
	explorer_type(&explorer, "4");
	explorer_settle(&explorer);
	for (bool in_time = false; !in_time;) {
		struct held_job held = { .job = { .what = "Working" }, .stage = "working" };
		held_job_start(&held, app->tui.worker);
		explorer_type(&explorer, "3");
		app_turn(app);
		in_time = app->held_count == 1; /* else this took longer than keys are held */
		usleep(GRACE_MS * 1000);
		explorer_type(&explorer, "j");
		app_turn(app);
		if (in_time) {
			assert_int_equal(app->held_count, 2);
			assert_true(explorer_shows(&explorer, "[4 Kernels]"));
		}
		end_held(&explorer, &held);
	}
	assert_true(explorer_shows(&explorer, "[3 Operators]"));
	assert_true(explorer_shows(&explorer, " 2/"));
	close_one(&explorer);
}

/* Esc closes the slider at once, whether or not it predicts. */
TEST(escape_closes_the_slider_while_it_predicts)
{
	struct explorer explorer;
	struct app *app = &explorer.app;
	struct held_job held = { .job = { .what = "Working" }, .stage = "working" };
	open_one(&explorer);
	explorer_type(&explorer, "4w");
	explorer_settle(&explorer);
	assert_true(app->what_if.open);
	held_job_start(&held, app->tui.worker);
	usleep(GRACE_MS * 1000);
	explorer_type(&explorer, "l"); /* a prediction that waits for the work is not missed */
	app_turn(app);
	usleep(GRACE_MS * 1000);
	explorer_type(&explorer, "<Esc>");
	app_turn(app);
	assert_false(app->what_if.open);
	assert_string_equal(app->message, "");
	end_held(&explorer, &held);
	assert_string_equal(app->message, "");
	close_one(&explorer);
}

/* While a part is shown, Ctrl-C stops the work that is seen, else what is still read. */
TEST(interrupt_stops_what_is_seen)
{
	struct explorer explorer;
	struct app *app = &explorer.app;
	open_one(&explorer);
	for (int works = 0; works < 2; works++) {
		struct held_job reads = { .job = { .what = "Reading" }, .stage = "reading" };
		struct held_job work = { .job = { .what = "Working" }, .stage = "working" };
		held_job_start(&reads, app->reader);
		app->loading = app->partial = true;
		if (works)
			held_job_start(&work, app->tui.worker);
		usleep(GRACE_MS * 1000);
		explorer_type(&explorer, "<C-c>");
		app_turn(app);
		assert_int_equal(atomic_load(&reads.job.cancelled), !works);
		assert_int_equal(atomic_load(&work.job.cancelled), works);
		atomic_store(&reads.may_end, true);
		atomic_store(&work.may_end, true);
		while (!atomic_load(&reads.ended) || (works && !atomic_load(&work.ended))) {
			worker_wait(app->reader, 100);
			worker_wait(app->tui.worker, 100);
			app_turn(app);
		}
		app->loading = app->partial = false;
		app->tui.quit = false;
		explorer_settle(&explorer);
	}
	close_one(&explorer);
}

/* ---- how far the work is ---- */

/* Cells of the progress bar: those that are full. */
static int full_cells(const struct grid *grid)
{
	int full = 0;
	for (int i = 0; i < grid->rows * grid->columns; i++)
		full += grid->cells[i].role == ROLE_BAR && strcmp(grid->cells[i].bytes, " ") != 0;
	return full;
}

static void draw_again(struct explorer *explorer)
{
	explorer->app.tui.dirty = true;
	app_turn(&explorer->app);
}

/* What is shown while the first file is read, when a part is shown already, and of other work. */
TEST(progress_is_told_in_bytes_shares_and_rows)
{
	static const struct {
		const char *stage;
		uint64_t done, total, rows;
		const char *first, *part, *footer;
		int full; /* of the 60 cells of the bar */
	} cases[] = {
		{ "reading", 1 << 20, 4 << 20, 0, "reading 1.00 MiB of 4.00 MiB  25%",
		  "reading 25%", "Looking: reading  25%", 15 },
		{ "reading", 3 << 20, 4 << 20, 12345,
		  "reading 3.00 MiB of 4.00 MiB  75%, 12345 rows", "reading 75%",
		  "Looking: reading  75%, 12345 rows; Esc cancels", 45 },
		{ "reading", 5 << 20, 0, 7, "reading, 7 rows", "reading, 5.00 MiB",
		  "Looking: reading, 7 rows; Esc cancels", 0 },
		{ "sorting", 1, 2, 0, "sorting  50%", "sorting  ",
		  "Looking: sorting  50%; Esc cancels", 30 },
		{ "", 0, 0, 0, "opening", "  ", "Looking: ; Esc cancels", 0 },
	};
	struct explorer explorer;
	struct app *app = &explorer.app;
	open_one(&explorer);
	explorer_type(&explorer, "4");
	explorer_settle(&explorer);
	for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
		__typeof__(cases[0]) *c = &cases[i / 2];
		struct held_job told = { .job = { .what = "Looking" },
					 .stage = c->stage,
					 .done = c->done,
					 .total = c->total,
					 .rows = c->rows };
		bool reads = i % 2;
		held_job_start(&told, reads ? app->reader : app->tui.worker);
		app->loading = reads;
		usleep(2 * WORK_SEEN_MS * 1000);
		draw_again(&explorer);
		if (!explorer_shows(&explorer, reads ? c->first : c->footer))
			fail_msg("%zu: no '%s' in:\n%s", i, reads ? c->first : c->footer,
				 explorer.screen.data);
		if (reads) {
			assert_true(explorer_shows(&explorer, "q cancels and quits"));
			assert_int_equal(full_cells(&app->tui.grid), c->full);
			explorer_type(&explorer, "jG3<Home>jj"); /* which wait for what is read */
			draw_again(&explorer);
			assert_true(explorer_shows(&explorer, "q cancels and quits"));
			app->partial = true;
			draw_again(&explorer);
			if (!explorer_shows(&explorer, c->part))
				fail_msg("%zu: no '%s' in:\n%s", i, c->part, explorer.screen.data);
			assert_false(explorer_shows(&explorer, "q cancels and quits"));
		}
		app->loading = app->partial = false;
		atomic_store(&told.may_end, true);
		while (!atomic_load(&told.ended)) {
			worker_wait(reads ? app->reader : app->tui.worker, 100);
			app_turn(app);
		}
		explorer_settle(&explorer);
		draw_again(&explorer);
		assert_false(explorer_shows(&explorer, "cancels"));
		assert_true(explorer_shows(&explorer, reads ? "[3 Operators]" : "[4 Kernels]"));
		assert_true(!reads || explorer_shows(&explorer, " 3/"));
		explorer_type(&explorer, "4");
		explorer_settle(&explorer);
	}
	close_one(&explorer);
}
