/* Every key does something where it is bound: an action in the table has code that performs it. */
#include "test.h"

#include "explorer_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const paths[] = { "demo.trace.json.gz" };
static const char *const small[] = { "test-keys.tmp" }; /* opened for each key */

/* Panes of each kind, and the keys that lead to them. */
static const struct {
	enum context context;
	const char *keys;
} panes[] = {
	{ CONTEXT_TABLE, "3<Down>" }, { CONTEXT_TREE, "2<Down>" }, { CONTEXT_TEXT, "?" },
	{ CONTEXT_TIMELINE, "5" },    { CONTEXT_PLOT, "3P" },      { CONTEXT_PLOT, "2P" },
	{ CONTEXT_DASHBOARD, "1" },
};

enum { PANES = sizeof panes / sizeof *panes };

static bool is_bound(enum action action, enum context context)
{
	struct buffer keys = { 0 };
	action_keys(&keys, action, context);
	bool bound = keys.length > 0;
	buffer_free(&keys);
	return bound;
}

/* Does ACTION act in this pane? What menu and footer offer there does. Sanitizers see a third of
 * them. */
static bool acts(enum action action, size_t pane)
{
	struct explorer explorer;
	explorer_open(&explorer, small, 1);
	explorer_type(&explorer, panes[pane].keys);
	explorer_settle(&explorer);
	assert_int_equal(app_pane(&explorer.app)->context, panes[pane].context);
	bool can = app_can(&explorer.app, action), acted = app_act(&explorer.app, action);
	if (can && !acted && action_info(action)->group != GROUP_MOVE)
		fail_msg("%s is offered %s, but nothing performs it", action_info(action)->name,
			 context_title(panes[pane].context));
	explorer_close(&explorer);
	return acted;
}

static void check_context(enum context context)
{
	assert_int_equal(system("./tracegen --steps 3 --layers 2 --seed 5 -o test-keys.tmp"), 0);
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		bool acted = false;
		if (!is_bound((enum action)i, context))
			continue;
		for (size_t pane = 0; pane < PANES; pane++)
			if ((panes[pane].context == context || context == CONTEXT_ALL) &&
			    test_sampled((size_t)i + pane, 4))
				acted |= acts((enum action)i, pane);
		if (!acted && !SLOW)
			fail_msg("nothing performs %s %s", action_info((enum action)i)->name,
				 context_title(context));
	}
	remove(small[0]);
}

TEST(keys_of_a_table_act)
{
	check_context(CONTEXT_TABLE);
}
TEST(keys_of_a_tree_act)
{
	check_context(CONTEXT_TREE);
}
TEST(keys_of_a_text_act)
{
	check_context(CONTEXT_TEXT);
}
TEST(keys_of_the_timeline_act)
{
	check_context(CONTEXT_TIMELINE);
}
TEST(keys_of_a_plot_act)
{
	check_context(CONTEXT_PLOT);
}
TEST(keys_of_the_dashboard_act)
{
	check_context(CONTEXT_DASHBOARD);
}
TEST(keys_of_all_panes_act)
{
	check_context(CONTEXT_ALL);
}

/* ---- moves of the cursor ---- */

static void read_position(struct explorer *explorer, size_t *at, size_t *count)
{
	struct buffer text = { 0 };
	struct pane *pane = tui_pane(&explorer->app.tui);
	pane->ops->position(pane, &text);
	const char *slash = strrchr(buffer_text(&text), '/'), *from = slash;
	assert_non_null(slash);
	while (from > text.data && from[-1] >= '0' && from[-1] <= '9')
		from--;
	*at = (size_t)strtoul(from, NULL, 10);
	*count = (size_t)strtoul(slash + 1, NULL, 10);
	buffer_free(&text);
}

/* Keys that move by a distance, DOWN or up; pages are as long as the first that is not cut. */
struct distance {
	const char *key;
	bool down;
	size_t rows; /* 0: not known yet; ANY: to the end */
};

static void press_and_check(struct explorer *explorer, const char *view, struct distance *move)
{
	size_t before, after, count;
	read_position(explorer, &before, &count);
	explorer_type(explorer, move->key);
	explorer_settle(explorer);
	read_position(explorer, &after, &count);
	size_t room = move->down ? count - before : before - 1;
	size_t moved = move->down ? after - before : before - after;
	if (!move->rows && moved < room)
		move->rows = moved;
	size_t wanted = move->rows && move->rows < room ? move->rows : room;
	if (moved != wanted || moved > room)
		fail_msg("%s in %s: from %zu to %zu of %zu", move->key, view, before, after, count);
}

TEST(moves_end_at_the_first_and_the_last_row)
{
	static const char *const views[] = { ":view launches<Enter>", ":view operators<Enter>",
					     ":view kernels<Enter>",  ":view spans<Enter>",
					     ":view steps<Enter>",    ":view attributes<Enter>" };
	struct explorer explorer;
	uint32_t chance = 7;
	explorer_open(&explorer, paths, 1);
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		struct distance moves[] = { { "j", true, 1 },          { "k", false, 1 },
					    { "G", true, SIZE_MAX },   { "g", false, SIZE_MAX },
					    { "<PageDown>", true, 0 }, { "<PageUp>", false, 0 },
					    { "<C-d>", true, 0 },      { "<C-u>", false, 0 } };
		explorer_type(&explorer, views[i]);
		explorer_settle(&explorer);
		for (int k = 0; k < 150; k++) {
			chance = chance * 1103515245 + 12345;
			press_and_check(&explorer, views[i], &moves[chance >> 16 & 7]);
		}
		for (int pair = 4; pair < 8; pair += 2)
			if (moves[pair].rows && moves[pair + 1].rows)
				assert_int_equal(moves[pair].rows, moves[pair + 1].rows);
	}
	explorer_close(&explorer);
}

/* ---- words that the prompts offer ---- */

struct offered {
	enum prompt_kind kind;
	const char *line, *words;
};

static void check_words(struct explorer *explorer, const struct offered *offered)
{
	struct completion completion = { 0 };
	struct buffer words = { 0 };
	explorer->app.prompt.kind = offered->kind;
	complete_line(&explorer->app, offered->line, strlen(offered->line), &completion);
	for (size_t i = 0; i < completion.count; i++) {
		buffer_printf(&words, "%s%s", i ? "|" : "", completion.words[i]);
		free(completion.words[i]);
	}
	free(completion.words);
	if (strcmp(buffer_text(&words), offered->words) != 0)
		fail_msg("%s: offered is %s, not %s", offered->line, buffer_text(&words),
			 offered->words);
	buffer_free(&words);
}

/* Words that begin so; else those with its letters, in this order. */
TEST(prompts_offer_what_may_follow)
{
	static const struct offered anywhere[] = {
		{ PROMPT_COMMAND, "wr", "write|write!" },
		{ PROMPT_COMMAND, "scrsht", "screenshot" },
		{ PROMPT_COMMAND, "memory-c", "memory-curve" },
		{ PROMPT_COMMAND, "whatif ker", "kernels x0.5" },
		{ PROMPT_COMMAND, "whatif kernels x2;com", "comm x0.5|compile" },
		{ PROMPT_COMMAND, "run ", "demo.trace.json.gz" },
		{ PROMPT_COMMAND, "rank ", "" },
		{ PROMPT_COMMAND, "view ker", "kernels" },
		{ PROMPT_COMMAND, "view plot-r", "plot-roofline|plot-ranks|plot-rank-time" },
		{ PROMPT_COMMAND, "split tim", "timeline" },
		{ PROMPT_COMMAND, "plot f", "flame" },
		{ PROMPT_COMMAND, "plot flame l", "layers|layers-each|layers-reversed" },
		{ PROMPT_COMMAND, "plot flame s", "steps|samples|samples-reversed" },
		{ PROMPT_COMMAND, "bind tre", "tree|tree-in|tree-out" },
		{ PROMPT_COMMAND, "bind tree x sort-l", "sort-left" },
		{ PROMPT_COMMAND, "unbind tab", "table" },
		{ PROMPT_COMMAND, "set asc", "ascii" },
		{ PROMPT_COMMAND, "theme l", "light" },
		{ PROMPT_COMMAND, "lane ", "" },
		{ PROMPT_COMMAND, "go conv2d",
		  "Conv2d ×16|Conv2d_0|launch: aten::conv2d ×60|aten::conv2d" },
		{ PROMPT_COMMAND, "base ", "" },
		{ PROMPT_COMMAND, "sql select a from memory_c", "memory_curve" },
		{ PROMPT_SQL, "select gpu_id", "" },
		{ PROMPT_SQL, "select name from cpu_",
		  "cpu_exec_ns|cpu_total_ns|cpu_self_ns|cpu_avg_ns|cpu_mem_bytes|cpu_self_mem_bytes|cpu_work|cpu_min_ns|cpu_max_ns" },
		{ PROMPT_SQL, "select count(launches", "launches" },
	};
	static const struct offered in_table[] = {
		{ PROMPT_COMMAND, "group ", "name|properties|family|phase" },
		{ PROMPT_COMMAND, "group f", "family" },
		{ PROMPT_COMMAND, "columns +gr", "grid" },
		{ PROMPT_COMMAND, "columns name,blo", "blocks_per_sm|block" },
		{ PROMPT_COMMAND, "sort cls", "calls" },
		{ PROMPT_COMMAND, "filter !nam", "name" },
		{ PROMPT_COMMAND, "sql select blo", "blocks|blocks_per_sm|block" },
		{ PROMPT_COMMAND, "occpncy", "sort occupancy_pct" },
		{ PROMPT_FILTER, "na", "name" },
		{ PROMPT_SEARCH, "name=na", "name" },
	};
	static const struct offered in_timeline[] = {
		{ PROMPT_COMMAND, "lane s", "GPU0 compute stream 7|GPU0 copies stream 20" },
		{ PROMPT_COMMAND, "lane G", "GPU0 compute stream 7|GPU0 copies stream 20" },
		{ PROMPT_COMMAND, "sort n", "" },
		{ PROMPT_COMMAND, "group n", "" },
	};
	static const char *const log_directory[] = { "logs" };
	static const struct offered in_runs[] = {
		{ PROMPT_COMMAND, "run ", "day|night" },
		{ PROMPT_COMMAND, "run n", "night" },
	};
	struct explorer explorer;
	explorer_open(&explorer, paths, 1);
	for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
		check_words(&explorer, &anywhere[i]);
	explorer_type(&explorer, ":view kernels<Enter>");
	explorer_settle(&explorer);
	for (size_t i = 0; i < sizeof in_table / sizeof *in_table; i++)
		check_words(&explorer, &in_table[i]);
	explorer_type(&explorer, ":timeline<Enter>");
	explorer_settle(&explorer);
	for (size_t i = 0; i < sizeof in_timeline / sizeof *in_timeline; i++)
		check_words(&explorer, &in_timeline[i]);
	explorer_close(&explorer);

	assert_int_equal(system("mkdir -p logs/day logs/night; for run in day night; do ./tracegen "
				"--steps 2 --layers 1 -o logs/$run/host_1.1.pt.trace.json; done"),
			 0);
	explorer_open(&explorer, log_directory, 1);
	for (size_t i = 0; i < sizeof in_runs / sizeof *in_runs; i++)
		check_words(&explorer, &in_runs[i]);
	explorer_close(&explorer);
}
