/*
 * Navigation: levels, the jump list and named positions.
 *
 * A level is a scope and the panes opened in it. Drilling down creates a level; going back returns
 * to the level above, with its panes unchanged. Levels are reference-counted, so the jump list and
 * positions keep theirs alive.
 */
#pragma once

#include "table/view.h"

/* One more reference to what only the UI's thread counts those of. */
#define take_hold(shared)                                                                          \
	({                                                                                         \
		__typeof__(shared) held_ = (shared);                                               \
		held_->references++;                                                               \
		held_;                                                                             \
	})

struct pane;
struct picture;
struct pane_subject;
struct tui;

struct level {
	int references;
	struct level *above; /* NULL at the root */
	struct scope scope;
	GROWING(struct pane *, panes, count);
	struct pane *pane;    /* the visible one */
	const struct run *of; /* it was translated to this one; NULL: to none yet */
	char *figures;        /* what is examined, in short; NULL: not known of the run */
};

/* A row in a pane of a level. */
struct place {
	struct level *level; /* NULL: none */
	struct pane *pane;
	uint64_t number; /* of the pane, which may be gone */
	size_t row;      /* as in pane_ops.row */
	struct ref ref;  /* used if the row number has changed */
};

/* A link that was followed, and the place that it led away from. */
struct followed {
	struct view_link link;
	struct place from;
	bool inside; /* the target is in the same pane */
};

enum { JUMPS_MAX = 48, FOLLOWED_MAX = 16 };

struct nav {
	struct level *here;
	struct place jumps[JUMPS_MAX];
	int jump_count, jump_at;                /* at == count: after the last jump */
	struct followed followed[FOLLOWED_MAX]; /* the latest last */
	int followed_count;

	struct place timeline; /* most recent; a new one of the same scope shares its lanes */
};

/* New level below ABOVE (NULL: root) with a copy of SCOPE; the caller holds a reference. */
struct level *level_new(struct level *above, const struct scope *scope);
void level_drop(struct level *level);                   /* NULL is allowed */
void level_add(struct level *level, struct pane *pane); /* takes ownership; becomes visible */

/* The current place with its own reference; release it with place_clear. */
struct place nav_place(struct tui *tui);
void place_clear(struct place *place);
bool place_exists(const struct place *place); /* false if the pane was closed */

void nav_clear(struct nav *nav);
void nav_record(struct tui *tui); /* add the current place to the jump list */

/* A tab: a view or a picture; the other is NULL. */
struct tab {
	char key;                 /* digit, 0: none */
	const char *name, *title; /* NULL: no such tab */
	const char *brief;        /* short title */
	const struct view *view;
	const struct picture *picture;
};

/*
 * Tabs of the run in the order of their digits, 0 last; without name past the end. A profile of
 * functions or stacks alone has tabs for the views with rows.
 */
struct tab nav_tab(const struct tui *tui, int index);
struct tab nav_tab_of(const struct tui *tui, char digit);
struct tab nav_tab_named(const char *name);
/* Sets ERROR: unknown view, with the closest match. Returns false. */
bool nav_unknown(const char *name, struct error *error);

struct pane *nav_new_pane(struct tui *tui, const struct tab *tab);
/* Make PANE of LEVEL visible. */
void nav_show_pane(struct tui *tui, struct level *level, struct pane *pane);
/* Open a tab in the current scope; an existing pane is reused. */
void nav_open(struct tui *tui, const struct tab *tab);
/* The same of a digit; without a tab, one that has no rows only says what is missing. */
void nav_open_digit(struct tui *tui, const struct tab *tab);
void nav_view(struct tui *tui, const struct view *view);
/* Is the shown rank a summary (input/summary_file/summary_file.h)? */
bool nav_shows_summary(const struct tui *tui);
/* Does it have events with times, as far as is known? Totals of Python functions have none. */
bool nav_has_timeline(const struct tui *tui);
/* Drill down from REF, a row of the visible pane; false if there is nothing finer. */
bool nav_drill(struct tui *tui, struct ref ref);
/* Show REF on the timeline or, if it has no time, AT. */
void nav_timeline(struct tui *tui, struct ref ref, const struct location *at);
/* Show row TARGET of VIEW, over the whole of a rank. */
void nav_show(struct tui *tui, const struct view *view, struct ref target, int rank);
/* Show PANE in a new level below, with SCOPE (NULL: the current one). */
void nav_push(struct tui *tui, struct pane *pane, const struct scope *scope);
void nav_push_new(struct tui *tui, const struct pane_subject *subject, const struct scope *scope);
/* Open a copy of PANE in a new level. */
void nav_push_same(struct tui *tui, const struct pane *pane, const struct scope *scope);
bool nav_back(struct tui *tui); /* false at the root */
/* Close PANE, whose table could not be built. */
void nav_abandon(struct tui *tui, struct pane *pane);
void nav_jump(struct tui *tui, int direction);
bool nav_go(struct tui *tui, const struct place *place); /* false if it was closed */
/*
 * The link to follow from FROM: at the target of the one followed last, in the same direction, the
 * next of those from its row. The caller finds the target.
 */
struct view_link nav_follow(const struct nav *nav, struct ref from, bool forward);
/* Remember a link about to be shown, from the current place; INSIDE: in the same pane. */
void nav_followed(struct tui *tui, const struct view_link *link, bool inside);
/* Show the target of a link that was found, in its view, or say why there is none. */
void nav_follow_to(struct tui *tui, const struct view_link *link);
void nav_say_link(struct tui *tui, const struct view_link *link);
/*
 * At the target of the link followed last, return to the very row it came from: if that link led
 * forward; or (nav_return_here) if that row is in the same pane. False: elsewhere.
 */
bool nav_return(struct tui *tui);
bool nav_return_here(struct tui *tui);
void nav_forget_links(struct nav *nav);
