/*
 * The commands of the ':' prompt. Every action name is also a command.
 */
#include "base/number.h"
#include "base/text.h"
#include "session/baselines.h"
#include "tui/app/app.h"
#include "tui/term/xdg.h"
#include "picture/plot/plot.h"

#include <ctype.h>

/* The current table; NULL with ERROR if the pane has none, or it is still being built. */
static const struct table *shown_table(struct app *app, struct error *error)
{
	const struct pane *pane = app_pane(app);
	const struct table *table = pane->ops->table ? pane->ops->table(pane) : NULL;
	if (!table)
		error_usage(error, "no table here");
	return table;
}

static bool run_quit(struct app *app, const char *argument, struct error *error)
{
	app->tui.quit = true;
	return true;
}

enum { PLOT_PREFIX = sizeof "plot-" - 1 };

/* As reports name them: "plot-memory". */
static bool is_plot(const char *name)
{
	return !strncmp(name, "plot-", PLOT_PREFIX);
}

static bool run_plot(struct app *app, const char *argument, struct error *error)
{
	size_t length = strcspn(argument, " ");
	AUTO_FREE char *name = mem_strndup(argument, length);
	const struct plot_kind *kind = plot_find(name);
	const char *of = argument + length + strspn(argument + length, " ");
	const struct plot_group *group = kind && *of ? plot_group_find(kind, of) : NULL;
	if (!*argument) {
		app_act(app, ACTION_PLOT);
		return true;
	}
	if (!kind || (*of && !group))
		return error_usage(error,
				   kind ? "this plot has no grouping '%s'"
					: "unknown plot '%s' (Tab lists plots)",
				   kind ? of : argument);
	nav_push_new(&app->tui,
		     &(struct pane_subject){ .kind = PANE_PLOT,
					     .plot = kind,
					     .plot_group = group,
					     .exact = group != NULL },
		     NULL);
	return true;
}

static bool run_view(struct app *app, const char *argument, struct error *error)
{
	struct tab tab = nav_tab_named(argument);
	if (is_plot(argument))
		return run_plot(app, argument + PLOT_PREFIX, error);
	if (!tab.name)
		return nav_unknown(argument, error);
	nav_open(&app->tui, &tab);
	return true;
}

static bool run_split(struct app *app, const char *argument, struct error *error)
{
	const struct view *view = *argument ? view_find(argument) : NULL;
	if (*argument && !view)
		return nav_unknown(argument, error);
	split_choose(app, view);
	return true;
}

static bool run_base(struct app *app, const char *argument, struct error *error)
{
	char file[XDG_PATH_MAX];
	if (!*argument)
		return error_usage(error, "PATH required: :base PATH|NAME");
	AUTO_FREE char *path =
		baselines_resolve(xdg_state(file, "baselines") ? file : NULL, argument);
	load_files(app, path);
	return true;
}

/* Without argument, the range or op of the selected row; "none": the profile's own steps. */
static bool run_key_node(struct app *app, const char *argument, struct error *error)
{
	if (!*argument)
		app_act(app, ACTION_CHOOSE_KEY_NODE);
	else
		load_iterations(app, strcmp(argument, "none") ? argument : NULL);
	return true;
}

/* Set a part of the pane. */
static bool run_query(struct app *app, const char *argument, struct error *error)
{
	return pane_requery(app_pane(app), &app->tui, app->command->part, argument, error);
}

static bool run_columns(struct app *app, const char *argument, struct error *error)
{
	if (*argument || !shown_table(app, error))
		return run_query(app, argument, error);
	app_act(app, ACTION_COLUMNS);
	return true;
}

static bool run_search(struct app *app, const char *argument, struct error *error)
{
	struct pane *pane = app_pane(app);
	if (!search_set(&app->tui.search, argument, error))
		return false;
	nav_record(&app->tui);
	if (app->tui.search.pattern)
		pane->ops->search(pane, &app->tui, pane->ops->row(pane), 0);
	return true;
}

bool command_narrow(struct app *app, const char *what, const char *argument, struct error *error)
{
	const struct pane *pane = app_pane(app);
	const struct pane_subject subject = pane_subject(pane);
	if (subject.kind == PANE_TEXT ||
	    (subject.kind == PANE_TABLE && (!subject.view || !pane->ops->table(pane))))
		return error_usage(error, "no table here");
	AUTO(scope_clear) struct scope scope = { 0 };
	scope_copy(&scope, &app->tui.nav.here->scope);
	bool good = scope_set(&scope, what, argument, error);
	scope.ranks.count = 0; /* the ranks view lets the user choose another one */
	if (good)
		nav_push_same(&app->tui, pane, &scope);
	return good;
}

static bool run_scope(struct app *app, const char *argument, struct error *error)
{
	return command_narrow(app, app->command->name, argument, error);
}

/* Range from the first to the last marked step. */
static bool marked_steps(const struct pane *pane, struct buffer *range)
{
	const struct table *table = pane->ops->table(pane);
	int column = table_column_as(table, COLUMN_STEP);
	int64_t first = INT64_MAX, last = INT64_MIN;
	size_t row;
	for (size_t i = 0; column >= 0 && (row = pane->ops->marked(pane, i)) != SIZE_MAX; i++) {
		struct value step = table_value(table, row, (size_t)column);
		if (step.kind != VALUE_INT)
			continue;
		first = step.integer < first ? step.integer : first;
		last = step.integer > last ? step.integer : last;
	}
	if (first <= last)
		buffer_printf(range, "%lld..%lld", (long long)first, (long long)last);
	return first <= last;
}

static bool run_iterations(struct app *app, const char *argument, struct error *error)
{
	AUTO_BUFFER struct buffer range = { 0 };
	if (*argument)
		return command_narrow(app, "steps", argument, error);
	if (!shown_table(app, error))
		return false;
	return marked_steps(app_pane(app), &range)
		       ? command_narrow(app, "steps", range.data, error)
		       : error_usage(error, "steps required: A..B, or mark the first and the last");
}

static bool run_positions(struct app *app, const char *argument, struct error *error)
{
	bookmark_list(app);
	return true;
}

static bool run_theme(struct app *app, const char *argument, struct error *error)
{
	if (*argument)
		return app_set_theme(app, argument, error);
	menus_open_themes(app);
	return true;
}

static bool run_set(struct app *app, const char *argument, struct error *error)
{
	size_t length = strcspn(argument, " =");
	const char *value = argument + length + strspn(argument + length, " =");
	if (length == 0) {
		menus_open_options(app);
		return true;
	}
	AUTO_FREE char *name = mem_strndup(argument, length);
	return option_set(app, name, value, error);
}

/* Configuration lines that are also commands. */
static bool run_directive(struct app *app, const char *argument, struct error *error)
{
	AUTO_FREE char *line = mem_printf("%s %s", app->command->name, argument);
	return config_line(app, line, error);
}

static bool run_sql(struct app *app, const char *argument, struct error *error)
{
	if (!*argument)
		return error_usage(error, "SELECT required: :sql SELECT ...");
	nav_push_new(&app->tui, &(struct pane_subject){ .kind = PANE_TABLE, .sql = argument },
		     NULL);
	return true;
}

static bool run_help(struct app *app, const char *argument, struct error *error)
{
	app_act(app, ACTION_HELP);
	if (!*argument)
		return true;
	if (!search_set(&app->tui.search, argument, error))
		return false;
	frame_draw(app); /* drawing wraps the text to the screen */
	app_pane(app)->ops->search(app_pane(app), &app->tui, 0, 0);
	return true;
}

static bool run_resize(struct app *app, const char *argument, struct error *error)
{
	int columns, rows;
	if (!app_parse_size(argument, &columns, &rows, error))
		return false;
	if (app->term->ops->resize)
		app->term->ops->resize(app->term, rows, columns);
	app_resize(app);
	return true;
}

/* ---- the table of commands ---- */

static const struct command_info commands[] = { COMMANDS_ROWS };

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

const struct command_info *command_at(size_t index)
{
	return index < COMMAND_COUNT ? &commands[index] : NULL;
}

/* Command by name or unique prefix; as in Vim, q is quit and w write, the last of theirs. */
static const struct command_info *find_command(const char *name, size_t length)
{
	const struct command_info *found = NULL;
	int count = 0;
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strncmp(commands[i].name, name, length) != 0)
			continue;
		if (commands[i].name[length] == '\0')
			return &commands[i];
		if (strchr(commands[i].name, '!'))
			continue;
		found = &commands[i];
		count++;
	}
	return count == 1 || (length == 1 && count && strchr("qw", *name)) ? found : NULL;
}

static const char *nearest_command(const char *name)
{
	struct text_near near = { .name = name };
	for (int i = 0; i < COMMAND_COUNT + ACTION_COUNT - 1; i++) {
		const char *other =
			i < COMMAND_COUNT ? commands[i].name
					  : action_info((enum action)(i - COMMAND_COUNT + 1))->name;
		text_near_try(&near, other, text_distance(name, other));
	}
	return near.best;
}

static bool go_to_row(struct app *app, const char *text, struct error *error)
{
	int64_t number;
	struct pane *pane = app_pane(app);
	if (!number_parse_int(text, strlen(text), &number) || number < 0)
		return error_usage(error, "'%s' is not a row number", text);
	nav_record(&app->tui);
	pane->ops->go_line(pane, number > 0 ? (size_t)number - 1 : 0);
	return true;
}

/* If not a command, it may be an action or, alone, a view. */
static bool run_name(struct app *app, const char *name, bool has_argument)
{
	enum action action = action_find(name);
	struct tab tab = nav_tab_named(name);
	if (action != ACTION_NONE)
		app_act(app, action);
	else if (tab.name && !has_argument)
		nav_open(&app->tui, &tab);
	else
		return false;
	return true;
}

static bool run_line(struct app *app, const char *line, struct error *error)
{
	size_t length = strcspn(line, " ");
	const char *argument = line + length + strspn(line + length, " ");
	if (!app_pane(app))
		return error_usage(error, "still loading");
	if (isdigit((unsigned char)*line))
		return go_to_row(app, line, error);
	if (is_plot(line))
		return run_plot(app, line + PLOT_PREFIX, error);
	const struct command_info *command = find_command(line, length);
	if (!command || command->run != export_screen) /* which must show the current message */
		app->message[0] = '\0';
	app->command = command;
	if (command)
		return command->run(app, argument, error);
	AUTO_FREE char *name = mem_strndup(line, length);
	bool done = run_name(app, name, *argument != '\0');
	if (!done)
		error_usage(error, "unknown command '%s'%s%s%s", name,
			    DID_YOU_MEAN(nearest_command(name), "'"));
	return done;
}

bool command_run(struct app *app, const char *line, struct error *error)
{
	line += strspn(line, " :");
	if (!*line)
		return true;
	if (run_line(app, line, error))
		return true;
	tui_say_error(&app->tui, error);
	return false;
}
