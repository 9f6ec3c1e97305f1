/*
 * Fuzzes directories of runs, and files that are kept between sessions. A line "== NAME" begins a
 * file; all lie in one directory, which is opened as a run, looked at as the history of a run, and
 * written as a database and as a trace. Its files "baselines" and "state/strata/history" are read
 * and written again, and so is the state of the profile.
 */
#include "fuzz.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "model/scope.h"
#include "report/chrome_trace.h"
#include "session/baselines.h"
#include "session/load.h"
#include "session/run_history.h"
#include "sql/sqlite_export.h"
#include "table/view.h"
#include "tui/core/state.h"
#include "tui/widget/prompt.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 8, NAME_MAX_LENGTH = 40 };

static char directory[64];

static char *inside(const char *name)
{
	static char path[2][256];
	static int at;
	at ^= 1;
	snprintf(path[at], sizeof path[at], "%s/%s", directory, name);
	return path[at];
}

static void empty(const char *folder)
{
	DIR *files = opendir(folder);
	for (struct dirent *entry; files && (entry = readdir(files));) {
		char path[512];
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && unlink(path) != 0)
			empty(path);
	}
	if (files)
		closedir(files);
	rmdir(folder);
}

static void remove_directory(void)
{
	empty(directory);
}

static void make_directory(void)
{
	if (!*directory) {
		snprintf(directory, sizeof directory, "%s/strata-folder-%ld",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".", (long)getpid());
		atexit(remove_directory);
		setenv("XDG_STATE_HOME", inside("state"), 1);
	}
	empty(directory);
	if (mkdir(directory, 0700) != 0 || mkdir(inside("state"), 0700) != 0 ||
	    mkdir(inside("state/strata"), 0700) != 0)
		abort();
}

/* Of the line of a name what may be one: "== rank3.json". */
static void name_of(const char *line, size_t length, char name[NAME_MAX_LENGTH])
{
	size_t used = 0;
	for (size_t i = 3; i < length && used + 1 < NAME_MAX_LENGTH; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789_-.", line[i]) && line[i])
			name[used++] = line[i];
	name[used] = 0;
	if (strcmp(name, "history") == 0)
		snprintf(name, NAME_MAX_LENGTH, "state/strata/history");
	else if (!*name || *name == '.')
		snprintf(name, NAME_MAX_LENGTH, "rank0.json");
}

static void write_files(const char *data, size_t size)
{
	size_t at = 0;
	for (int files = 0; files < FILES_MAX && at < size; files++) {
		const char *line = data + at, *end = memchr(line, '\n', size - at);
		char name[NAME_MAX_LENGTH];
		if (!end)
			return;
		name_of(line, (size_t)(end - line), name);
		at = (size_t)(end + 1 - data);
		const char *next = memmem(data + at, size - at, "\n== ", 4);
		size_t length = next ? (size_t)(next - data) - at : size - at;
		FILE *file = fopen(inside(name), "wb");
		if (file && fwrite(data + at, 1, length, file) != length)
			abort();
		if (file)
			fclose(file);
		at += length + 1;
	}
}

/* Views of several ranks, and the writers of a whole run. */
static void look_at_ranks(const struct run *run)
{
	static const char *const views[] = { "ranks",  "collectives", "rank-time", "rank-outliers",
					     "flight", "recordings",  "links" };
	struct scope scope;
	struct error error = { 0 };
	scope_init(&scope);
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		if (view_find(views[i]))
			table_free(view_build(view_find(views[i]), run, &scope, NULL, NULL, NULL));
	sql_export(run, &scope, inside("out.db"), true, NULL, &error);
	chrome_trace_write(run, &scope, inside("out.json"), true, NULL, &error);
	scope_clear(&scope);
}

static void read_kept(void)
{
	struct baselines baselines = { 0 };
	struct history histories[PROMPT_KINDS] = { { 0 } };
	struct state state;
	struct error error = { 0 };
	const char *file = inside("baselines");
	if (baselines_read(&baselines, file, &error) && baselines.count) {
		mem_free(baselines_resolve(file, baselines.items[0].name));
		if (!baselines_write(&baselines, file, &error))
			abort();
	}
	baselines_free(&baselines);
	run_history_free(run_history_read(directory, NULL, &error));
	state_open(&state, true);
	state_read_history(&state, histories);
	state_add_history(&state, 0, "kernels");
	state_close(&state);
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_free(&histories[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *paths[] = { directory };
	make_directory();
	write_files((const char *)data, size);
	struct run *run = run_open(paths, 1, NULL, NULL, NULL);
	if (run) {
		fuzz_look_at(run);
		look_at_ranks(run);
	}
	run_free(run);
	read_kept();
	return 0;
}
