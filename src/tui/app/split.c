#include "tui/app/app.h"

enum { BESIDE_FROM = 120, PANE_ROWS = 5 };

void split_clear(struct screen_split *split)
{
	level_drop(split->below);
	level_drop(split->last);
	*split = (struct screen_split){ .percent = split->percent };
}

/* Only tables have rows to drill into. */
static struct pane *table_of(const struct level *level)
{
	return level && pane_subject(level->pane).view ? level->pane : NULL;
}

/* Going deeper leads to the second pane; going back or elsewhere to the first. */
static void follow_user(struct app *app)
{
	struct screen_split *split = &app->split;
	struct level *here = app->tui.nav.here;
	if (here == split->last)
		return;
	split->inside = split->last && here->above == split->last;
	take_hold(here);
	level_drop(split->last);
	split->last = here;
}

static void forget_below(struct screen_split *split)
{
	level_drop(split->below);
	split->below = NULL;
	split->from = NULL;
}

static const struct view *view_of(const struct level *level)
{
	const struct pane *table = table_of(level);
	return table ? pane_subject(table).view : NULL;
}

void split_choose(struct app *app, const struct view *view)
{
	struct screen_split *split = &app->split;
	const struct level *here = app->tui.nav.here;
	app->tui.settings.split = true;
	split->maximized = false;
	split->view = view;
	split->of = view_of(split->inside ? here->above : here);
	if (!split->inside)
		forget_below(split);
}

/* The second pane is left: the next row opens in the view that the user opened for this one. */
static void keep_view(struct app *app, const struct level *second)
{
	struct screen_split *split = &app->split;
	const struct pane *first = table_of(second->above);
	const struct view *view = view_of(second), *drilled = NULL;
	AUTO(scope_clear) struct scope scope = { 0 };
	if (!first || !view)
		return;
	view_drill(app->tui.run, pane_ref(first, &app->tui), &second->above->scope, &drilled,
		   &scope);
	split->view = view == drilled ? NULL : view;
	split->of = view_of(second->above);
}

/* Open the drill-down of the row, if there is any. */
static void open_below(struct app *app, const struct pane *table, struct ref ref)
{
	struct screen_split *split = &app->split;
	struct level *here = app->tui.nav.here;
	const struct view *next;
	AUTO(scope_clear) struct scope scope = { 0 };
	forget_below(split);
	split->from = table;
	split->ref = ref;
	if (ref.kind == REF_NONE || !view_drill(app->tui.run, ref, &here->scope, &next, &scope))
		return;
	if (split->view && split->of == view_of(here))
		next = split->view;
	struct pane *pane = app->tui.host->make(
		&app->tui, &(struct pane_subject){ .kind = PANE_TABLE, .view = next });
	split->below = level_new(here, &scope);
	level_add(split->below, pane);
	pane->beside = true;
	pane->ops->shown(pane, &app->tui);
}

/* True if the second pane is up to date, or cannot be requested yet. */
static bool is_current(struct app *app, const struct pane *table, struct ref ref)
{
	const struct screen_split *split = &app->split;
	const struct pane *second = table_of(split->below);
	if (split->from == table && ref_equal(split->ref, ref))
		return true;
	/* do not cancel work that the user waits for */
	return worker_busy(app->tui.worker, NULL) && !(second && second->job);
}

void split_update(struct app *app)
{
	if (!app->tui.nav.here || !app->tui.run)
		return;
	follow_user(app);
	struct screen_split *split = &app->split;
	const struct pane *table = table_of(app->tui.nav.here);
	if (!app->tui.settings.split || split->maximized || split->inside || !table ||
	    !table->ops->table(table) || load_is_awaited(app))
		return;
	/* cancelled by the first pane's work: retry afterwards; cancelled by the user: do not */
	if (table->job && split->below && !split->below->pane)
		forget_below(split);
	if (table->job)
		return;
	struct ref ref = pane_ref(table, &app->tui);
	if (!is_current(app, table, ref))
		open_below(app, table, ref);
}

bool split_shown(struct app *app)
{
	const struct screen_split *split = &app->split;
	const struct level *here = app->tui.nav.here;
	return app->tui.settings.split && !split->maximized && here && table_of(here) &&
	       (!split->inside || table_of(here->above));
}

bool split_divide(struct app *app, struct rect body, struct rect *first, struct rect *second)
{
	int percent = app->split.percent ?: 50;
	app->split.body = *first = *second = body;
	if (body.columns >= BESIDE_FROM) {
		first->columns = body.columns * percent / 100;
		second->column += first->columns + 1;
		second->columns -= first->columns + 1;
		return body.rows >= PANE_ROWS;
	}
	first->rows = body.rows * percent / 100;
	second->row += first->rows + 1;
	second->rows -= first->rows + 1;
	return body.rows - body.rows / 2 > PANE_ROWS;
}

bool split_drag(struct app *app, const struct mouse_event *begin, const struct mouse_event *end)
{
	enum { LEAST = 20 };
	struct rect body = app->split.body, first, second;
	if (!split_shown(app) || !split_divide(app, body, &first, &second))
		return false;
	bool beside = first.rows == body.rows;
	int percent = beside ? (end->column - body.column) * 100 / body.columns
			     : (end->row - body.row) * 100 / body.rows;
	if (beside ? begin->column != second.column - 1 : begin->row != second.row - 1)
		return false;
	app->split.percent = percent < LEAST         ? LEAST
			     : percent > 100 - LEAST ? 100 - LEAST
						     : percent;
	app->tui.dirty = true;
	return true;
}

struct pane *split_first(struct app *app)
{
	struct level *here = app->tui.nav.here;
	return app->split.inside ? here->above->pane : here->pane;
}

struct pane *split_second(struct app *app)
{
	const struct screen_split *split = &app->split;
	if (split->inside)
		return app->tui.nav.here->pane;
	return split->below ? split->below->pane : NULL;
}

bool split_maximize(struct app *app)
{
	const struct pane *pane = app_pane(app);
	if (!app->tui.settings.split || !pane->ops->table || !pane->ops->table(pane))
		return false;
	app->split.maximized ^= true;
	return true;
}

void split_switch(struct app *app)
{
	struct screen_split *split = &app->split;
	if (!split->inside) {
		if (!split->below || !split->below->pane) {
			app_say(app, MESSAGE_INFO, "nothing to drill into");
			return;
		}
		nav_record(&app->tui);
		nav_show_pane(&app->tui, split->below, split->below->pane);
		return;
	}
	/* the second pane stays: it still belongs to that row */
	keep_view(app, app->tui.nav.here);
	struct level *left = take_hold(app->tui.nav.here);
	nav_back(&app->tui);
	forget_below(split);
	split->below = left;
	split->from = app->tui.nav.here->pane;
	split->ref = pane_ref(split->from, &app->tui);
}
