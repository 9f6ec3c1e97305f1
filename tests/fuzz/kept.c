/*
 * Fuzzes what the explorer keeps of a profile between sessions: a file of values is read, the view,
 * the lanes and the bookmarks in it are gone to, others are set; what is saved reads back the same.
 * "STAMP" in the input stands for the stamp without which bookmarks are out of date.
 */
#include "fuzz.h"

#include "../unit/explorer_case.h"

#include "base/mem.h"
#include "session/index.h"
#include "tui/core/state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char home[64];

static void remove_home(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", home);
	if (system(command) != 0)
		abort();
}

static void make_home(void)
{
	if (*home)
		return;
	snprintf(home, sizeof home, "%s/strata-kept-%ld",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".", (long)getpid());
	setenv("XDG_STATE_HOME", home, 1);
	atexit(remove_home);
}

static void open_state(struct state *state)
{
	const char *path = fuzz_trace();
	state_open(state, true);
	state_open_profile(state, &path, 1);
}

/* The bytes as the file of this profile. */
static void write_kept(const struct state *state, const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct buffer folder = { 0 };
	buffer_printf(&folder, "%s/profiles", state->directory);
	if (!index_create_directory(state->directory, NULL) ||
	    !index_create_directory(buffer_text(&folder), NULL))
		abort();
	buffer_free(&folder);
	FILE *file = fopen(state->file, "wb");
	if (!file)
		abort();
	for (char *stamp; (stamp = strstr(text, "STAMP")); text = stamp + strlen("STAMP"))
		fprintf(file, "%.*s%s", (int)(stamp - text), text, state->stamp);
	fputs(text, file);
	fclose(file);
}

/* With the values of the file, as in a session with a terminal. */
static void explore(void)
{
	static const char *const typed[] = { "5",  "'a", "3", "'b", "jmd", "5",
					     "'c", "me", "1", "'d", "'e" };
	const char *path = fuzz_trace();
	struct explorer explorer;
	explorer_open(&explorer, &path, 1);
	state_close(&explorer.app.tui.state);
	open_state(&explorer.app.tui.state);
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
		explorer_type(&explorer, typed[i]);
		explorer_settle(&explorer);
	}
	state_save(&explorer.app.tui.state);

	struct state again;
	open_state(&again);
	for (size_t i = 0; i < explorer.app.tui.state.count; i++) {
		const struct state_value *value = &explorer.app.tui.state.values[i];
		const char *kept = state_get(&again, value->key);
		if (value->value && (!kept || strcmp(kept, value->value) != 0)) {
			fprintf(stderr, "%s: \"%s\" became \"%s\"\n", value->key, value->value,
				kept ? kept : "nothing");
			abort();
		}
	}
	state_close(&again);
	explorer_close(&explorer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state state;
	make_home();
	open_state(&state);
	write_kept(&state, data, size);
	state_close(&state);
	explore();
	return 0;
}
