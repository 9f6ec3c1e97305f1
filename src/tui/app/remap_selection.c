/*
 * Keeps the user's position when another run replaces the current one.
 */
#include "tui/app/app.h"
#include "table/remap_rows.h"

struct carrying {
	struct app *app;
	const struct run *from;
};

static void replace_in(struct place *places, int count, const struct pane *pane, struct pane *fresh)
{
	for (int i = 0; i < count; i++)
		if (places[i].pane == pane)
			places[i].pane = fresh;
}

/* Translate a pane: returns it, or its replacement. */
static struct pane *carry_pane(const struct carrying *carrying, struct pane *pane)
{
	struct app *app = carrying->app;
	struct pane *fresh =
		pane->ops->carry ? pane->ops->carry(pane, &app->tui, carrying->from) : pane;
	if (fresh == pane)
		return pane;
	fresh->level = pane->level;
	fresh->number = pane->number;
	replace_in(app->bookmarks, BOOKMARKS, pane, fresh);
	replace_in(app->tui.nav.jumps, app->tui.nav.jump_count, pane, fresh);
	if (app->tui.search_origin.pane == pane) /* a row of the previous run */
		app->tui.search_origin =
			(struct place){ .level = app->tui.search_origin.level, .row = SIZE_MAX };
	pane->ops->free(pane);
	return fresh;
}

static bool carry_level(const struct carrying *carrying, struct level *level)
{
	struct scope scope;
	if (!carry_scope(carrying->from, carrying->app->tui.run, &level->scope, &scope))
		return false;
	scope_clear(&level->scope);
	level->scope = scope;
	mem_free(level->figures);
	level->figures = NULL;
	for (size_t i = 0; i < level->count; i++) {
		struct pane *before = level->panes[i];
		level->panes[i] = carry_pane(carrying, before);
		if (level->pane == before)
			level->pane = level->panes[i];
	}
	return true;
}

/* Translate LEVEL and those above it, each once; false: it or one of them has no counterpart. */
static bool carry_up(struct carrying *carrying, struct level *level)
{
	const struct run *to = carrying->app->tui.run;
	if (level->of != to && (!level->above || carry_up(carrying, level->above)) &&
	    carry_level(carrying, level))
		level->of = to;
	return level->of == to;
}

/* ---- places ---- */

/* Translate the row of PLACE to the new run. */
static void carry_row(struct carrying *carrying, struct place *place)
{
	if (!place_exists(place) || !place->pane->ops->ref)
		return;
	place->ref = carry_ref(carrying->from, carrying->app->tui.run, place->level->scope.rank,
			       place->ref);
	place->row = SIZE_MAX;
}

static void each_place(struct carrying *carrying,
		       void (*what)(struct carrying *carrying, struct place *place))
{
	struct nav *nav = &carrying->app->tui.nav;
	for (int i = 0; i < BOOKMARKS; i++)
		what(carrying, &carrying->app->bookmarks[i]);
	for (int i = 0; i < nav->jump_count; i++)
		what(carrying, &nav->jumps[i]);
}

/* Clear it if it has no counterpart. */
static void carry_place(struct carrying *carrying, struct place *place)
{
	if (!place_exists(place) || !carry_up(carrying, place->level))
		place_clear(place);
}

static void close_ranks(struct nav *nav)
{
	int kept = 0, at = 0;
	for (int i = 0; i < nav->jump_count; i++) {
		if (!nav->jumps[i].level)
			continue;
		at += i < nav->jump_at;
		nav->jumps[kept++] = nav->jumps[i];
	}
	nav->jump_count = kept;
	nav->jump_at = at;
}

bool carry_all(struct app *app, const struct run *from)
{
	struct nav *nav = &app->tui.nav;
	struct carrying carrying = { .app = app, .from = from };
	struct level *kept = nav->here;
	split_clear(&app->split);
	place_clear(&nav->timeline);
	nav_forget_links(nav);
	each_place(&carrying, carry_row);
	while (kept && !carry_up(&carrying, kept))
		kept = kept->above;
	each_place(&carrying, carry_place);
	close_ranks(nav);
	if (kept)
		nav_show_pane(&app->tui, kept, kept->pane);
	app->figures_due = true;
	return kept != NULL;
}

/* After what is shown: an overview that is not, for the line of the scope has figures of it. */
void renew_figures(struct app *app)
{
	if (!app->figures_due || worker_busy(app->tui.worker, NULL) || app->loading)
		return;
	app->figures_due = false;
	for (const struct level *level = app->tui.nav.here; level; level = level->above)
		for (size_t i = 0; i < level->count && !level->figures; i++)
			if (level->panes[i]->ops->kind == PANE_DASHBOARD)
				level->panes[i]->ops->shown(level->panes[i], &app->tui);
}
