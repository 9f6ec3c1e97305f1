/*
 * Prints a configuration that reproduces the current settings.
 */
#include "tui/app/app.h"

static void print_options(struct app *app, struct buffer *out)
{
	for (size_t i = 0; option_at(i); i++) {
		const struct option_info *option = option_at(i);
		bool on = *option_flag(&app->tui.settings, option);
		if (on != *option_flag(&app->settings_at_first, option))
			buffer_printf(out, "set %s %s\n", option->name, on ? "on" : "off");
	}
}

static void print_bindings(struct buffer *out)
{
	char name[TUI_KEY_NAME_MAX];
	enum context context;
	enum action action;
	tui_key key;
	for (size_t i = 0; action_rebound(i, &context, &key, &action); i++) {
		if (action == ACTION_NONE)
			buffer_printf(out, "unbind %s %s\n", context_name(context),
				      tui_key_name(key, name));
		else
			buffer_printf(out, "bind %s %s %s\n", context_name(context),
				      tui_key_name(key, name), action_info(action)->name);
	}
}

static void print_columns(const struct pane_subject *subject, struct buffer *out)
{
	const char *ids = subject->columns;
	size_t length = strlen(ids);
	while (length > 0 && ids[length - 1] == ',')
		length--;
	buffer_printf(out, "columns %s %.*s\n", subject->view->name, (int)length, ids);
}

static void print_subject(const struct pane_subject *subject, struct buffer *out)
{
	const struct query *query = &subject->query;
	const char *first = view_default_sort(subject->view);
	size_t length = strcspn(first, ":,");
	bool as_first = query->sort
				? strlen(query->sort) == length &&
					  !strncmp(query->sort, first, length) &&
					  query->descending == !strncmp(first + length, ":desc", 5)
				: length == 0;
	if (subject->columns)
		print_columns(subject, out);
	if (query->sort && !as_first && !query->unchosen)
		buffer_printf(out, "sort %s %s:%s\n", subject->view->name, query->sort,
			      query->descending ? "desc" : "asc");
	if (query->group && query->group != view_first_group(subject->view))
		buffer_printf(out, "group %s %s\n", subject->view->name, query->group);
}

/* The pane of a view nearest to the current level. False: none. */
static bool find_nearest(struct app *app, const struct view *view, struct pane_subject *subject)
{
	for (struct level *level = app->tui.nav.here; level; level = level->above) {
		for (size_t i = level->count; i-- > 0;) {
			*subject = pane_subject(level->panes[i]);
			if (subject->view == view)
				return true;
		}
	}
	return false;
}

static void print_config_of(const struct view_config *config, struct buffer *out)
{
	if (config->columns)
		buffer_printf(out, "columns %s %s\n", config->view->name, config->columns);
	if (config->sort)
		buffer_printf(out, "sort %s %s%s%s\n", config->view->name, config->sort,
			      config->way ? ":" : "", config->way ? config->way : "");
	if (config->group)
		buffer_printf(out, "group %s %s\n", config->view->name, config->group);
}

void config_print(struct app *app, struct buffer *out)
{
	const struct config *config = &app->config;
	if (strcmp(app->tui.theme.name, "default") != 0)
		buffer_printf(out, "theme %s\n", app->tui.theme.name);
	if (config->start)
		buffer_printf(out, "view %s\n", config->start);
	for (size_t i = config->map_count; i-- > 0;)
		buffer_printf(out, "source %s%s%s\n",
			      config->maps[i].from ? config->maps[i].from : "",
			      config->maps[i].from ? " " : "", config->maps[i].to);
	print_options(app, out);
	print_bindings(out);
	for (size_t i = 0; view_at(i); i++) {
		struct pane_subject subject;
		bool shown = find_nearest(app, view_at(i), &subject);
		if (shown)
			print_subject(&subject, out);
		for (size_t k = 0; !shown && k < config->view_count; k++)
			if (config->views[k].view == view_at(i))
				print_config_of(&config->views[k], out);
	}
}
