/*
 * Searching and filtering at the prompt: the search is shown while it is typed.
 */
#include "base/error.h"
#include "base/mem.h"
#include "tui/core/app.h"
#include "tui/core/pane.h"

#include <stdio.h>
#include <string.h>

static void search_free(struct search *search)
{
	mem_free(search->text);
	pattern_free(search->pattern);
	*search = (struct search){ 0 };
}

static bool search_make(struct tui *tui, const char *text, struct error *error)
{
	static unsigned serial; /* only ever counts up, so that hits cannot be mistaken */
	struct pattern *pattern = *text ? pattern_new(text, error) : NULL;
	if (*text && !pattern)
		return false;
	search_free(&tui->search);
	tui->search.text = mem_strdup(text);
	tui->search.pattern = pattern;
	tui->search.serial = ++serial;
	return true;
}

bool find_set(struct tui *tui, const char *text, struct error *error)
{
	return search_make(tui, text, error);
}

void find_recall(struct tui *tui)
{
	const struct history *history = &tui->histories[PROMPT_SEARCH];
	if (history->count > 0)
		search_make(tui, history->lines[history->count - 1], NULL);
}

void find_clear(struct tui *tui)
{
	search_free(&tui->search);
	search_free(&tui->search_before);
}

/* ---- the filter ---- */

static bool is_table(const struct pane *pane)
{
	return pane_subject(pane).kind == PANE_TABLE;
}

static const char *filter_text(struct tui *tui)
{
	const struct query query = pane_subject(tui_pane(tui)).query;
	return query.filter ? query.filter : "";
}

/* What is left of "!column:re" once its marks are off; they are no part of the expression. */
static bool filter_valid(const struct pane *pane, const char *text, struct error *error)
{
	const struct table *table = pane->ops->table(pane);
	text += *text == '!';
	const char *colon = strchr(text, ':');
	if (colon && table) {
		char *id = mem_strndup(text, (size_t)(colon - text));
		if (table_column(table, id) >= 0)
			text = colon + 1;
		mem_free(id);
	}
	struct pattern *pattern = pattern_new(text, error);
	pattern_free(pattern);
	return pattern != NULL;
}

bool find_filter(struct tui *tui, const char *text, struct error *error)
{
	struct pane *pane = tui_pane(tui);
	if (*text && is_table(pane) && !filter_valid(pane, text, error))
		return false;
	return pane_requery(pane, tui, QUERY_FILTER, text, error);
}

/* ---- the prompt ---- */

void find_prompt_open(struct tui *tui)
{
	if (tui->prompt.kind == PROMPT_FILTER) {
		prompt_insert(&tui->prompt, filter_text(tui), strlen(filter_text(tui)));
		return;
	}
	place_clear(&tui->search_origin);
	tui->search_origin = nav_place(tui);
	search_free(&tui->search_before);
	tui->search_before = tui->search;
	tui->search = (struct search){ 0 };
}

/* There is little room beside what is typed: where and why, without the expression once more. */
static void note_error(struct tui *tui, const struct error *error)
{
	const char *where = strstr(error->message, "wrong at byte ");
	snprintf(tui->prompt.note, sizeof tui->prompt.note, "%.199s",
		 where ? where : error->message);
	tui->prompt.note_is_error = true;
}

void find_prompt_changed(struct tui *tui)
{
	struct error error = { 0 };
	struct pane *pane = tui_pane(tui);
	const char *text = buffer_text(&tui->prompt.line);
	bool good = true;
	if (!pane)
		return;
	if (tui->prompt.kind == PROMPT_SEARCH) {
		pane->ops->go(pane, tui->search_origin.row);
		good = search_make(tui, text, &error);
		if (good && tui->search.pattern)
			pane->ops->search(pane, tui, tui->search_origin.row);
	} else if (tui->prompt.kind == PROMPT_FILTER && is_table(pane)) {
		good = !*text || filter_valid(pane, text, &error);
	}
	if (good)
		return;
	pane->seek = 0; /* what was typed before is no longer wanted */
	note_error(tui, &error);
}

/* Back to the search and the row from before the prompt. */
static void restore(struct tui *tui)
{
	struct pane *pane = tui_pane(tui);
	search_free(&tui->search);
	tui->search = tui->search_before;
	tui->search_before = (struct search){ 0 };
	if (pane && pane == tui->search_origin.pane)
		pane->ops->go(pane, tui->search_origin.row);
	tui->message[0] = '\0';
}

/* The row searched from joins the jump list, so that jump-back returns to it. */
static void keep(struct tui *tui)
{
	struct pane *pane = tui_pane(tui);
	size_t row = pane->ops->row(pane);
	bool coming = pane->seek != 0; /* the hits of what was typed fast */
	if (pane == tui->search_origin.pane && (row != tui->search_origin.row || coming)) {
		pane->ops->go(pane, tui->search_origin.row);
		nav_record(tui);
		pane->ops->go(pane, row);
	}
	search_free(&tui->search_before);
	if (tui->prompt.note[0]) /* which of how many, said beside the prompt until now */
		tui_say(tui, MESSAGE_INFO, "%s", tui->prompt.note);
}

static void search_closed(struct tui *tui, bool accepted)
{
	const char *text = buffer_text(&tui->prompt.line);
	struct error error = { 0 };

	if (!accepted) {
		restore(tui);
	} else if (*text && (!tui->search.text || strcmp(text, tui->search.text) != 0) &&
		   !search_make(tui, text, &error)) {
		restore(tui);
		tui_say_error(tui, &error);
	} else if (!*text && tui->search_before.pattern) {
		/* as in less: an empty line repeats the last search */
		struct pane *pane = tui_pane(tui);
		search_free(&tui->search);
		tui->search = tui->search_before;
		tui->search_before = (struct search){ 0 };
		if (pane)
			pane->ops->act(pane, tui, ACTION_SEARCH_NEXT);
	} else {
		keep(tui);
	}
	place_clear(&tui->search_origin);
}

void find_prompt_closed(struct tui *tui, bool accepted)
{
	struct error error = { 0 };
	if (tui->prompt.kind == PROMPT_SEARCH)
		search_closed(tui, accepted);
	else if (tui->prompt.kind == PROMPT_FILTER && accepted &&
		 !find_filter(tui, buffer_text(&tui->prompt.line), &error))
		tui_say_error(tui, &error);
}
