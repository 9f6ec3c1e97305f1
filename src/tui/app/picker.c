#include "tui/app/picker.h"

#include "tui/app/app.h"

#include <langinfo.h>

struct picker {
	struct terminal *term;
	struct grid grid;
	struct theme theme;
	struct menu menu;
};

struct picker *picker_open(const struct tui_options *options, const char *title,
			   struct error *error)
{
	struct terminal *term = terminal_curses(app_colors(options), error);
	if (!term)
		return NULL;
	struct picker *picker = mem_zalloc(1, sizeof *picker);
	picker->term = term;
	if (!theme_load(&picker->theme, options->theme ? options->theme : "default", term->colors,
			NULL))
		theme_mono(&picker->theme);
	term->ops->theme(term, &picker->theme);
	picker->grid.ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	menu_open(&picker->menu, title, NULL);
	picker->menu.checks = true;
	return picker;
}

void picker_close(struct picker *picker)
{
	if (!picker)
		return;
	picker->term->ops->free(picker->term);
	menu_close(&picker->menu);
	grid_free(&picker->grid);
	mem_free(picker);
}

int picker_input(const struct picker *picker)
{
	return picker->term->fd;
}

void picker_add(struct picker *picker, const char *label)
{
	menu_add(&picker->menu, label, "");
}

bool picker_has(const struct picker *picker, size_t index)
{
	return index < (size_t)picker->menu.count && picker->menu.items[index].checked;
}

/* With no row marked, the selected one is meant. */
static enum picker_state pick(struct menu *menu)
{
	bool any = false;
	for (int i = 0; i < menu->count; i++)
		any |= menu->items[i].checked;
	if (!any && menu->count)
		menu->items[menu->selected].checked = true;
	return menu->count ? PICKER_PICKED : PICKER_OPEN;
}

static enum picker_state press(struct menu *menu, tui_key key)
{
	enum action action = action_of_key(CONTEXT_MENU, key);
	switch (action) {
	case ACTION_MENU_CLOSE: return PICKER_LEFT;
	case ACTION_MENU_CHOOSE: return pick(menu);
	case ACTION_MENU_EARLIER:
	case ACTION_MENU_LATER: return PICKER_OPEN; /* they stay in their order */
	default: break;
	}
	for (int i = 0; key == 'a' && i < menu->count; i++)
		menu->items[i].checked = true;
	menu_act(menu, action, TUI_KEY_NONE);
	return key == TUI_KEY_HANGUP ? PICKER_LEFT : PICKER_OPEN;
}

enum picker_state picker_turn(struct picker *picker)
{
	static const char keys[] = " Space marks, a marks all, Enter takes them, q leaves";
	const struct terminal_ops *ops = picker->term->ops;
	enum picker_state state = PICKER_OPEN;
	struct rect body = { 0 };
	tui_key key;
	while (state == PICKER_OPEN && (key = ops->read(picker->term)) != TUI_KEY_NONE)
		state = press(&picker->menu, key);
	ops->size(picker->term, &body.rows, &body.columns);
	grid_resize(&picker->grid, body.rows, body.columns);
	grid_clear(&picker->grid);
	grid_puts(&picker->grid, --body.rows, 0, body.columns, ROLE_DIM, keys);
	if (!picker->menu.count)
		grid_puts(&picker->grid, 0, 1, body.columns - 1, ROLE_DIM, "nothing yet");
	menu_draw(&picker->menu, &picker->grid, body);
	ops->draw(picker->term, &picker->grid);
	return state;
}
