/*
 * Search and filter prompts, with incremental search.
 */
#include "tui/app/app.h"

void find_recall(struct app *app)
{
	const struct history *history = &app->histories[PROMPT_SEARCH];
	if (history->count > 0)
		search_set(&app->tui.search, history->lines[history->count - 1], NULL);
}

void find_clear(struct app *app)
{
	search_clear(&app->tui.search);
	search_clear(&app->search_before);
}

/* ---- the filter ---- */

static bool is_table(const struct pane *pane)
{
	return pane_subject(pane).kind == PANE_TABLE;
}

static const char *filter_text(struct app *app)
{
	const struct query query = pane_subject(app_pane(app)).query;
	return query.filter ? query.filter : "";
}

/* Check the expression in "!column:re", without its prefixes. */
static bool filter_valid(const struct pane *pane, const char *text, struct error *error)
{
	const struct table *table = pane->ops->table(pane);
	text += *text == '!';
	const char *colon = strchr(text, ':');
	if (colon && table) {
		AUTO_FREE char *id = mem_strndup(text, (size_t)(colon - text));
		if (table_column(table, id) >= 0)
			text = colon + 1;
	}
	AUTO_PATTERN struct pattern *pattern = pattern_new(text, error);
	return pattern != NULL;
}

bool find_filter(struct app *app, const char *text, struct error *error)
{
	struct pane *pane = app_pane(app);
	if (*text && is_table(pane) && !filter_valid(pane, text, error))
		return false;
	return pane_requery(pane, &app->tui, QUERY_FILTER, text, error);
}

/* ---- the prompt ---- */

void find_prompt_open(struct app *app)
{
	if (app->prompt.kind == PROMPT_FILTER) {
		prompt_insert(&app->prompt, filter_text(app), strlen(filter_text(app)));
		return;
	}
	place_clear(&app->tui.search_origin);
	app->tui.search_origin = nav_place(&app->tui);
	search_clear(&app->search_before);
	app->search_before = app->tui.search;
	app->tui.search = (struct search){ 0 };
}

void find_prompt_changed(struct app *app)
{
	struct error error = { 0 };
	struct pane *pane = app_pane(app);
	const char *text = buffer_text(&app->prompt.line);
	bool good = true;
	if (!pane)
		return;
	if (app->prompt.kind == PROMPT_SEARCH) {
		pane->ops->go(pane, app->tui.search_origin.row);
		good = search_set(&app->tui.search, text, &error);
		if (good && app->tui.search.pattern)
			pane->ops->search(pane, &app->tui, app->tui.search_origin.row, 0);
	} else if (app->prompt.kind == PROMPT_FILTER && is_table(pane)) {
		good = !*text || filter_valid(pane, text, &error);
	}
	if (good)
		return;
	pane->seek = 0; /* cancel the seek of the previous input */
	snprintf(app->prompt.note, sizeof app->prompt.note, "%.199s",
		 *error.brief ? error.brief : error.message);
	app->prompt.note_is_error = true;
}

/* Restore search and row from before the prompt. */
static void restore(struct app *app)
{
	struct pane *pane = app_pane(app);
	search_clear(&app->tui.search);
	app->tui.search = app->search_before;
	app->search_before = (struct search){ 0 };
	if (pane && pane == app->tui.search_origin.pane)
		pane->ops->go(pane, app->tui.search_origin.row);
	app->message[0] = '\0';
}

/* Record the start row in the jump list. */
static void find_keep(struct app *app)
{
	struct pane *pane = app_pane(app);
	size_t row = pane->ops->row(pane);
	bool coming = pane->seek != 0; /* matches of fast typing may still be pending */
	if (pane == app->tui.search_origin.pane && (row != app->tui.search_origin.row || coming)) {
		pane->ops->go(pane, app->tui.search_origin.row);
		nav_record(&app->tui);
		pane->ops->go(pane, row);
	}
	search_clear(&app->search_before);
	if (app->prompt.note[0]) /* the match count shown next to the prompt */
		app_say(app, MESSAGE_INFO, "%s", app->prompt.note);
}

static void search_closed(struct app *app, bool accepted)
{
	const char *text = buffer_text(&app->prompt.line);
	struct error error = { 0 };

	if (!accepted) {
		restore(app);
	} else if (*text && (!app->tui.search.text || strcmp(text, app->tui.search.text) != 0) &&
		   !search_set(&app->tui.search, text, &error)) {
		restore(app);
		tui_say_error(&app->tui, &error);
	} else if (!*text && app->search_before.pattern) {
		/* as in less, an empty line repeats the last search */
		struct pane *pane = app_pane(app);
		search_clear(&app->tui.search);
		app->tui.search = app->search_before;
		app->search_before = (struct search){ 0 };
		if (pane)
			pane->ops->search(pane, &app->tui, 0, 1);
	} else {
		find_keep(app);
	}
	place_clear(&app->tui.search_origin);
}

void find_prompt_closed(struct app *app, bool accepted)
{
	struct error error = { 0 };
	if (app->prompt.kind == PROMPT_SEARCH)
		search_closed(app, accepted);
	else if (app->prompt.kind == PROMPT_FILTER && accepted &&
		 !find_filter(app, buffer_text(&app->prompt.line), &error))
		tui_say_error(&app->tui, &error);
}
