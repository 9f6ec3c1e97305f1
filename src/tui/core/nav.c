#include "tui/core/nav.h"

#include "base/any_of.h"
#include "base/text.h"
#include "picture/picture.h"
#include "picture/plot/plot.h"
#include "session/load.h"
#include "tui/core/pane.h"
#include "tui/core/tui.h"

/* ---- levels ---- */

struct level *level_new(struct level *above, const struct scope *scope)
{
	struct level *level = mem_zalloc(1, sizeof *level);
	level->references = 1;
	level->above = above ? take_hold(above) : NULL;
	scope_copy(&level->scope, scope);
	return level;
}

void level_drop(struct level *level)
{
	while (level && --level->references == 0) {
		struct level *above = level->above;
		for (size_t i = 0; i < level->count; i++)
			level->panes[i]->ops->free(level->panes[i]);
		mem_free(level->panes);
		mem_free(level->figures);
		scope_clear(&level->scope);
		mem_free(level);
		level = above;
	}
}

void level_add(struct level *level, struct pane *pane)
{
	*mem_push(level->panes, level->count) = pane;
	pane->level = level;
	level->pane = pane;
}

static struct pane *level_find(const struct level *level, const char *name)
{
	for (size_t i = 0; i < level->count; i++) {
		const struct pane *pane = level->panes[i];
		if (!strcmp(pane->name, name))
			return level->panes[i];
	}
	return NULL;
}

/* ---- places ---- */

struct place nav_place(struct tui *tui)
{
	struct level *here = tui->nav.here;
	struct pane *pane = tui_pane(tui);
	if (!pane)
		return (struct place){ 0 };
	return (struct place){ .level = take_hold(here),
			       .pane = pane,
			       .number = pane->number,
			       .row = pane->ops->row(pane),
			       .ref = pane_ref(pane, tui) };
}

CLEAR_MEMBERS(place_clear, struct place, OWN_BY(level_drop, level))

bool place_exists(const struct place *place)
{
	return place->level &&
	       any_of(i, place->level->count, place->level->panes[i]->number == place->number);
}

void nav_show_pane(struct tui *tui, struct level *level, struct pane *pane)
{
	take_hold(level);
	level_drop(tui->nav.here);
	tui->nav.here = level;
	level->pane = pane;
	if (tui->menu.of && tui->menu.of != pane)
		menu_close(&tui->menu);
	if (pane->ops->shown)
		pane->ops->shown(pane, tui);
	tui->dirty = true;
}

bool nav_go(struct tui *tui, const struct place *place)
{
	struct pane *pane = place->pane;
	if (!place_exists(place))
		return false;
	bool moved = place->ref.kind != REF_NONE &&
		     !ref_equal(place->ref, pane->ops->ref(pane, tui, place->row));
	if (moved)
		pane->ops->go_ref(pane, tui, place->ref);
	nav_show_pane(tui, place->level, pane);
	if (!moved)
		pane->ops->go(pane, place->row);
	return true;
}

/* ---- the jump list ---- */

void nav_record(struct tui *tui)
{
	struct nav *nav = &tui->nav;
	struct place place = nav_place(tui);
	if (!place.level)
		return;
	while (nav->jump_count > nav->jump_at)
		place_clear(&nav->jumps[--nav->jump_count]);
	if (nav->jump_count == JUMPS_MAX) {
		place_clear(&nav->jumps[0]);
		memmove(nav->jumps, nav->jumps + 1, (JUMPS_MAX - 1) * sizeof *nav->jumps);
		nav->jump_count--;
	}
	nav->jumps[nav->jump_count++] = place;
	nav->jump_at = nav->jump_count;
}

void nav_jump(struct tui *tui, int direction)
{
	struct nav *nav = &tui->nav;
	int to = nav->jump_at + direction;
	if (to < 0 || to >= nav->jump_count) {
		tui_say(tui, MESSAGE_INFO, "no %s jump", direction < 0 ? "earlier" : "later");
		return;
	}
	if (nav->jump_at == nav->jump_count) {
		/* so that jumping forward returns here */
		nav_record(tui);
		to = nav->jump_count - 2;
	}
	nav->jump_at = to;
	if (!nav_go(tui, &nav->jumps[to]))
		tui_say(tui, MESSAGE_WARNING, "that place no longer exists");
}

/* ---- tabs ---- */

static const char *brief_title(const char *name, const char *title)
{
	static const struct {
		const char *name, *brief;
	} briefs[] = { BRIEF_TITLES };
	for (size_t i = 0; i < sizeof briefs / sizeof briefs[0]; i++)
		if (!strcmp(briefs[i].name, name))
			return briefs[i].brief;
	return title;
}

/* One of the two is NULL. */
static struct tab tab_of(const struct view *view, const struct picture *picture)
{
	const char *name = view ? view->name : picture->name;
	const char *title = view ? view->title : picture->title;
	return (struct tab){ view ? view->key : picture->key, name, title,
			     brief_title(name, title),        view, picture };
}

struct tab nav_tab_of(const struct tui *tui, char digit)
{
	const char *name = digit == '2' ? tui->tabs.second : digit == '3' ? tui->tabs.third : NULL;
	if (name) {
		struct tab tab = nav_tab_named(name);
		tab.key = digit;
		return tab;
	}
	for (size_t i = 0; picture_at(i); i++)
		if (picture_at(i)->key == digit)
			return tab_of(NULL, picture_at(i));
	for (size_t i = 0; view_at(i); i++)
		if (view_at(i)->key == digit)
			return tab_of(view_at(i), NULL);
	return (struct tab){ 0 };
}

struct tab nav_tab(const struct tui *tui, int index)
{
	const char *digits = tui->tabs.digits;
	return index < (int)strlen(digits) ? nav_tab_of(tui, digits[index]) : (struct tab){ 0 };
}

struct tab nav_tab_named(const char *name)
{
	if (picture_find(name))
		return tab_of(NULL, picture_find(name));
	return view_find(name) ? tab_of(view_find(name), NULL) : (struct tab){ 0 };
}

bool nav_unknown(const char *name, struct error *error)
{
	return error_usage(error, "unknown view '%s'%s%s%s", name,
			   DID_YOU_MEAN(view_nearest(name), "'"));
}

struct pane *nav_new_pane(struct tui *tui, const struct tab *tab)
{
	const struct pane_subject subject = { .kind = tab->view ? PANE_TABLE
						      : tab->picture == &picture_dashboard
							      ? PANE_DASHBOARD
							      : PANE_TIMELINE,
					      .view = tab->view };
	return tui->host->make(tui, &subject);
}

void nav_push(struct tui *tui, struct pane *pane, const struct scope *scope)
{
	struct level *level = level_new(tui->nav.here, scope ? scope : &tui->nav.here->scope);
	nav_record(tui);
	level_add(level, pane);
	nav_show_pane(tui, level, pane);
	level_drop(level);
}

void nav_push_new(struct tui *tui, const struct pane_subject *subject, const struct scope *scope)
{
	nav_push(tui, tui->host->make(tui, subject), scope);
}

void nav_push_same(struct tui *tui, const struct pane *pane, const struct scope *scope)
{
	const struct pane_subject subject = pane_subject(pane);
	nav_push_new(tui, &subject, scope);
}

/* Without events of another kind, time has allocated bytes alone; annotations are of a snapshot's.
 */
static bool has_memory_alone(const struct tui *tui)
{
	AUTO_RANK const struct rank *rank = run_peek(tui->run, tui->nav.here->scope.rank);
	const struct profile *profile = rank ? rank->profile : NULL;
	if (!profile || !profile->snapshot || profile->activities || profile->sample_count)
		return profile && profile->memory_count && !nav_has_timeline(tui);
	return !any_of(i, profile->spans, profile->span_kind[i] != SPAN_ANNOTATION);
}

/* Say so if nothing is on a time axis. */
static bool lacks_timeline(struct tui *tui)
{
	if (nav_has_timeline(tui))
		return false;
	tui_say(tui, MESSAGE_INFO, "Timeline: no times of events in the profile.");
	return true;
}

void nav_open(struct tui *tui, const struct tab *tab)
{
	struct level *here = tui->nav.here;
	if (!strcmp(here->pane->name, tab->name))
		return;
	if (tab->picture == &picture_timeline && has_memory_alone(tui)) {
		const struct pane_subject curve = { .kind = PANE_PLOT,
						    .plot = plot_find("memory") };
		if (pane_subject(here->pane).plot != curve.plot)
			nav_push_new(tui, &curve, NULL);
		return;
	}
	if (tab->picture == &picture_timeline && lacks_timeline(tui))
		return;
	/* leave texts, plots and query results on top of the views first */
	while (here->above && !nav_tab_named(here->pane->name).name &&
	       scope_equal(&here->scope, &here->above->scope))
		here = here->above;
	nav_record(tui);
	struct pane *pane = level_find(here, tab->name);
	if (!pane) {
		pane = nav_new_pane(tui, tab);
		level_add(here, pane);
	}
	nav_show_pane(tui, here, pane);
}

static bool is_before(void *time_ns, const char *stage, uint64_t done, uint64_t total,
		      uint64_t rows)
{
	return clock_ns() < *(const int64_t *)time_ns;
}

/* A view that takes longer is built by a worker: it has rows. */
void nav_open_digit(struct tui *tui, const struct tab *tab)
{
	struct error error = { 0 };
	AUTO_TABLE struct table *table = NULL;
	int64_t end = clock_ns() + 10 * 1000 * 1000;
	const struct progress brief = { .update = is_before, .context = &end };
	if (tab->view && !strchr(tui->tabs.digits, tab->key))
		table = view_build(tab->view, tui->run, &tui->nav.here->scope, NULL, &brief,
				   &error);
	if (table && !table->rows)
		tui_say(tui, MESSAGE_INFO, "%s: %s", tab->title, table->note ?: "No rows.");
	else
		nav_open(tui, tab);
}

void nav_view(struct tui *tui, const struct view *view)
{
	nav_open(tui, (struct tab[]){ tab_of(view, NULL) });
}

bool nav_back(struct tui *tui)
{
	struct level *above = tui->nav.here->above;
	if (!above)
		return false;
	nav_show_pane(tui, above, above->pane);
	return true;
}

void nav_abandon(struct tui *tui, struct pane *pane)
{
	struct level *level = pane->level;
	size_t i = 0;
	if (tui->replacing)
		return; /* it is rebuilt */
	if (level->count == 1) {
		/* a level always has a pane, as levels below it and places may lead back to it */
		if (tui->nav.here == level)
			nav_back(tui);
		return;
	}
	while (level->panes[i] != pane)
		i++;
	level->count--;
	memmove(level->panes + i, level->panes + i + 1, (level->count - i) * sizeof *level->panes);
	bool shown = level->pane == pane;
	if (shown)
		level->pane = level->panes[level->count - 1];
	pane->ops->free(pane);
	if (shown && tui->nav.here == level)
		nav_show_pane(tui, level, level->pane);
}

void nav_clear(struct nav *nav)
{
	for (int i = 0; i < nav->jump_count; i++)
		place_clear(&nav->jumps[i]);
	place_clear(&nav->timeline);
	nav_forget_links(nav);
	level_drop(nav->here);
	*nav = (struct nav){ 0 };
}

/* ---- links ---- */

bool nav_shows_summary(const struct tui *tui)
{
	const struct rank *rank = run_rank(tui->run, tui->nav.here->scope.rank);
	return rank && rank->part;
}

bool nav_has_timeline(const struct tui *tui)
{
	AUTO_RANK const struct rank *rank = run_peek(tui->run, tui->nav.here->scope.rank);
	const struct profile *profile = rank ? rank->profile : NULL;
	return !profile || profile->tables || profile_has_times(profile);
}

bool nav_drill(struct tui *tui, struct ref ref)
{
	struct pane_subject inside = { .kind = PANE_TABLE };
	AUTO(scope_clear) struct scope scope = { 0 };
	if (!view_drill(tui->run, ref, &tui->nav.here->scope, &inside.view, &scope))
		return false;
	if (inside.view == view_find("overview")) /* of a rank: in pictures; t shows the facts */
		inside = (struct pane_subject){ .kind = PANE_DASHBOARD };
	nav_push_new(tui, &inside, &scope);
	return true;
}

static void show_in_rank(struct tui *tui, const struct pane_subject *subject, int rank)
{
	struct scope scope;
	scope_init(&scope); /* without texts to free */
	scope.rank = rank;
	nav_push_new(tui, subject, &scope);
}

void nav_timeline(struct tui *tui, struct ref ref, const struct location *at)
{
	const struct scope *here = &tui->nav.here->scope;
	if (lacks_timeline(tui))
		return;
	show_in_rank(tui,
		     &(struct pane_subject){
			     .kind = PANE_TIMELINE, .target = ref, .scope = here, .at = *at },
		     ref.kind == REF_RANK ? (int)ref.a : here->rank);
}

void nav_show(struct tui *tui, const struct view *view, struct ref target, int rank)
{
	show_in_rank(tui,
		     &(struct pane_subject){ .kind = PANE_TABLE, .view = view, .target = target },
		     rank);
}

static struct followed *last_followed(const struct nav *nav)
{
	return nav->followed_count ? (struct followed *)&nav->followed[nav->followed_count - 1]
				   : NULL;
}

struct view_link nav_follow(const struct nav *nav, struct ref from, bool forward)
{
	struct view_link next = { .from = from, .forward = forward };
	const struct followed *last = last_followed(nav);
	if (last && forward == last->link.forward && last->link.count > 1 &&
	    ref_equal(from, last->link.target)) {
		next.from = last->link.from;
		next.in = last->link.in;
		next.nth = last->link.nth + 1;
	}
	return next;
}

void nav_forget_links(struct nav *nav)
{
	while (nav->followed_count)
		place_clear(&nav->followed[--nav->followed_count].from);
}

void nav_followed(struct tui *tui, const struct view_link *link, bool inside)
{
	struct nav *nav = &tui->nav;
	struct followed *last = last_followed(nav);
	if (last && link->nth && ref_equal(link->from, last->link.from)) {
		last->link = *link; /* the next from the same row */
		last->inside = last->from.pane == tui_pane(tui) && inside;
		return;
	}
	if (nav->followed_count == FOLLOWED_MAX) {
		place_clear(&nav->followed[0].from);
		memmove(nav->followed, nav->followed + 1,
			(FOLLOWED_MAX - 1) * sizeof *nav->followed);
		nav->followed_count--;
	}
	nav->followed[nav->followed_count++] = (struct followed){ *link, nav_place(tui), inside };
}

void nav_say_link(struct tui *tui, const struct view_link *link)
{
	if (!link->count)
		tui_say(tui, MESSAGE_WARNING, "%s", link->why ? link->why : "no link on this row");
	else if (link->count > 1)
		tui_say(tui, MESSAGE_INFO, "%s; link %zu of %zu (again: next)", link->what,
			link->nth + 1, link->count);
	else
		tui_say(tui, MESSAGE_INFO, "%s", link->what);
}

void nav_follow_to(struct tui *tui, const struct view_link *link)
{
	if (link->count) {
		nav_followed(tui, link, false);
		nav_show(tui, link->view, link->target, link->rank);
	}
	nav_say_link(tui, link);
}

static bool at_target(struct tui *tui, const struct followed *last)
{
	return last && tui_pane(tui) && last->inside == (last->from.pane == tui_pane(tui)) &&
	       ref_equal(pane_ref(tui_pane(tui), tui), last->link.target);
}

static bool return_from(struct tui *tui, const struct followed *last)
{
	AUTO(place_clear) struct place from = last->from;
	take_hold(from.level);
	place_clear(&tui->nav.followed[--tui->nav.followed_count].from);
	nav_record(tui);
	return nav_go(tui, &from);
}

bool nav_return(struct tui *tui)
{
	const struct followed *last = last_followed(&tui->nav);
	return at_target(tui, last) && last->link.forward && return_from(tui, last);
}

bool nav_return_here(struct tui *tui)
{
	const struct followed *last = last_followed(&tui->nav);
	return at_target(tui, last) && last->inside && return_from(tui, last);
}
