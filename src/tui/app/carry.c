/*
 * Everything where it was, when another run takes the place of the one shown.
 */
#include "base/mem.h"
#include "tui/core/app.h"
#include "tui/plot/plot_pane.h"
#include "tui/core/shared_run.h"
#include "tui/table/table_pane.h"
#include "tui/timeline/timeline_pane.h"
#include "table/carry.h"

struct carried {
	struct level *level;
	bool there; /* it has a counterpart, and so has all above it */
};

struct carrying {
	struct tui *tui;
	const struct run *from;
	struct carried *levels; /* those that were looked at; of their addresses no more is used */
	size_t count, cap;
};

static void replace_in(struct place *places, int count, const struct pane *pane, struct pane *fresh)
{
	for (int i = 0; i < count; i++) {
		if (places[i].pane == pane)
			places[i].pane = fresh;
	}
}

/*
 * A pane that is carried over: of tables the cursor, and texts are what they are.  In place of any
 * other one there is a new one of its kind.
 */
static struct pane *carry_pane(const struct carrying *carrying, struct pane *pane)
{
	struct nav *nav = &carrying->tui->nav;
	const struct run *to = carrying->tui->run;
	struct table_pane *table = table_pane_of(pane);
	struct plot_pane *plot = plot_pane_of(pane);
	struct tab tab = nav_tab_named(pane->ops->name(pane));
	if (table) /* where a link leads that is not there yet */
		table->target =
			carry_ref(carrying->from, to, pane->level->scope.rank, table->target);
	if (table || (!plot && !tab.name))
		return pane;
	struct pane *fresh = plot ? plot_pane_new(plot->kind, plot->wanted) : nav_new_pane(&tab);
	fresh->level = pane->level;
	if (timeline_pane_of(pane))
		timeline_pane_carry(fresh, pane, carrying->from, to);
	replace_in(nav->positions, POSITIONS, pane, fresh);
	replace_in(nav->jumps, nav->jump_count, pane, fresh);
	pane->ops->free(pane);
	return fresh;
}

static bool carry_level(const struct carrying *carrying, struct level *level)
{
	struct scope scope;
	if (!carry_scope(carrying->from, carrying->tui->run, &level->scope, &scope))
		return false;
	scope_clear(&level->scope);
	level->scope = scope;
	for (size_t i = 0; i < level->count; i++) {
		struct pane *before = level->panes[i];
		level->panes[i] = carry_pane(carrying, before);
		if (level->pane == before)
			level->pane = level->panes[i];
	}
	return true;
}

/* Carry LEVEL and what is above it, each once. */
static bool carry_up(struct carrying *carrying, struct level *level)
{
	for (size_t i = 0; i < carrying->count; i++) {
		if (carrying->levels[i].level == level)
			return carrying->levels[i].there;
	}
	bool there =
		(!level->above || carry_up(carrying, level->above)) && carry_level(carrying, level);
	mem_grow(carrying->levels, carrying->cap, carrying->count + 1);
	carrying->levels[carrying->count++] = (struct carried){ level, there };
	return there;
}

/* ---- places ---- */

/* What is at PLACE, in the run that takes the place of the pane's, instead of a row of that. */
static void carry_row(struct carrying *carrying, struct place *place)
{
	const struct run *from = carrying->from;
	struct ref ref = place->ref;
	if (!place_exists(place) || !place->pane->ops->ref)
		return;
	if (ref.kind == REF_NONE) {
		const struct table_pane *table = table_pane_of(place->pane);
		ref = place->pane->ops->ref(place->pane, place->row);
		if (table && table->box)
			from = table->box->shared->run;
	}
	place->ref = carry_ref(from, carrying->tui->run, place->level->scope.rank, ref);
	place->row = SIZE_MAX;
}

static void each_place(struct carrying *carrying,
		       void (*what)(struct carrying *carrying, struct place *place))
{
	struct nav *nav = &carrying->tui->nav;
	for (int i = 0; i < POSITIONS; i++)
		what(carrying, &nav->positions[i]);
	for (int i = 0; i < nav->jump_count; i++)
		what(carrying, &nav->jumps[i]);
}

/* Forgotten when it has no counterpart. */
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

void nav_carry(struct tui *tui, const struct run *from)
{
	struct nav *nav = &tui->nav;
	struct carrying carrying = { .tui = tui, .from = from };
	struct level *kept = nav->here;
	split_clear(&nav->split);
	timeline_box_drop(nav->timeline);
	nav->timeline = NULL;
	nav->follow_count = 0;
	if (place_exists(&tui->search_origin) &&
	    timeline_pane_of(tui->search_origin.pane)) /* a row of the run before */
		tui->search_origin =
			(struct place){ .level = tui->search_origin.level, .row = SIZE_MAX };
	each_place(&carrying, carry_row);
	while (kept && !carry_up(&carrying, kept))
		kept = kept->above;
	each_place(&carrying, carry_place);
	close_ranks(nav);
	mem_free(carrying.levels);
	if (kept) {
		nav_show_pane(tui, kept, kept->pane);
		return;
	}
	nav_clear(nav);
	nav_start(tui);
}
