#include "tui/app/read_on.h"

#include "base/number.h"

#include <sys/stat.h>
#include <time.h>

/* Add what tells one state of a file from another; its bytes. *CHANGED: of the last, in seconds. */
static uint64_t add_state(const char *path, uint64_t *state, int64_t *changed)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return 0;
	if (S_ISREG(status.st_mode) && status.st_mtim.tv_sec > *changed)
		*changed = status.st_mtim.tv_sec;
	*state = *state * 31 + (uint64_t)status.st_size;
	*state = *state * 31 + (uint64_t)status.st_mtim.tv_sec;
	*state = *state * 31 + (uint64_t)status.st_mtim.tv_nsec;
	return S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

/* A store that grows keeps changes in a file beside it, and cannot be read until that is gone. */
static uint64_t add_store_state(const char *path, uint64_t *state, int64_t *changed)
{
	static const char *const logs[] = { "-journal", "-wal" };
	for (size_t i = 0; i < 2; i++) {
		AUTO_BUFFER struct buffer log = { 0 };
		buffer_printf(&log, "%s%s", path, logs[i]);
		add_state(log.data, state, changed);
	}
	return add_state(path, state, changed);
}

/* Of the paths, and of the files that were found in directories. */
static uint64_t follow_state(struct app *app, uint64_t *bytes)
{
	const struct tui_options *options = app->options;
	uint64_t state = 1;
	*bytes = 0;
	for (size_t i = 0; i < options->path_count; i++)
		*bytes += add_store_state(options->paths[i], &state, &app->followed_s);
	const struct run *run = *bytes ? NULL : app->tui.run;
	for (size_t i = 0; run && i < run->rank_count + run->other_count; i++)
		*bytes += add_store_state(run_recording(run, i)->path, &state, &app->followed_s);
	return state;
}

void follow_begin(struct app *app)
{
	uint64_t bytes = 0;
	app->follow_begun_ns = clock_ns();
	app->follow_begun_s = time(NULL);
	if (app->options->follow)
		app->followed = follow_state(app, &bytes);
	if (!bytes && !app->tui.run) /* the files of directories are known once they are read */
		app->followed = 0;
}

void follow_turn(struct app *app)
{
	uint64_t bytes;
	int64_t now = clock_ns();
	if (app->loading)
		app->follow_ns = now + FOLLOW_REST * (now - app->follow_begun_ns);
	if (!app->options->follow || !app->tui.run || app->loading || now < app->follow_ns)
		return;
	app->follow_ns = now + FOLLOW_MS * INT64_C(1000000);
	uint64_t state = follow_state(app, &bytes);
	if (!app->followed && app->followed_s < app->follow_begun_s)
		app->followed = state;
	if (state != app->followed)
		load_files(app, NULL);
}

void follow_say(struct app *app)
{
	uint64_t bytes;
	char size[NUMBER_MAX];
	follow_state(app, &bytes);
	app_say(app, MESSAGE_INFO, "read on to %s", number_bytes(size, (double)bytes));
}
