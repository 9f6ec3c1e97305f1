#include "tui/action.h"

#include "base/buffer.h"

#include <stdbool.h>
#include <string.h>

static const struct action_info infos[ACTION_COUNT] = {
#define ACTION_INFO(id, name, group, keys, help)                                                   \
	[ACTION_##id] = { name, GROUP_##group, keys, help },
	ACTIONS(ACTION_INFO)
#undef ACTION_INFO
};

static const char *const group_titles[GROUP_COUNT] = {
	[GROUP_MOVE] = "Moving",          [GROUP_GO] = "Going deeper, back and across",
	[GROUP_FIND] = "Searching",       [GROUP_TABLE] = "The table",
	[GROUP_TREE] = "The tree",        [GROUP_ROW] = "The row",
	[GROUP_PROGRAM] = "The program",  [GROUP_MENU] = "In a menu",
	[GROUP_PROMPT] = "At the prompt",
};

static const struct {
	const char *name, *title;
	enum context parent; /* itself: stands alone */
} contexts[CONTEXT_COUNT] = {
	[CONTEXT_ALL] = { "all", "everywhere", CONTEXT_ALL },
	[CONTEXT_TABLE] = { "table", "in a table", CONTEXT_ALL },
	[CONTEXT_TREE] = { "tree", "in a tree", CONTEXT_TABLE },
	[CONTEXT_TEXT] = { "text", "in a text", CONTEXT_ALL },
	[CONTEXT_MENU] = { "menu", "in a menu", CONTEXT_MENU },
	[CONTEXT_PROMPT] = { "prompt", "at the prompt", CONTEXT_PROMPT },
};

/* One step through an action's keys: the next key with its context, false at the end. */
static bool next_binding(const char **at, enum context *context, tui_key *key)
{
	for (;;) {
		*at += strspn(*at, " ");
		size_t length = strcspn(*at, " ");
		if (length == 0)
			return false;
		const char *word = *at;
		*at += length;
		if (length == 1 || word[length - 1] != ':') {
			tui_key_parse(word, length, key);
			return true;
		}
		for (int i = 0; i < CONTEXT_COUNT; i++) {
			if (strlen(contexts[i].name) == length - 1 &&
			    !strncmp(contexts[i].name, word, length - 1))
				*context = (enum context)i;
		}
	}
}

const struct action_info *action_info(enum action action)
{
	return &infos[action];
}

enum action action_find(const char *name)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		if (!strcmp(infos[i].name, name))
			return (enum action)i;
	}
	return ACTION_NONE;
}

const char *action_group_title(enum action_group group)
{
	return group_titles[group];
}

const char *context_title(enum context context)
{
	return contexts[context].title;
}

static enum action bound_in(enum context context, tui_key key)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		const char *at = infos[i].keys;
		enum context where = CONTEXT_ALL;
		tui_key bound;
		while (next_binding(&at, &where, &bound)) {
			if (where == context && bound == key)
				return (enum action)i;
		}
	}
	return ACTION_NONE;
}

enum action action_of_key(enum context context, tui_key key)
{
	for (;;) {
		enum action action = bound_in(context, key);
		if (action != ACTION_NONE || contexts[context].parent == context)
			return action;
		context = contexts[context].parent;
	}
}

tui_key action_key(enum action action, enum context context)
{
	const char *at = infos[action].keys;
	enum context where = CONTEXT_ALL;
	tui_key key;

	while (next_binding(&at, &where, &key)) {
		if (action_of_key(context, key) == action)
			return key;
	}
	return TUI_KEY_NONE;
}

void action_keys(struct buffer *out, enum action action, enum context context)
{
	const char *at = infos[action].keys;
	enum context where = CONTEXT_ALL;
	tui_key key;
	char name[TUI_KEY_NAME_MAX];
	bool first = true;

	while (next_binding(&at, &where, &key)) {
		if (where != context)
			continue;
		buffer_printf(out, "%s%s", first ? "" : " ", tui_key_name(key, name));
		first = false;
	}
}
