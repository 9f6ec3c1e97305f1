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
	if (!index_create_directory(state->directory, 0700, NULL) ||
	    !index_create_directory(buffer_text(&folder), 0700, NULL))
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

static struct explorer explorer;

static void close_explorer(void)
{
	explorer_close(&explorer);
}

/* The first view, as after opening: the one that was kept. */
static void show_first(struct app *app)
{
	const char *kept = state_get(&app->tui.state, "view");
	struct tab tab = kept ? nav_tab_named(kept) : (struct tab){ 0 };
	struct scope scope;
	if (!tab.name)
		tab = nav_tab_named("timeline");
	load_clear(app);
	scope_init(&scope);
	struct level *root = level_new(NULL, &scope);
	level_add(root, nav_new_pane(&app->tui, &tab));
	nav_show_pane(&app->tui, root, root->pane);
	level_drop(root);
}

/* One explorer for all inputs, as opening it takes longest. */
static void prepare_explorer(void)
{
	const char *path = fuzz_trace();
	if (!explorer.app.term) {
		explorer_open_size(&explorer, &path, 1, "60x20");
		explorer_type(&explorer, "i"); /* details take half of the time */
		explorer_settle(&explorer);
		atexit(close_explorer);
	}
	state_close(&explorer.app.tui.state);
	open_state(&explorer.app.tui.state);
	show_first(&explorer.app);
}

/* With the values of the file, as in a session with a terminal. */
static void explore(void)
{
	prepare_explorer();
	explorer_type(&explorer, "5'a3'bjmd5'cme4'd'e");
	explorer_settle(&explorer);
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
