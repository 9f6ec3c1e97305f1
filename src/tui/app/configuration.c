#include "tui/app/configuration.h"

#include "base/small_file.h"
#include "base/text_slice.h"
#include "tui/app/app.h"
#include "tui/term/xdg.h"

#include <errno.h>
#include <stdlib.h>

enum { WORDS_MAX = 16, LINE_MAX_BYTES = 4096, PROBLEMS_MAX = 100 };

/* ---- words ---- */

struct words {
	char *at[WORDS_MAX];
	int count;
	char text[LINE_MAX_BYTES];
};

static bool split_words(struct words *words, const char *line, struct error *error)
{
	char *rest;
	words->count = 0;
	if (strlen(line) >= sizeof words->text)
		return error_usage(error, "line too long");
	strcpy(words->text, line);
	for (char *word = strtok_r(words->text, " \t\r\n", &rest); word;
	     word = strtok_r(NULL, " \t\r\n", &rest)) {
		if (words->count == WORDS_MAX)
			return error_usage(error, "too many words");
		words->at[words->count++] = word;
	}
	return true;
}

static void set_text(char **field, const char *text)
{
	mem_free(*field);
	*field = mem_strdup(text);
}

/* ---- options, theme, view ---- */

static bool set_option(struct app *app, const struct words *words, struct error *error)
{
	return option_set(app, words->at[1], words->count > 2 ? words->at[2] : "", error);
}

/* The theme is loaded once the terminal's color count is known. */
static bool set_theme(struct app *app, const struct words *words, struct error *error)
{
	set_text(&app->config.theme, words->at[1]);
	return true;
}

static const struct view *find_view(const char *name, struct error *error)
{
	const struct view *view = view_find(name);
	if (!view)
		nav_unknown(name, error);
	return view;
}

static bool set_start(struct app *app, const struct words *words, struct error *error)
{
	struct tab tab = nav_tab_named(words->at[1]);
	if (!tab.name)
		return find_view(words->at[1], error) != NULL;
	set_text(&app->config.start, tab.name);
	return true;
}

/* ---- keys ---- */

/* Keys that leave a mode cannot be rebound. */
static bool is_fixed(enum context context, tui_key key)
{
	return key == TUI_KEY_ESCAPE || key == tui_key_ctrl('c') ||
	       (key == TUI_KEY_ENTER && context >= CONTEXT_WHAT_IF);
}

static bool read_key(const char *word, enum context context, tui_key *key, struct error *error)
{
	size_t length = strlen(word);
	if (tui_key_parse(word, length, key) != length)
		return error_usage(error, "unknown key '%s' (see the help for key names)", word);
	if (is_fixed(context, *key))
		return error_usage(error, "%s is reserved and cannot be rebound", word);
	return true;
}

static bool read_context(const char *word, enum context *context, struct error *error)
{
	if (context_find(word, strlen(word), context))
		return true;
	AUTO_BUFFER struct buffer names = { 0 };
	for (int i = 0; i < CONTEXT_COUNT; i++)
		buffer_printf(&names, "%s%s", i > 0 ? ", " : "", context_name((enum context)i));
	error_usage(error, "unknown context '%s'; contexts: %s", word, buffer_text(&names));
	return false;
}

/* Actions of menus, prompts and the pane of what-if exist only in their contexts. */
static bool belongs(enum action action, enum context context)
{
	enum action_group group = action_info(action)->group;
	if (context == CONTEXT_PROMPT)
		return group == GROUP_PROMPT;
	if (context == CONTEXT_MENU)
		return group == GROUP_MENU || group == GROUP_MOVE;
	if (context == CONTEXT_WHAT_IF)
		return group == GROUP_WHAT_IF;
	return group != GROUP_PROMPT && group != GROUP_MENU && group != GROUP_WHAT_IF;
}

static bool bind_all(const struct words *words, int last, enum action action, struct error *error)
{
	enum context context;
	tui_key keys[WORDS_MAX];
	if (!read_context(words->at[1], &context, error))
		return false;
	if (action != ACTION_NONE && !belongs(action, context))
		return error_usage(error, "'%s' has no effect %s", action_info(action)->name,
				   context_title(context));
	for (int i = 2; i <= last; i++)
		if (!read_key(words->at[i], context, &keys[i], error))
			return false;
	for (int i = 2; i <= last; i++)
		action_bind(context, keys[i], action);
	return true;
}

static bool bind_keys(struct app *app, const struct words *words, struct error *error)
{
	const char *name = words->at[words->count - 1];
	enum action action = action_find(name);
	if (action == ACTION_NONE)
		return error_usage(error, "unknown action '%s' (see the help)", name);
	return bind_all(words, words->count - 2, action, error);
}

static bool unbind_keys(struct app *app, const struct words *words, struct error *error)
{
	return bind_all(words, words->count - 1, ACTION_NONE, error);
}

/* ---- views ---- */

static struct view_config *configuration_config_of(struct config *config, const struct view *view)
{
	for (size_t i = 0; i < config->view_count; i++)
		if (config->views[i].view == view)
			return &config->views[i];
	struct view_config *added = mem_push(config->views, config->view_count);
	*added = (struct view_config){ .view = view };
	return added;
}

static bool has_column(const struct view *view, const char *id, size_t length, struct error *error)
{
	AUTO_TABLE struct table *table = table_new(view);
	AUTO_FREE char *name = mem_strndup(id, length);
	bool known = table_column(table, name) >= 0;
	if (!known)
		error_usage(error, "view %s has no column '%s'", view->name, name);
	return known;
}

static bool set_columns(struct app *app, const struct words *words, struct error *error)
{
	const struct view *view = find_view(words->at[1], error);
	if (!view)
		return false;
	const char *ids = words->at[2];
	for (struct text_slice id; text_next_item(&ids, &id);)
		if (id.length > 0 && !has_column(view, id.text, id.length, error))
			return false;
	set_text(&configuration_config_of(&app->config, view)->columns, words->at[2]);
	return true;
}

static bool set_sort(struct app *app, const struct words *words, struct error *error)
{
	const struct view *view = find_view(words->at[1], error);
	size_t length = strcspn(words->at[2], ":");
	const char *way = words->at[2] + length;
	if (!view || !has_column(view, words->at[2], length, error))
		return false;
	if (*way && strcmp(way, ":asc") && strcmp(way, ":desc"))
		return error_usage(error, "sort order must be :asc or :desc");
	struct view_config *config = configuration_config_of(&app->config, view);
	set_text(&config->sort, words->at[2]);
	config->sort[length] = '\0';
	config->way = *way ? config->sort + length + 1 : NULL;
	return true;
}

static bool set_group(struct app *app, const struct words *words, struct error *error)
{
	const struct view *view = find_view(words->at[1], error);
	if (!view)
		return false;
	if (!view_has_group(view, words->at[2]))
		return error_usage(error, "view %s has no grouping '%s'", view->name, words->at[2]);
	set_text(&configuration_config_of(&app->config, view)->group, words->at[2]);
	return true;
}

void config_complete(const struct config *config, struct pane_subject *subject)
{
	const struct view_config *found = NULL;
	for (size_t i = 0; i < config->view_count && !subject->exact; i++)
		if (config->views[i].view == subject->view)
			found = &config->views[i];
	if (!found)
		return;
	subject->columns = subject->columns ?: found->columns;
	if (!subject->query.group)
		subject->query.group = found->group;
	if (found->sort && !subject->query.sort) {
		const struct column *column = column_find(found->sort);
		subject->query.sort = found->sort;
		subject->query.descending = found->way ? !strcmp(found->way, "desc")
						       : column && column_is_number(column);
	}
}

static bool set_source(struct app *app, const struct words *words, struct error *error)
{
	source_map(app, words->count > 2 ? words->at[1] : NULL, words->at[words->count - 1]);
	return true;
}

/* ---- lines ---- */

static const struct directive {
	const char *name, *arguments, *help;
	int least, max; /* number of words, including the name */
	bool (*run)(struct app *app, const struct words *words, struct error *error);
} directives[] = { DIRECTIVES_ROWS };

enum { DIRECTIVE_COUNT = sizeof directives / sizeof directives[0] };

void config_list(FILE *out)
{
	for (size_t i = 0; i < DIRECTIVE_COUNT; i++)
		fprintf(out, "%s\t%s\t%s\n", directives[i].name, directives[i].arguments,
			directives[i].help);
	for (size_t i = 0; option_at(i); i++)
		fprintf(out, "set %s\t\t%s\n", option_at(i)->name, option_at(i)->help);
}

bool config_line(struct app *app, const char *line, struct error *error)
{
	struct words words;
	if (!split_words(&words, line, error))
		return false;
	if (words.count == 0 || words.at[0][0] == '#')
		return true;
	for_each (directive, directives, DIRECTIVE_COUNT) {
		if (strcmp(directive->name, words.at[0]) != 0)
			continue;
		if (words.count < directive->least || words.count > directive->max)
			return error_usage(error, "usage: %s %s", directive->name,
					   directive->arguments);
		return directive->run(app, &words, error);
	}
	return error_usage(error, "unknown directive '%s'", words.at[0]);
}

/* ---- the file ---- */

/* Abbreviate HOME as "~". */
static const char *short_path(const char *path, char out[XDG_PATH_MAX])
{
	const char *home = getenv("HOME");
	size_t length = home ? strlen(home) : 0;
	if (length < 2 || strncmp(path, home, length) != 0 || path[length] != '/')
		return path;
	snprintf(out, XDG_PATH_MAX, "~%s", path + length);
	return out;
}

/* LINE 0: of the whole file. */
static void add_problem(struct config *config, int line, const struct error *error)
{
	char room[XDG_PATH_MAX];
	if (config->problem_count++ < PROBLEMS_MAX)
		buffer_printf(&config->problems, line ? "%s:%d: %s\n" : "%s%.0d: %s\n",
			      short_path(config->path, room), line, error->message);
}

static void configuration_read_lines(struct app *app, struct buffer *text)
{
	size_t at = 0, length;
	const char *line;
	for (int number = 1; (line = small_file_line(text, &at, &length)); number++) {
		struct error error = { 0 };
		if (!config_line(app, line, &error))
			add_problem(&app->config, number, &error);
	}
}

bool config_read(struct app *app, const char *path, bool own, struct error *error)
{
	char room[XDG_PATH_MAX];
	if (!path && (!own || !xdg_config(room, "config")))
		return true;
	FILE *file = fopen(path ? path : room, "r");
	if (!file)
		return !path || error_usage(error, "%s: %s", path, strerror(errno));
	AUTO_BUFFER struct buffer text = { 0 };
	struct error failure = { 0 };
	app->config.path = mem_strdup(path ? path : room);
	bool good = small_file_read(&text, file, "configuration", app->config.path, &failure);
	fclose(file);
	if (good)
		configuration_read_lines(app, &text);
	else if (path && error)
		*error = failure;
	else
		add_problem(&app->config, 0, &failure);
	return good || !path;
}

void config_clear(struct config *config)
{
	for (size_t i = 0; i < config->view_count; i++)
		mem_free_all(config->views[i].columns, config->views[i].sort,
			     config->views[i].group);
	for (size_t i = 0; i < config->map_count; i++)
		mem_free_all(config->maps[i].from, config->maps[i].to);
	mem_free_all(config->maps, config->views, config->path, config->theme, config->start);
	buffer_free(&config->problems);
	*config = (struct config){ 0 };
}
