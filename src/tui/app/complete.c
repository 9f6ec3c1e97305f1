/*
 * Tab completion at the prompts.
 */
#include "base/any_of.h"
#include "session/baselines.h"
#include "session/runs/runs.h"
#include "tui/app/app.h"
#include "picture/picture.h"
#include "picture/plot/plot.h"
#include "tui/term/xdg.h"

#include <ctype.h>

struct completion_word {
	struct completion *completion;
	const char *prefix;
	size_t length;
	struct app *app;
	const char *argument; /* of the command */
	const char *command;  /* that is completed with a word */
	bool loose;           /* no word begins so: those with its letters, in this order */
};

static const char go[] = "go ";

static bool has_letters(const char *text, const char *letters, size_t length)
{
	size_t found = 0;
	for (; *text && found < length; text++)
		found += tolower((unsigned char)*text) == tolower((unsigned char)letters[found]);
	return found == length;
}

static void offer(struct completion_word *word, const char *text)
{
	AUTO_FREE char *line = mem_printf("%s%s", word->command, text);
	if (word->loose ? has_letters(text, word->prefix, word->length)
			: !strncmp(text, word->prefix, word->length))
		completion_add(word->completion, line, strlen(line));
}

/* SQL names of views have '_' for '-'. */
static void offer_reports(struct completion_word *word, bool sql)
{
	for (size_t i = 0; view_or_report_at(i); i++) {
		AUTO_BUFFER struct buffer name = { 0 };
		buffer_puts(&name, view_or_report_at(i)->name);
		for (size_t k = 0; sql && k < name.length; k++)
			if (name.data[k] == '-')
				name.data[k] = '_';
		offer(word, name.data);
	}
}

void offer_views(struct completion_word *word)
{
	offer_reports(word, false);
	for (size_t i = 0; picture_at(i); i++)
		offer(word, picture_at(i)->name);
	for (size_t i = 0; plot_at(i); i++) {
		AUTO_FREE char *name = mem_printf("plot-%s", plot_at(i)->name);
		offer(word, name);
	}
}

/* Some actions have a command of that name, which is more specific. */
static bool is_command(const char *name)
{
	for (size_t i = 0; command_at(i); i++)
		if (!strcmp(command_at(i)->name, name))
			return true;
	return false;
}

void offer_columns(struct completion_word *word)
{
	const struct pane *pane = app_pane(word->app);
	const struct table *table = pane && pane->ops->table ? pane->ops->table(pane) : NULL;
	for (size_t i = 0; table && i < table->columns; i++)
		offer(word, table->column[i]->id);
}

void offer_names(struct completion_word *word)
{
	AUTO_FREE char *part = mem_strndup(word->prefix, word->length);
	palette_offer(word->app, part, word->command, word->completion);
}

static void offer_commands(struct completion_word *word)
{
	if (word->loose) { /* what no command begins with, as a command on columns or names */
		word->command = "sort ";
		offer_columns(word);
		word->command = go;
		offer_names(word);
		word->command = "";
	}
	for (size_t i = 0; command_at(i); i++)
		offer(word, command_at(i)->name);
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT && word->length > 0; i++) {
		const struct action_info *info = action_info((enum action)i);
		if (info->group != GROUP_PROMPT && info->group != GROUP_MENU &&
		    !is_command(info->name))
			offer(word, info->name);
	}
	if (word->length > 0)
		offer_views(word);
}

void offer_groups(struct completion_word *word)
{
	const struct view *view = pane_subject(app_pane(word->app)).view;
	for (int i = 0; view && i < VIEW_GROUPS_MAX && view->groups[i]; i++)
		offer(word, view->groups[i]);
}

void offer_themes(struct completion_word *word)
{
	AUTO_BUFFER struct buffer names = { 0 };
	char *rest;
	theme_names(&names);
	for (char *name = names.length ? strtok_r(names.data, " ", &rest) : NULL; name;
	     name = strtok_r(NULL, " ", &rest))
		offer(word, name);
}

void offer_lanes(struct completion_word *word)
{
	const struct pane *pane = app_pane(word->app);
	const char *name;
	for (size_t i = 0; pane->ops->lane && (name = pane->ops->lane(pane, i)); i++)
		offer(word, name);
}

/* Plots, then the groups of the plot. */
void offer_plots(struct completion_word *word)
{
	for (size_t i = 0; plot_at(i); i++) {
		const struct plot_kind *kind = plot_at(i);
		size_t length = strlen(kind->name);
		offer(word, kind->name);
		if (strncmp(word->argument, kind->name, length) != 0 ||
		    word->argument[length] != ' ')
			continue;
		for (int g = 0; g < PLOT_GROUPS_MAX && kind->groups[g].name; g++)
			offer(word, kind->groups[g].name);
	}
}

void offer_options(struct completion_word *word)
{
	for (size_t i = 0; option_at(i); i++)
		offer(word, option_at(i)->name);
}

/* For :bind and :unbind: contexts, then actions. */
void offer_bindings(struct completion_word *word)
{
	for (int i = 0; i < CONTEXT_COUNT; i++)
		offer(word, context_name((enum context)i));
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
		offer(word, action_info((enum action)i)->name);
}

void offer_baselines(struct completion_word *word)
{
	AUTO(baselines_free) struct baselines baselines = { NULL, 0 };
	struct error error = { 0 };
	char file[XDG_PATH_MAX];
	if (xdg_state(file, "baselines") && baselines_read(&baselines, file, &error))
		for (size_t i = 0; i < baselines.count; i++)
			offer(word, baselines.items[i].name);
}

void offer_runs(struct completion_word *word)
{
	const struct run *run = word->app->tui.run;
	for (size_t i = 1; run && i <= run->runs; i++)
		offer(word, runs_name(run, i));
}

void offer_edits(struct completion_word *word)
{
	for (size_t i = 0; i < WHATIF_KINDS; i++)
		offer(word, whatif_kinds[i].text);
}

/* For :sql: views, then the columns of the table. */
void offer_query(struct completion_word *word)
{
	offer_reports(word, true);
	offer_columns(word);
}

static void offer_arguments(struct completion_word *word, const char *line)
{
	size_t length = strcspn(line, " ");
	word->argument = line + length + 1;
	for (size_t i = 0; command_at(i); i++) {
		const struct command_info *command = command_at(i);
		if (command->words && strlen(command->name) == length &&
		    !strncmp(command->name, line, length))
			command->words(word);
	}
}

/* Views, and columns, of which some have the name of a view. */
static void offer_sql(struct completion_word *word)
{
	offer_reports(word, true);
	for (size_t i = 0; column_at(i) && word->length > 0; i++)
		if (!any_of(w, word->completion->count,
			    !strcmp(word->completion->words[w], column_at(i)->id)))
			offer(word, column_at(i)->id);
}

void complete_line(void *context, const char *line, size_t cursor, struct completion *completion)
{
	struct app *app = context;
	size_t start = cursor;
	while (start > 0 && !strchr(" ,+=:!(;", line[start - 1]))
		start--;
	if (!strncmp(line, go, strlen(go)) && start > strlen(go))
		start = strlen(go); /* names have blanks */
	completion->start = start;
	struct completion_word word = {
		completion, line + start, cursor - start, app, "", "", false
	};
	for (; !completion->count && !(word.loose && !word.length); word.loose = true) {
		if (app->prompt.kind == PROMPT_SQL)
			offer_sql(&word);
		else if (app->prompt.kind != PROMPT_COMMAND)
			offer_columns(&word);
		else if (!memchr(line, ' ', start))
			offer_commands(&word);
		else
			offer_arguments(&word, line);
		if (word.loose)
			break;
	}
}
