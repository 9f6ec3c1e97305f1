#include "tui/widget/action.h"

#include "base/buffer.h"
#include "base/data_table.h"

static const char *const action_groups[] = { ACTION_GROUP_ROWS(LISTED_NAME) NULL };

const struct action_info *action_info(enum action action)
{
	const struct action_info *rows = DATA_ROWS("keys.txt", struct action_info, KEY_FIELD_ROWS);
	return action == ACTION_NONE ? &rows[ACTION_COUNT - 1] : &rows[action - 1];
}

static const struct {
	const char *name, *title;
	enum context parent; /* itself: no parent */
} contexts[CONTEXT_COUNT] = { CONTEXT_ROWS(LISTED_ROW) };

const char *action_group_name(enum action_group group)
{
	return action_groups[group];
}

bool context_find(const char *name, size_t length, enum context *context)
{
	for (int i = 0; i < CONTEXT_COUNT; i++) {
		if (strlen(contexts[i].name) == length &&
		    !strncmp(contexts[i].name, name, length)) {
			*context = (enum context)i;
			return true;
		}
	}
	return false;
}

const char *context_name(enum context context)
{
	return contexts[context].name;
}

/* Next key of an action with its context; false at the end. */
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
		context_find(word, length - 1, context);
	}
}

enum action action_find(const char *name)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
		if (!strcmp(action_info((enum action)i)->name, name))
			return (enum action)i;
	return ACTION_NONE;
}

const char *context_title(enum context context)
{
	return contexts[context].title;
}

int action_rows(enum action action, int page)
{
	const int rows[ACTION_COUNT] = { MOVED_ROWS };
	return rows[action];
}

size_t action_moved(size_t at, int rows)
{
	return rows < 0 && at < (size_t)-rows ? 0 : at + (size_t)rows;
}

/* ---- current bindings ---- */

struct binding {
	enum context context;
	tui_key key;
	enum action action; /* ACTION_NONE: unbound here, even if bound in the parent */
	bool own;           /* changed by the user */
};

/* Global, as there is one keyboard. */
static struct {
	GROWING(struct binding, at, count);
} bindings;

static void add_binding(enum context context, tui_key key, enum action action, bool own)
{
	*mem_push(bindings.at, bindings.count) = (struct binding){ context, key, action, own };
}

void action_bindings_reset(void)
{
	bindings.count = 0;
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		const char *at = action_info((enum action)i)->keys ?: "";
		enum context context = CONTEXT_ALL;
		for (tui_key key; next_binding(&at, &context, &key);)
			add_binding(context, key, (enum action)i, false);
	}
}

/* Binding INDEX, NULL past the end. */
static const struct binding *binding_at(size_t index)
{
	if (!bindings.at)
		action_bindings_reset();
	return index < bindings.count ? &bindings.at[index] : NULL;
}

/* True if a new binding in CONTEXT replaces this one of the same key. */
static bool is_replaced(const struct binding *binding, enum context context)
{
	bool pane = contexts[binding->context].parent != binding->context;
	return binding->context == context || (context == CONTEXT_ALL && pane && !binding->own);
}

void action_bind(enum context context, tui_key key, enum action action)
{
	const struct binding *binding;
	for (size_t i = 0; (binding = binding_at(i));) {
		if (binding->key != key || !is_replaced(binding, context)) {
			i++;
			continue;
		}
		bindings.count--;
		memmove(bindings.at + i, bindings.at + i + 1,
			(bindings.count - i) * sizeof *bindings.at);
	}
	add_binding(context, key, action, true);
}

bool action_rebound(size_t index, enum context *context, tui_key *key, enum action *action)
{
	const struct binding *binding;
	for (size_t i = 0; (binding = binding_at(i)); i++) {
		if (!binding->own || index-- > 0)
			continue;
		*context = binding->context;
		*key = binding->key;
		*action = binding->action;
		return true;
	}
	return false;
}

enum action action_of_key(enum context context, tui_key key)
{
	for (;;) {
		const struct binding *binding;
		for (size_t i = 0; (binding = binding_at(i)); i++)
			if (binding->context == context && binding->key == key)
				return binding->action;
		if (contexts[context].parent == context)
			return ACTION_NONE;
		context = contexts[context].parent;
	}
}

tui_key action_key(enum action action, enum context context)
{
	const struct binding *binding;
	for (size_t i = 0; (binding = binding_at(i)); i++)
		if (binding->action == action && action_of_key(context, binding->key) == action)
			return binding->key;
	return TUI_KEY_NONE;
}

void action_keys(struct buffer *out, enum action action, enum context context)
{
	const struct binding *binding;
	char name[TUI_KEY_NAME_MAX];
	bool first = true;
	for (size_t i = 0; (binding = binding_at(i)); i++) {
		if (binding->action != action || binding->context != context)
			continue;
		buffer_printf(out, "%s%s", first ? "" : " ", tui_key_name(binding->key, name));
		first = false;
	}
}
