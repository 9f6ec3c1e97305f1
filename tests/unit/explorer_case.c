#include "explorer_case.h"

#include "test.h"
#include "tui/term/key.h"

#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000, WAIT_MS = 10 };

static struct explorer *open_one; /* the one whose keys are read */

static tui_key read_key(struct terminal *term)
{
	tui_key key = TUI_KEY_NONE;
	const char *keys = open_one->keys;
	open_one->keys += *keys ? tui_key_parse(keys, strlen(keys), &key) : 0;
	return key;
}

/* Wait for the worker, as the main loop does between two iterations. */
static void wait_for_worker(struct explorer *explorer)
{
	worker_wait(explorer->app.loading ? explorer->app.reader : explorer->app.tui.worker,
		    WAIT_MS);
}

void explorer_open(struct explorer *explorer, const char *const *paths, size_t count)
{
	explorer_open_size(explorer, paths, count, "160x45");
}

void explorer_open_size(struct explorer *explorer, const char *const *paths, size_t count,
			const char *size)
{
	struct error error = { 0 };
	struct app *app = &explorer->app;
	*explorer = (struct explorer){ .keys = "" };
	explorer->options = (struct tui_options){ .paths = paths,
						  .path_count = count,
						  .script = "/dev/null",
						  .size = size,
						  .ascii = true,
						  .no_state = true };
	app->options = &explorer->options;
	if (!app_start(app, &error))
		fail_msg("%s", error.message);
	script_close(app);
	open_one = explorer;
	explorer->ops = *app->term->ops;
	explorer->ops.read = read_key;
	app->term->ops = &explorer->ops;
	app->tui.dirty = true;
	explorer_settle(explorer);
	assert_false(app->tui.quit);
}

void explorer_close(struct explorer *explorer)
{
	app_stop(&explorer->app);
	buffer_free(&explorer->screen);
}

void explorer_type(struct explorer *explorer, const char *keys)
{
	explorer->keys = keys;
}

void explorer_settle(struct explorer *explorer)
{
	struct app *app = &explorer->app;
	for (;;) {
		app_turn(app);
		bool busy = app->loading || worker_busy(app->tui.worker, NULL);
		if (busy)
			wait_for_worker(explorer);
		else if (app->tui.quit || (!*explorer->keys && !app->held_count && !app->tui.dirty))
			break;
	}
	explorer->keys = ""; /* what was typed may be gone */
}

bool explorer_shows(struct explorer *explorer, const char *text)
{
	buffer_clear(&explorer->screen);
	grid_dump(&explorer->app.tui.grid, &explorer->screen);
	return strstr(buffer_text(&explorer->screen), text) != NULL;
}

void explorer_expect(struct explorer *explorer, const char *text)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += WAIT_MS) {
		app_turn(&explorer->app);
		if (explorer_shows(explorer, text))
			return;
		wait_for_worker(explorer);
	}
	fail_msg("there never came '%s'; the screen is:\n%s", text, explorer->screen.data);
}

static bool run_held(struct job *job, const struct progress *progress, struct error *error)
{
	struct held_job *held = (struct held_job *)job;
	(void)error;
	progress_update(progress, held->stage, held->done, held->total, held->rows);
	atomic_store(&held->runs, true);
	while (!atomic_load(&held->may_end))
		usleep(1000);
	return true;
}

static void finish_held(struct job *job, bool good, const struct error *error)
{
	(void)good;
	(void)error;
	atomic_store(&((struct held_job *)job)->ended, true);
}

void held_job_start(struct held_job *held, struct worker *worker)
{
	held->job.run = run_held;
	held->job.finish = finish_held;
	worker_submit(worker, &held->job);
	while (!atomic_load(&held->runs))
		usleep(100);
}
