/*
 * The explorer while a rank is loading: it draws, answers keys, and the shown rank stays usable.
 * The load is stalled with a pipe that is never written, so any wait for it would block forever.
 */
#include "explorer_case.h"
#include "trace_case.h"

#include "session/load_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TURNS = 50, HANGS_AFTER_S = 120 };

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
