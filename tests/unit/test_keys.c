/* Every key does something where it is bound: an action in the table has code that performs it. */
#include "test.h"

#include "explorer_case.h"

#include <stdio.h>

static const char *const paths[] = { "demo.trace.json.gz" };

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
	explorer_open(&explorer, paths, 1);
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
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		bool acted = false;
		if (!is_bound((enum action)i, context))
			continue;
		for (size_t pane = 0; pane < PANES; pane++)
			if ((panes[pane].context == context || context == CONTEXT_ALL) &&
			    (!SLOW || ((size_t)i + pane) % 3 == 0))
				acted |= acts((enum action)i, pane);
		if (!acted && !SLOW)
			fail_msg("nothing performs %s %s", action_info((enum action)i)->name,
				 context_title(context));
	}
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
