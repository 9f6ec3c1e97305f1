/*
 * From keys to actions, and the actions that are not a pane's own.
 */
#include "base/error.h"
#include "base/text.h"
#include "tui/core/app.h"
#include "tui/app/copy.h"
#include "tui/core/pane.h"

#include <string.h>

/* ---- prompts ---- */

static const struct {
	const char *label;
	enum action action;
} prompts[PROMPT_KINDS] = {
	[PROMPT_COMMAND] = { ":", ACTION_COMMAND },
	[PROMPT_SEARCH] = { "/", ACTION_SEARCH },
	[PROMPT_FILTER] = { "&", ACTION_FILTER },
	[PROMPT_SQL] = { "sql> ", ACTION_SQL },
};

void tui_prompt(struct tui *tui, enum prompt_kind kind, const char *text)
{
	prompt_open(&tui->prompt, kind, prompts[kind].label, &tui->histories[kind], text);
	tui->prompt.complete = complete_line;
	tui->prompt.context = tui;
	if (kind == PROMPT_SEARCH || kind == PROMPT_FILTER)
		find_prompt_open(tui);
}

static void close_prompt(struct tui *tui, bool accepted)
{
	struct prompt *prompt = &tui->prompt;
	struct buffer line = { 0 };
	struct error error = { 0 };
	buffer_puts(&line, buffer_text(&prompt->line));
	while (line.length > 0 && line.data[line.length - 1] == ' ')
		line.data[--line.length] = '\0';
	if (accepted) {
		history_add(prompt->history, buffer_text(&line));
		if (tui->settings.state)
			state_add_history(&tui->state, (int)prompt->kind, buffer_text(&line));
	}
	find_prompt_closed(tui, accepted);
	enum prompt_kind kind = prompt->kind;
	prompt_close(prompt);
	if (accepted && kind == PROMPT_COMMAND)
		command_run(tui, buffer_text(&line), &error);
	else if (accepted && kind == PROMPT_SQL && line.length > 0)
		nav_push_new(tui,
			     &(struct subject){ .kind = PANE_TABLE, .sql = buffer_text(&line) },
			     NULL);
	buffer_free(&line);
}

static void press_in_prompt(struct tui *tui, tui_key key)
{
	struct prompt *prompt = &tui->prompt;
	enum action action = action_of_key(CONTEXT_PROMPT, key);
	bool changed = true;

	/* rubbing out more than there is leaves the prompt, as in vim and less */
	if (action == ACTION_PROMPT_ERASE && prompt->line.length == 0)
		action = ACTION_PROMPT_CANCEL;
	if (action == ACTION_PROMPT_ACCEPT || action == ACTION_PROMPT_CANCEL) {
		close_prompt(tui, action == ACTION_PROMPT_ACCEPT);
		return;
	}
	if (action != ACTION_NONE) {
		changed = prompt_edit(prompt, action);
	} else {
		char bytes[4];
		uint32_t point = key == TUI_KEY_SPACE ? ' ' : key;
		if (point >= TUI_KEY_SPECIAL || text_is_unsafe((int32_t)point))
			return;
		prompt->note[0] = '\0';
		prompt->note_is_error = false;
		prompt_insert(prompt, bytes, text_encode(point, bytes));
	}
	if (changed)
		find_prompt_changed(tui);
}

/* ---- actions of every pane ---- */

static void cancel(struct tui *tui)
{
	if (tui->search.pattern) {
		find_clear(tui);
		tui_say(tui, MESSAGE_INFO, "search cleared");
	} else if (!nav_back(tui)) {
		tui_say(tui, MESSAGE_INFO, "top level; Q quits");
	}
}

static void next_view(struct tui *tui, int direction)
{
	const char *name = tui_pane(tui)->ops->name(tui_pane(tui));
	int count = 0, at = 0;
	for (; nav_tab(count).name; count++) {
		if (!strcmp(nav_tab(count).name, name))
			at = count;
	}
	struct tab next = nav_tab((at + direction + count) % (count > 0 ? count : 1));
	if (next.name)
		nav_open(tui, &next);
}

static bool act_go(struct tui *tui, enum action action)
{
	switch (action) {
	case ACTION_BACK:
		if (!nav_back(tui))
			tui_say(tui, MESSAGE_INFO, "top level");
		return true;
	case ACTION_CANCEL: cancel(tui); return true;
	case ACTION_CLOSE:
		if (!nav_back(tui) && tui_twice(tui, "press q again to quit"))
			tui->quit = true;
		return true;
	case ACTION_VIEW_KEY: {
		struct tab tab = nav_tab_of((char)tui->key);
		if (tab.name)
			nav_open(tui, &tab);
		else
			tui_act(tui,
				ACTION_SQL); /* behind the last view there is what one asks for */
		return true;
	}
	case ACTION_VIEW_NEXT:
	case ACTION_VIEW_PREVIOUS:
		if (split_shown(tui))
			split_switch(tui);
		else
			next_view(tui, action == ACTION_VIEW_NEXT ? 1 : -1);
		return true;
	case ACTION_JUMP_BACK:
	case ACTION_JUMP_FORWARD: nav_jump(tui, action == ACTION_JUMP_BACK ? -1 : 1); return true;
	case ACTION_POSITION_SET:
	case ACTION_POSITION_GO:
		tui->awaiting = action;
		tui_say(tui, MESSAGE_INFO, "type the letter of the bookmark");
		return true;
	default: return false;
	}
}

static bool act_program(struct tui *tui, enum action action)
{
	struct pane *pane = tui_pane(tui);
	switch (action) {
	case ACTION_SEARCH: tui_prompt(tui, PROMPT_SEARCH, ""); return true;
	case ACTION_FILTER: tui_prompt(tui, PROMPT_FILTER, ""); return true;
	case ACTION_COMMAND: tui_prompt(tui, PROMPT_COMMAND, ""); return true;
	case ACTION_SQL: tui_prompt(tui, PROMPT_SQL, ""); return true;
	case ACTION_HELP:
		if (strcmp(pane->ops->name(pane), "help") != 0)
			nav_push(tui, help_pane(pane->ops->context(pane)), NULL);
		return true;
	case ACTION_COPY:
	case ACTION_COPY_ROWS: copy_rows(tui, action == ACTION_COPY_ROWS); return true;
	case ACTION_DETAIL: tui->settings.detail ^= true; return true;
	case ACTION_SPLIT:
		tui->settings.split ^= true;
		tui->nav.split.maximized = false;
		return true;
	case ACTION_ACTION_MENU: menus_open_actions(tui); return true;
	case ACTION_OPTIONS: menus_open_options(tui); return true;
	case ACTION_DIFF:
		if (tui->run->base)
			nav_view(tui, view_find("diff"));
		else
			tui_say(tui, MESSAGE_INFO,
				"no base run to compare with (:base PATH loads one)");
		return true;
	case ACTION_PLOT:
		tui_say(tui, MESSAGE_INFO, "no plot of this view (:plot NAME opens one)");
		return true;
	case ACTION_REREAD: tui_load(tui, NULL); return true;
	case ACTION_REDRAW: tui->term->ops->redraw(tui->term); return true;
	case ACTION_SUSPEND: tui_suspend(tui); return true;
	case ACTION_INTERRUPT:
		if (tui_twice(tui, "press Ctrl-C again or Q to quit"))
			tui->quit = true;
		return true;
	case ACTION_QUIT: tui->quit = true; return true;
	default: return false;
	}
}

void tui_act(struct tui *tui, enum action action)
{
	struct pane *pane = tui_pane(tui);
	if (!pane)
		return;
	if (tui->asked != action)
		tui->asked = ACTION_NONE;
	tui->acting = action;
	tui->dirty = true;
	if ((action == ACTION_SEARCH_NEXT || action == ACTION_SEARCH_PREVIOUS) &&
	    !tui->search.pattern)
		find_recall(tui);
	if (pane->ops->act(pane, tui, action) || act_go(tui, action))
		return;
	act_program(tui, action);
}

bool tui_can(struct tui *tui, enum action action)
{
	struct pane *pane = tui_pane(tui);
	if (!pane)
		return false;
	switch (action) {
	case ACTION_BACK:
	case ACTION_CLOSE: return tui->nav.here->above != NULL;
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_PREVIOUS: return tui->search.pattern != NULL;
	case ACTION_COPY:
	case ACTION_COPY_ROWS:
		return (pane->ops->copy || pane->ops->detail) && pane->ops->row(pane) != SIZE_MAX;
	case ACTION_DIFF: return tui->run->base != NULL;
	case ACTION_JUMP_BACK: return tui->nav.jump_at > 0;
	case ACTION_JUMP_FORWARD: return tui->nav.jump_at + 1 < tui->nav.jump_count;
	default: return pane->ops->can(pane, tui, action);
	}
}

/* ---- keys ---- */

static void name_position(struct tui *tui, tui_key key)
{
	enum action action = tui->awaiting;
	tui->awaiting = ACTION_NONE;
	struct pane *pane = tui_pane(tui);
	if (key >= 0x80)
		tui_say(tui, MESSAGE_INFO, "a bookmark's name is a letter");
	else if (pane->ops->letter && pane->ops->letter(pane, tui, action, (char)key))
		return;
	else if (action == ACTION_POSITION_SET)
		nav_position_set(tui, (char)key);
	else
		nav_position_go(tui, (char)key);
}

/* What the terminal tells rather than what is typed.  False: it is a key. */
static bool press_event(struct tui *tui, tui_key key)
{
	switch (key) {
	case TUI_KEY_RESIZE: tui_resize(tui); return true;
	case TUI_KEY_HANGUP:
		tui->quit = true;
		tui->status = 129;
		return true;
	case TUI_KEY_PASTE_BEGIN:
	case TUI_KEY_PASTE_END: tui->pasting = key == TUI_KEY_PASTE_BEGIN; return true;
	case TUI_KEY_MOUSE: mouse_press(tui); return true;
	default: return false;
	}
}

/* While the file is read for the first time there is nothing to do but to wait or to leave. */
static void press_while_loading(struct tui *tui, tui_key key)
{
	enum action action = action_of_key(CONTEXT_ALL, key);
	if (action == ACTION_SUSPEND || action == ACTION_REDRAW) {
		if (action == ACTION_SUSPEND)
			tui_suspend(tui);
		else
			tui->term->ops->redraw(tui->term);
	} else if (action == ACTION_CLOSE || action == ACTION_QUIT || action == ACTION_INTERRUPT ||
		   (action == ACTION_CANCEL && tui->run)) {
		worker_cancel(tui->reader);
	}
}

/*
 * A key typed while the worker is busy for long stops it; a search in the background only those
 * that are there to stop things.  True: that was all the key did.
 */
static bool press_stops_work(struct tui *tui, tui_key key)
{
	enum action action = action_of_key(CONTEXT_ALL, key);
	bool stops =
		action == ACTION_CANCEL || action == ACTION_CLOSE || action == ACTION_INTERRUPT;
	struct work_state work;
	if (tui->prompt.open || tui->menu.open)
		return false;
	bool busy = worker_busy(tui->worker, &work);
	bool seen = busy && work_is_seen(&work);
	if (action == ACTION_INTERRUPT && tui->loading && !seen) {
		worker_cancel(tui->reader);
		return true;
	}
	if (!busy || (work.background && !stops))
		return false;
	worker_cancel(tui->worker);
	return stops;
}

static void press_in_pane(struct tui *tui, tui_key key)
{
	struct pane *pane = tui_pane(tui);
	enum action action = action_of_key(pane->ops->context(pane), key);
	char name[TUI_KEY_NAME_MAX];
	if (action == ACTION_NONE)
		tui_say(tui, MESSAGE_INFO, "%s does nothing here (? shows keys)",
			tui_key_name(key, name));
	else
		tui_act(tui, action);
}

void tui_key_press(struct tui *tui, tui_key key)
{
	tui->dirty = true;
	tui->key = key;
	if (press_event(tui, key))
		return;
	if (tui->pasting) {
		/* of several lines one is made */
		bool blank = key == TUI_KEY_TAB || key == TUI_KEY_ENTER || key < 0x20;
		if (tui->prompt.open && (blank || key < TUI_KEY_ALT))
			press_in_prompt(tui, blank ? TUI_KEY_SPACE : key);
		return;
	}
	if (load_is_awaited(tui)) {
		press_while_loading(tui, key);
		return;
	}
	tui->message[0] = '\0';
	if (!tui_pane(tui) || press_stops_work(tui, key))
		return;
	if (tui->awaiting != ACTION_NONE)
		name_position(tui, key);
	else if (tui->menu.open)
		menu_act(&tui->menu, action_of_key(CONTEXT_MENU, key), key);
	else if (tui->prompt.open)
		press_in_prompt(tui, key);
	else
		press_in_pane(tui, key);
}
