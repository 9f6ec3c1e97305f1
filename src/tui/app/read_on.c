#include "tui/app/read_on.h"

#include "base/number.h"

#include <sys/stat.h>

/* Add what tells one state of a file from another; its bytes. */
static uint64_t add_state(const char *path, uint64_t *state)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return 0;
	*state = *state * 31 + (uint64_t)status.st_size;
	*state = *state * 31 + (uint64_t)status.st_mtim.tv_sec;
	*state = *state * 31 + (uint64_t)status.st_mtim.tv_nsec;
	return S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

/* A store that grows keeps changes in a file beside it, and cannot be read until that is gone. */
static uint64_t add_store_state(const char *path, uint64_t *state)
{
	static const char *const logs[] = { "-journal", "-wal" };
	for (size_t i = 0; i < 2; i++) {
		AUTO_BUFFER struct buffer log = { 0 };
		buffer_printf(&log, "%s%s", path, logs[i]);
		add_state(log.data, state);
	}
	return add_state(path, state);
}

/* Of the paths, and of the files that were found in directories. */
static uint64_t follow_state(const struct app *app, uint64_t *bytes)
{
	const struct tui_options *options = app->options;
	uint64_t state = 1;
	*bytes = 0;
	for (size_t i = 0; i < options->path_count; i++)
		*bytes += add_store_state(options->paths[i], &state);
	const struct run *run = *bytes ? NULL : app->tui.run;
	for (size_t i = 0; run && i < run->rank_count + run->other_count; i++)
		*bytes += add_store_state(run_recording(run, i)->path, &state);
	return state;
}

void follow_begin(struct app *app)
{
	uint64_t bytes;
	app->follow_begun_ns = clock_ns();
	if (app->options->follow)
		app->followed = follow_state(app, &bytes);
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
	if (follow_state(app, &bytes) != app->followed)
		load_files(app, NULL);
}

void follow_say(struct app *app)
{
	uint64_t bytes;
	char size[NUMBER_MAX];
	follow_state(app, &bytes);
	app_say(app, MESSAGE_INFO, "read on to %s", number_bytes(size, (double)bytes));
}
