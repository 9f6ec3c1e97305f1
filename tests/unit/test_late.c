/* Results that arrive after the user has gone on. */
#include "test.h"

#include "explorer_case.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const paths[] = { "demo.trace.json.gz" };

/* The pane fails while the help lies on top of it. */
TEST(failed_pane_below_another_can_be_returned_to)
{
	struct explorer explorer;
	struct error error = { 0 };

	explorer_open(&explorer, paths, 1);
	command_run(&explorer.app, "view kernels", &error);
	explorer_settle(&explorer);
	command_run(&explorer.app, "device 9", &error);
	app_act(&explorer.app, ACTION_HELP);
	explorer_settle(&explorer);
	explorer_expect(&explorer, "Active keys");
	explorer_type(&explorer, "q");
	explorer_settle(&explorer);
	explorer_type(&explorer, "3");
	explorer_settle(&explorer);
	explorer_expect(&explorer, "[3 Operators]");
	explorer_close(&explorer);
}

/* A filter is set while the matches of a search that was cleared are still being looked for. */
TEST(filter_after_a_cleared_search)
{
	struct explorer explorer;
	struct error error = { 0 };

	explorer_open(&explorer, paths, 1);
	command_run(&explorer.app, "view operators", &error);
	explorer_settle(&explorer);
	struct pane *pane = app_pane(&explorer.app);
	assert_true(search_set(&explorer.app.tui.search, "conv", &error));
	pane->ops->search(pane, &explorer.app.tui, 0, 0);
	assert_non_null(pane->job);
	search_clear(&explorer.app.tui.search);
	assert_true(command_run(&explorer.app, "filter batch", &error));
	explorer_settle(&explorer);
	explorer_expect(&explorer, "&batch (6 of 70)");
	explorer_close(&explorer);
}

/* ---- rows that arrive later ---- */

static const char growing[] = "test-late.tmp";

#define HOST                                                                                          \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"slow\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":50}" \
	",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"fast\",\"pid\":1,\"tid\":1,\"ts\":60,\"dur\":10}"
#define DEVICE                                                                                       \
	",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1," \
	"\"ts\":62,\"dur\":2,\"args\":{\"correlation\":1}}"                                          \
	",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":70,\"dur\":9,"  \
	"\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}}"

static void write_events(const char *events)
{
	FILE *file = fopen(growing, "w");
	assert_non_null(file);
	fprintf(file, "{\"schemaVersion\":1,\"traceEvents\":[%s]}", events);
	fclose(file);
}

/* Open a file of CPU events, type KEYS, reread it with GPU events; EXPECTED is a heading then. */
static void check_order(const char *keys, const char *before, const char *expected)
{
	const char *const path = growing;
	struct explorer explorer;
	write_events(HOST);
	explorer_open(&explorer, &path, 1);
	explorer_type(&explorer, keys);
	explorer_settle(&explorer);
	explorer_expect(&explorer, before);
	write_events(HOST DEVICE);
	explorer_type(&explorer, "R");
	explorer_settle(&explorer);
	explorer_expect(&explorer, "GPU Total");
	explorer_expect(&explorer, expected);
	explorer_close(&explorer);
	unlink(growing);
}

TEST(order_follows_the_rows)
{
	check_order("3", "CPU Selfv", "GPU Selfv");
}

TEST(chosen_order_stays)
{
	check_order("3I", "CPU Self^", "CPU Self^");
	check_order("3:sort<Space>cpu_self_ns<Enter>", "CPU Selfv", "CPU Selfv");
}

/* Another pane may lie in memory where the one that is gone lay. */
TEST(a_place_is_gone_with_its_pane)
{
	struct explorer explorer;
	explorer_open(&explorer, paths, 1);
	struct tui *tui = &explorer.app.tui;
	explorer_type(&explorer, ":view kernels<Enter>");
	explorer_settle(&explorer);
	struct place place = nav_place(tui);
	assert_true(place_exists(&place));
	nav_abandon(tui, tui_pane(tui));
	assert_false(place_exists(&place));
	explorer_type(&explorer, ":view operators<Enter>");
	explorer_settle(&explorer);
	assert_false(place_exists(&place));
	place_clear(&place);
	explorer_close(&explorer);
}

/* A small file that cannot be read is refused before there is a screen. */
TEST(what_cannot_be_read_takes_no_screen)
{
	static const char *const missing[] = { "nothing.json" };
	struct app app = { .status = 0 };
	struct error error = { 0 };
	struct tui_options options = { .paths = missing,
				       .path_count = 1,
				       .script = "/dev/null",
				       .size = "80x24",
				       .no_state = true };
	app.options = &options;
	assert_true(app_start(&app, &error));
	assert_true(app.tui.quit);
	assert_null(app.term);
	assert_int_equal(app.status, 4);
	app_stop(&app);
}

static char sent[1 << 12];

static void keep_sent(struct terminal *term, const char *bytes, size_t length)
{
	(void)term;
	snprintf(sent, sizeof sent, "%.*s", (int)length, bytes);
}

/* What is copied goes to terminals that are known to have a clipboard, else to a file. */
TEST(copies_go_where_there_is_a_clipboard)
{
	static const struct {
		const char *terminal, *keys;
		bool clipboard;
	} cases[] = {
		{ "xterm-256color", "y", true },
		{ "screen", "Y", true },
		{ "linux", "y", false },
		{ "linux-16color", "y", false },
		{ "lin", "y", true },
		{ "vt100", "y", false },
		{ "vt220", "Y", false },
		{ "v", "y", true },
		{ "xterm", ":set clipboard off<Enter>y", false },
	};
	struct explorer explorer;
	explorer_open(&explorer, paths, 1);
	explorer.ops.send = keep_sent;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		setenv("TERM", cases[i].terminal, 1);
		sent[0] = '\0';
		explorer_type(&explorer, "4");
		explorer_settle(&explorer);
		explorer_type(&explorer, cases[i].keys);
		explorer_settle(&explorer);
		if (!strstr(sent, "\033]52;") == cases[i].clipboard ||
		    explorer_shows(&explorer, "clipboard:") != cases[i].clipboard)
			fail_msg("%s: sent '%s', and said: %s", cases[i].terminal, sent,
				 explorer.app.message);
	}
	explorer_close(&explorer);
}

static size_t open_files(void)
{
	size_t count = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

TEST(an_explorer_leaves_no_file_open)
{
	static const char *const shown[] = { "demo.trace.json.gz" };
	size_t before = 0;
	for (int i = 0; i < 3; i++) {
		struct explorer explorer;
		explorer_open(&explorer, shown, 1);
		explorer_type(&explorer, "35");
		explorer_settle(&explorer);
		explorer_close(&explorer);
		before = i ? before : open_files();
	}
	assert_int_equal(open_files(), before);
}
