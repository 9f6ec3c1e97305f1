/*
 * Maps keys to actions, and performs the actions common to all panes.
 */
#include "base/text.h"
#include "tui/app/app.h"
#include "tui/text/text_pane.h"

/* ---- prompts ---- */

static const char *const labels[PROMPT_KINDS] = { PROMPT_LABEL_ROWS };

bool app_ask(struct tui *tui, enum prompt_kind kind, const char *text)
{
	struct app *app = app_of(tui);
	if (app->prompt.open)
		return false;
	prompt_open(&app->prompt, kind, labels[kind], &app->histories[kind], text);
	app->prompt.complete = complete_line;
	app->prompt.context = app;
	if (kind == PROMPT_SEARCH || kind == PROMPT_FILTER)
		find_prompt_open(app);
	return true;
}

static void close_prompt(struct app *app, bool accepted)
{
	struct prompt *prompt = &app->prompt;
	AUTO_BUFFER struct buffer line = { 0 };
	struct error error = { 0 };
	buffer_puts(&line, buffer_text(&prompt->line));
	while (line.length > 0 && line.data[line.length - 1] == ' ')
		line.data[--line.length] = '\0';
	if (accepted) {
		history_add(prompt->history, buffer_text(&line));
		if (app->tui.settings.state)
			state_add_history(&app->tui.state, (int)prompt->kind, buffer_text(&line));
	}
	find_prompt_closed(app, accepted);
	enum prompt_kind kind = prompt->kind;
	prompt_close(prompt);
	if (accepted && kind == PROMPT_COMMAND)
		command_run(app, buffer_text(&line), &error);
	else if (accepted && kind == PROMPT_SQL && line.length > 0)
		nav_push_new(
			&app->tui,
			&(struct pane_subject){ .kind = PANE_TABLE, .sql = buffer_text(&line) },
			NULL);
}

static void press_in_prompt(struct app *app, tui_key key)
{
	struct prompt *prompt = &app->prompt;
	enum action action = action_of_key(CONTEXT_PROMPT, key);
	bool changed = true;

	/* erasing in an empty prompt closes it, as in vim and less */
	if (action == ACTION_PROMPT_ERASE && prompt->line.length == 0)
		action = ACTION_PROMPT_CANCEL;
	if (action == ACTION_PROMPT_ACCEPT || action == ACTION_PROMPT_CANCEL) {
		close_prompt(app, action == ACTION_PROMPT_ACCEPT);
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
		find_prompt_changed(app);
}

/* ---- actions of every pane ---- */

static void cancel(struct app *app)
{
	if (app->tui.search.pattern) {
		find_clear(app);
		app_say(app, MESSAGE_INFO, "search cleared");
	} else if (!nav_back(&app->tui)) {
		app_say(app, MESSAGE_INFO, "top level; Q quits");
	}
}

static void next_view(struct app *app, int direction)
{
	const char *name = app_pane(app)->name;
	int count = 0, at = 0;
	for (; nav_tab(&app->tui, count).name; count++)
		if (!strcmp(nav_tab(&app->tui, count).name, name))
			at = count;
	struct tab next = nav_tab(&app->tui, (at + direction + count) % (count > 0 ? count : 1));
	if (next.name)
		nav_open(&app->tui, &next);
}

static bool act_go(struct app *app, enum action action)
{
	switch (action) {
	case ACTION_BACK:
		if (!nav_return_here(&app->tui) && !nav_back(&app->tui))
			app_say(app, MESSAGE_INFO, "top level");
		return true;
	case ACTION_CANCEL: cancel(app); return true;
	case ACTION_CLOSE:
		if (!nav_back(&app->tui) && app_twice(app, "press q again to quit"))
			app->tui.quit = true;
		return true;
	case ACTION_VIEW: {
		struct tab tab = nav_tab_of(&app->tui, (char)app->key);
		if (tab.name)
			nav_open_digit(&app->tui, &tab);
		else
			app_act(app, ACTION_SQL); /* the SQL prompt comes after the last view */
		return true;
	}
	case ACTION_VIEW_NEXT:
	case ACTION_VIEW_PREVIOUS:
		if (split_shown(app))
			split_switch(app);
		else
			next_view(app, action == ACTION_VIEW_NEXT ? 1 : -1);
		return true;
	case ACTION_JUMP_BACK:
	case ACTION_JUMP_FORWARD:
		nav_jump(&app->tui, action == ACTION_JUMP_BACK ? -1 : 1);
		return true;
	case ACTION_POSITION_SET:
	case ACTION_POSITION_GO:
		app->awaiting = action;
		app_say(app, MESSAGE_INFO, "%s",
			app_pane(app) && app_pane(app)->ops->letter
				? "type a or b for a marker, another letter for a bookmark"
				: "type the letter of the bookmark");
		return true;
	default: return false;
	}
}

/* The details of the selected row, in full. */
static void show_detail(struct app *app)
{
	struct pane *pane = app_pane(app);
	AUTO_BUFFER struct buffer detail = { 0 };
	if (pane->ops->detail)
		pane->ops->detail(pane, &app->tui, &detail);
	strip_drop_absent(&detail);
	if (detail.length)
		nav_push(&app->tui, text_pane_lines("detail", buffer_text(&detail)), NULL);
	else
		app_say(app, MESSAGE_INFO, "no further details");
}

static bool act_program(struct app *app, enum action action)
{
	struct pane *pane = app_pane(app);
	switch (action) {
	case ACTION_SEARCH: app_ask(&app->tui, PROMPT_SEARCH, ""); return true;
	case ACTION_FILTER: app_ask(&app->tui, PROMPT_FILTER, ""); return true;
	case ACTION_COMMAND: app_ask(&app->tui, PROMPT_COMMAND, ""); return true;
	case ACTION_SQL: app_ask(&app->tui, PROMPT_SQL, ""); return true;
	case ACTION_HELP:
		if (strcmp(pane->name, "help") != 0)
			nav_push(&app->tui, help_pane(pane->context, app->tui.grid.ascii), NULL);
		return true;
	case ACTION_COPY:
	case ACTION_COPY_ROWS: copy_rows(app, action == ACTION_COPY_ROWS); return true;
	case ACTION_DETAIL: app->tui.settings.detail ^= true; return true;
	case ACTION_DETAIL_FULL: show_detail(app); return true;
	case ACTION_SPLIT:
		app->tui.settings.split ^= true;
		app->split.maximized = false;
		return true;
	case ACTION_REPEAT:
		if (app->last != ACTION_NONE)
			return app_act(app, app->last);
		app_say(app, MESSAGE_INFO, "no action to repeat");
		return true;
	case ACTION_MENU: menus_open_actions(app); return true;
	case ACTION_SOURCE:
	case ACTION_EDIT: source_show(app, action == ACTION_EDIT); return true;
	case ACTION_COMPILES: nav_view(&app->tui, view_find("compiles")); return true;
	case ACTION_OPTIONS: menus_open_options(app); return true;
	case ACTION_WHAT_IF: what_if_ask(app); return true;
	case ACTION_WHAT_IF_DROP: what_if_drop(app); return true;
	case ACTION_DIFF:
		if (runs_compare(app))
			return true;
		if (app->tui.run->base)
			nav_view(&app->tui, view_find("diff"));
		else
			runs_offer_baselines(app);
		return true;
	case ACTION_PLOT:
		app_say(app, MESSAGE_INFO, "no plot of this view (:plot NAME opens one)");
		return true;
	case ACTION_REREAD: load_files(app, NULL); return true;
	case ACTION_FROM_TRACE: load_from_trace(app); return true;
	case ACTION_REDRAW: app->term->ops->redraw(app->term); return true;
	case ACTION_SUSPEND: app_suspend(app); return true;
	case ACTION_INTERRUPT:
		if (app_twice(app, "press Ctrl-C again or Q to quit"))
			app->tui.quit = true;
		return true;
	case ACTION_QUIT: app->tui.quit = true; return true;
	default: return false;
	}
}

static bool act_search(struct app *app, enum action action)
{
	struct pane *pane = app_pane(app);
	if (action != ACTION_SEARCH_NEXT && action != ACTION_SEARCH_PREVIOUS)
		return false;
	if (!app->tui.search.pattern)
		find_recall(app);
	if (app->tui.search.pattern)
		pane->ops->search(pane, &app->tui, 0, action == ACTION_SEARCH_NEXT ? 1 : -1);
	else
		app_say(app, MESSAGE_INFO, "no previous search (press /)");
	return true;
}

bool app_act(struct app *app, enum action action)
{
	struct pane *pane = app_pane(app);
	if (!pane)
		return false;
	if (app->asked != action)
		app->asked = ACTION_NONE;
	app->acting = action;
	app->tui.dirty = true;
	return (action == ACTION_DETAIL_FULL && split_maximize(app)) || act_search(app, action) ||
	       pane->ops->act(pane, &app->tui, action) || act_go(app, action) ||
	       act_program(app, action);
}

bool app_can(struct app *app, enum action action)
{
	struct pane *pane = app_pane(app);
	if (!pane)
		return false;
	switch (action) {
	case ACTION_BACK:
	case ACTION_CLOSE: return app->tui.nav.here->above != NULL;
	case ACTION_REPEAT: return app->last != ACTION_NONE;
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_PREVIOUS: return app->tui.search.pattern != NULL;
	case ACTION_WHAT_IF:
	case ACTION_COPY:
	case ACTION_COPY_ROWS: return pane->ops->row(pane) != SIZE_MAX;
	case ACTION_SOURCE: return source_can(app);
	case ACTION_EDIT:
		return pane->context == CONTEXT_TEXT ? pane->ops->can(pane, &app->tui, action)
						     : source_can(app);
	case ACTION_FOLLOW_FORWARD:
	case ACTION_FOLLOW_BACK:
		return pane->ops->link &&
		       pane->ops->link(pane, &app->tui, action == ACTION_FOLLOW_FORWARD);
	case ACTION_DIFF: return app->tui.run->base != NULL || runs_can_compare(app);
	case ACTION_WHAT_IF_DROP: return what_if_edits(&app->base) != NULL;
	case ACTION_FROM_TRACE: return nav_shows_summary(&app->tui);
	case ACTION_JUMP_BACK: return app->tui.nav.jump_at > 0;
	case ACTION_JUMP_FORWARD: return app->tui.nav.jump_at + 1 < app->tui.nav.jump_count;
	default: return pane->ops->can(pane, &app->tui, action);
	}
}

/* ---- keys ---- */

static void name_position(struct app *app, tui_key key)
{
	enum action action = app->awaiting;
	app->awaiting = ACTION_NONE;
	struct pane *pane = app_pane(app);
	if (key >= 0x80)
		app_say(app, MESSAGE_INFO, "a bookmark's name is a letter");
	else if (pane->ops->letter && pane->ops->letter(pane, &app->tui, action, (char)key))
		return;
	else if (action == ACTION_POSITION_SET)
		bookmark_set(app, (char)key);
	else
		bookmark_go(app, (char)key);
}

/* Handle terminal events; false for an ordinary key. */
static bool press_event(struct app *app, tui_key key)
{
	switch (key) {
	case TUI_KEY_RESIZE: app_resize(app); return true;
	case TUI_KEY_BACKGROUND:
		if (!strcmp(app->tui.theme.name, "default"))
			app_set_theme(app, "default", NULL);
		return true;
	case TUI_KEY_HANGUP:
		app->tui.quit = true;
		app->status = 129;
		return true;
	case TUI_KEY_PASTE_BEGIN:
	case TUI_KEY_PASTE_END: app->pasting = key == TUI_KEY_PASTE_BEGIN; return true;
	case TUI_KEY_MOUSE: mouse_press(app); return true;
	default: return false;
	}
}

/* During the initial load only waiting and quitting are possible; other keys wait for its end. */
static void press_while_loading(struct app *app, tui_key key)
{
	enum action action = action_of_key(CONTEXT_ALL, key);
	if (action == ACTION_SUSPEND)
		app_suspend(app);
	else if (action == ACTION_REDRAW)
		app->term->ops->redraw(app->term);
	else if (action == ACTION_CLOSE || action == ACTION_QUIT || action == ACTION_INTERRUPT ||
		 (action == ACTION_CANCEL && app->tui.run))
		worker_cancel(app->reader);
	else if (action != ACTION_CANCEL)
		app_hold(app, key);
}

/* The cancelling keys stop work; others act on what is there. True: the key did just that. */
static bool press_stops_work(struct app *app, tui_key key)
{
	enum action action = action_of_key(CONTEXT_ALL, key);
	bool stops =
		action == ACTION_CANCEL || action == ACTION_CLOSE || action == ACTION_INTERRUPT;
	struct work_state work;
	if (app->prompt.open || app->tui.menu.open)
		return false;
	bool busy = worker_busy(app->tui.worker, &work);
	bool seen = busy && work_is_seen(&work);
	if (action == ACTION_INTERRUPT && app->loading && !seen) {
		worker_cancel(app->reader);
		return true;
	}
	if (busy && stops)
		worker_cancel(app->tui.worker);
	/* Esc closes the slider while it predicts, too */
	return busy && stops && !(app->what_if.open && action == ACTION_CANCEL);
}

/* The result of work for a pane that was left is not needed. */
static void drop_work(struct app *app, const struct pane *left, int64_t pressed)
{
	struct work_state work;
	if (app_pane(app) != left && worker_busy(app->tui.worker, &work) && !work.background &&
	    work.started_ns < pressed)
		worker_cancel(app->tui.worker);
}

/* As in readline, Alt and a digit begin a count, which digits continue: alone they open views. */
static bool press_digit(struct app *app, tui_key key)
{
	enum { COUNT_MAX = 9999 };
	tui_key digit = key & ~(tui_key)TUI_KEY_ALT;
	if (digit < '0' || digit > '9' || (digit == key && !app->count))
		return false;
	int count = 10 * app->count + (int)(digit - '0');
	app->count = count < COUNT_MAX ? count : COUNT_MAX;
	app_say(app, MESSAGE_INFO, "%d times", app->count);
	return true;
}

/* As often as counted, while the pane stays. */
static void act_times(struct app *app, enum action action, int times)
{
	const struct pane *pane = app_pane(app);
	bool lane = action == ACTION_LANE_NEXT && app->last != ACTION_NONE;
	if (lane && !app_can(app, action))
		action = app->last;
	else if (action != ACTION_REPEAT && action_info(action)->group != GROUP_MOVE &&
		 action != ACTION_VIEW)
		app->last = action;
	for (int i = 0; i < times && app_pane(app) == pane; i++)
		app_act(app, action);
}

static void press_in_pane(struct app *app, tui_key key)
{
	struct pane *pane = app_pane(app);
	int64_t pressed = clock_ns();
	enum action action = action_of_key(pane->context, key);
	char name[TUI_KEY_NAME_MAX];
	if (press_digit(app, key))
		return;
	int times = app->count > 0 ? app->count : 1;
	app->count = 0;
	if (action == ACTION_NONE)
		app_say(app, MESSAGE_INFO, "%s does nothing here (? shows keys)",
			tui_key_name(key, name));
	else if (times == 1 || action != ACTION_CANCEL) /* which ends the count */
		act_times(app, action, times);
	drop_work(app, pane, pressed);
}

void app_press(struct app *app, tui_key key)
{
	app->tui.dirty = true;
	app->key = key;
	if (press_event(app, key))
		return;
	if (app->pasting) {
		/* pasted lines are joined */
		bool blank = key == TUI_KEY_TAB || key == TUI_KEY_ENTER || key < 0x20;
		if (app->prompt.open && (blank || key < TUI_KEY_ALT))
			press_in_prompt(app, blank ? TUI_KEY_SPACE : key);
		return;
	}
	if (load_is_awaited(app)) {
		press_while_loading(app, key);
		return;
	}
	app->message[0] = '\0';
	if (!app_pane(app) || press_stops_work(app, key))
		return;
	if (app->awaiting != ACTION_NONE)
		name_position(app, key);
	else if (app->tui.menu.open)
		menu_act(&app->tui.menu, action_of_key(CONTEXT_MENU, key), key);
	else if (app->prompt.open)
		press_in_prompt(app, key);
	else if (app->what_if.open)
		what_if_act(app, action_of_key(CONTEXT_WHAT_IF, key));
	else
		press_in_pane(app, key);
}
