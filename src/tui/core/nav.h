/*
 * Where the user is, was and can go back to.
 *
 * A level is a scope and the panes opened in it; drilling makes a level below, going back returns
 * to the level above, with its panes as they were left.  References to levels are counted, so the
 * jump list and the named positions keep those they lead to.
 */
#ifndef STRATA_TUI_CORE_NAV_H
#define STRATA_TUI_CORE_NAV_H

#include "model/scope.h"
#include "table/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pane;
struct location;
struct picture;
struct subject;
struct run;
struct tui;
struct view;

struct level {
	int references;
	struct level *above; /* NULL at the root */
	struct scope scope;
	struct pane **panes;
	size_t count, cap;
	struct pane *pane; /* the one shown */
};

/* A row of a pane of a level. */
struct place {
	struct level *level; /* NULL: nowhere */
	struct pane *pane;
	size_t row;     /* as pane_ops.row counts */
	struct ref ref; /* what it is: where the row is another one by now, this is gone to */
};

/* Number NTH of COUNT links from a row; from its target, the same key goes on to the next. */
struct followed {
	struct ref from, target;
	size_t nth, count;
	bool forward;
};

enum { JUMPS_MAX = 48 };

struct nav {
	struct level *here;
	struct place jumps[JUMPS_MAX];
	int jump_count, jump_at;  /* at == count: newer than every jump */
	struct followed followed; /* last */

	struct place timeline; /* the one made last: another one of its scope has its lanes */
};

/* A level below ABOVE (NULL: a root) with a copy of SCOPE; the caller holds the one reference. */
struct level *level_new(struct level *above, const struct scope *scope);
struct level *level_hold(struct level *level);
void level_drop(struct level *level);                   /* NULL is fine */
void level_add(struct level *level, struct pane *pane); /* owns it; it becomes the one shown */

/* Where the user is now, with a reference of its own; place_clear drops it. */
struct place nav_place(struct tui *tui);
void place_clear(struct place *place);
bool place_exists(const struct place *place); /* the pane may have been closed */

void nav_clear(struct nav *nav);
void nav_record(struct tui *tui); /* remember this place in the jump list */

/* What can be opened by its name: a view or a picture, one of the two NULL. */
struct tab {
	char key;                 /* digit of the tab line, 0: none */
	const char *name, *title; /* NULL: there is no such tab */
	const char *brief;        /* the title where there is little room */
	const struct view *view;
	const struct picture *picture;
};

/* Those of the tab line in the order of their digits, 0 last; without a name past the end. */
struct tab nav_tab(int index);
struct tab nav_tab_of(char digit);
struct tab nav_tab_named(const char *name);

struct pane *nav_new_pane(struct tui *tui, const struct tab *tab);
/* Make LEVEL, and in it PANE, what is shown. */
void nav_show_pane(struct tui *tui, struct level *level, struct pane *pane);
/* Show it in the present scope; the pane it had before is shown again when there is one. */
void nav_open(struct tui *tui, const struct tab *tab);
void nav_view(struct tui *tui, const struct view *view);
/* Open what is inside of REF, a row of the pane shown; false when nothing finer is. */
bool nav_drill(struct tui *tui, struct ref ref);
/* Show on the timeline what REF stands for; where it is nowhere in time, what is AT. */
void nav_timeline(struct tui *tui, struct ref ref, const struct location *at);
/* Show the row TARGET of VIEW, over the whole run. */
void nav_show(struct tui *tui, const struct view *view, struct ref target);
/* Show PANE in a new level below, with SCOPE (NULL: the present one). */
void nav_push(struct tui *tui, struct pane *pane, const struct scope *scope);
void nav_push_new(struct tui *tui, const struct subject *subject, const struct scope *scope);
/* Another one of what PANE shows. */
void nav_push_same(struct tui *tui, const struct pane *pane, const struct scope *scope);
/* Go down into a level that lies below, as it is. */
void nav_enter(struct tui *tui, struct level *level);
bool nav_back(struct tui *tui); /* false at the root */
/* Undo the opening of PANE whose table could not be built. */
void nav_abandon(struct tui *tui, struct pane *pane);
void nav_jump(struct tui *tui, int direction);
bool nav_go(struct tui *tui, const struct place *place); /* false when it is gone */
/* Which link to follow where FROM is selected; its target and count are the caller's to find. */
struct followed nav_follow(const struct nav *nav, struct ref from, bool forward);
void nav_followed(struct nav *nav, const struct followed *followed);

#endif
