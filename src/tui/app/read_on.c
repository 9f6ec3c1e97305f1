#include "tui/app/read_on.h"

#include "base/number.h"

#include <sys/stat.h>
#include <time.h>

/* What tells one state of files and directories from another; of the files: bytes, last change. */
struct follow_state {
	uint64_t hash, bytes;
	int64_t changed_s;
};

static void add_state(const char *path, struct follow_state *state)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return;
	state->hash = state->hash * 31 + (uint64_t)status.st_size;
	state->hash = state->hash * 31 + (uint64_t)status.st_mtim.tv_sec;
	state->hash = state->hash * 31 + (uint64_t)status.st_mtim.tv_nsec;
	if (!S_ISREG(status.st_mode))
		return;
	state->bytes += (uint64_t)status.st_size;
	if (status.st_mtim.tv_sec > state->changed_s)
		state->changed_s = status.st_mtim.tv_sec;
}

/* A store that grows keeps changes in a file beside it, and cannot be read until that is gone. */
static void add_store_state(const char *path, struct follow_state *state)
{
	static const char *const logs[] = { "-journal", "-wal", "" };
	uint64_t before = state->bytes;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		AUTO_BUFFER struct buffer log = { 0 };
		buffer_printf(&log, "%s%s", path, logs[i]);
		state->bytes = before;
		add_state(log.data, state);
	}
}

/* Of the paths, and of the files that were found in directories. */
static struct follow_state follow_state_of(const struct app *app)
{
	const struct tui_options *options = app->options;
	struct follow_state state = { .hash = 1 };
	for (size_t i = 0; i < options->path_count; i++)
		add_store_state(options->paths[i], &state);
	const struct run *run = state.bytes ? NULL : app->tui.run;
	for (size_t i = 0; run && i < run->rank_count + run->other_count; i++)
		add_store_state(run_recording(run, i)->path, &state);
	return state;
}

void follow_begin(struct app *app)
{
	app->follow_begun_ns = clock_ns();
	app->follow_begun_s = time(NULL);
	if (!app->options->follow)
		return;
	struct follow_state state = follow_state_of(app);
	/* which files directories have is known once they are read */
	app->followed = state.bytes || app->tui.run ? state.hash : 0;
}

void follow_turn(struct app *app)
{
	int64_t now = clock_ns();
	if (app->loading)
		app->follow_ns = now + FOLLOW_REST * (now - app->follow_begun_ns);
	if (!app->options->follow || !app->tui.run || app->loading || now < app->follow_ns)
		return;
	app->follow_ns = now + FOLLOW_MS * INT64_C(1000000);
	struct follow_state state = follow_state_of(app);
	if (!app->followed && state.changed_s < app->follow_begun_s)
		app->followed = state.hash;
	if (state.hash != app->followed)
		load_files(app, NULL);
}

void follow_say(struct app *app)
{
	char size[NUMBER_MAX];
	double bytes = (double)follow_state_of(app).bytes;
	app_say(app, MESSAGE_INFO, "read on to %s", number_bytes(size, bytes));
}
