/*
 * Menus built from tables: actions and options.
 */
#include "tui/app/app.h"

static void action_chosen(void *context, const char *id)
{
	app_act(context, action_find(id));
}

void menus_open_actions(struct app *app)
{
	static const enum action_group groups[] = { MENU_GROUPS };
	struct pane *pane = app_pane(app);
	enum context context = pane->context;
	menu_open(&app->tui.menu, "Actions", app);
	app->tui.menu.of = pane;
	app->tui.menu.choose = action_chosen;
	for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
		const char *name_of_group = action_group_name(groups[g]);
		for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
			enum action action = (enum action)i;
			tui_key key = action_key(action, context);
			char name[TUI_KEY_NAME_MAX];
			if (action_info(action)->group != groups[g] || key == TUI_KEY_NONE ||
			    action == ACTION_MENU || action == ACTION_VIEW ||
			    action == ACTION_CANCEL || action == ACTION_INTERRUPT ||
			    !app_can(app, action))
				continue;
			AUTO_FREE char *label =
				mem_printf("%-9s %s", name_of_group, action_info(action)->help);
			struct menu_item *item =
				menu_add(&app->tui.menu, label, action_info(action)->name);
			name_of_group = ""; /* the first of the group has it */
			snprintf(item->hint, sizeof item->hint, "%s", tui_key_name(key, name));
			if (action_of_key(CONTEXT_MENU, key) == ACTION_NONE)
				item->key = key;
		}
	}
}

static void theme_previewed(void *context, const char *id)
{
	app_set_theme(context, id, NULL);
}

static void theme_chosen(void *context, const char *id)
{
	struct app *app = context;
	struct error error = { 0 };
	if (app_set_theme(app, id, &error))
		app_say(app, MESSAGE_INFO, "theme: %s", id);
	else
		tui_say_error(&app->tui, &error);
}

void menus_open_themes(struct app *app)
{
	AUTO_BUFFER struct buffer names = { 0 };
	AUTO_FREE char *now = mem_strdup(app->tui.theme.name);
	theme_names(&names);
	menu_open(&app->tui.menu, "Themes", app);
	for (char *rest, *name = strtok_r(names.data, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest)) {
		if (!strcmp(name, now))
			app->tui.menu.selected = app->tui.menu.initial = app->tui.menu.count;
		menu_add(&app->tui.menu, name, name);
	}
	app->tui.menu.choose = theme_chosen;
	app->tui.menu.preview = theme_previewed;
}

static void option_changed(void *context, const struct menu *menu)
{
	struct app *app = context;
	const struct menu_item *item = &menu->items[menu->selected];
	option_set(app, item->id, item->checked ? "on" : "off", NULL);
}

void menus_open_options(struct app *app)
{
	menu_open(&app->tui.menu, "Options (Space toggles)", app);
	app->tui.menu.checks = true;
	app->tui.menu.change = option_changed;
	for (size_t i = 0; option_at(i); i++) {
		const struct option_info *option = option_at(i);
		struct menu_item *item = menu_add(&app->tui.menu, option->help, option->name);
		snprintf(item->hint, sizeof item->hint, "%s", option->name);
		item->checked = *option_flag(&app->tui.settings, option);
	}
}
