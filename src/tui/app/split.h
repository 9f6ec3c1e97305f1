/*
 * Split view: a table and, beside or below it, the drill-down of its selected row. One of them has
 * the focus. The pair is always a level and the one below it (nav.h); drilling down or going back
 * moves both.
 */
#ifndef STRATA_TUI_APP_SPLIT_H
#define STRATA_TUI_APP_SPLIT_H

#include "tui/widget/layout.h"
#include "table/table.h"

#include <stdbool.h>

struct level;
struct pane;
struct app;

struct screen_split {
	bool maximized; /* the focused pane uses the whole body */
	bool inside;    /* the second pane has the focus */
	struct level
		*below; /* level of the second pane while the first has the focus; NULL: none */
	const struct pane *from; /* it belongs to this pane's */
	struct ref ref;          /* row */
	struct level *last;      /* level at the previous update */
	const struct view *view; /* chosen for the second pane; NULL: what drilling down opens */
	const struct view *of;   /* while the first pane shows this */
};

void split_clear(struct screen_split *split);

/* Split the screen; below rows of the current table the second pane shows VIEW (NULL: as drilled).
 */
void split_choose(struct app *app, const struct view *view);

/* Update before a frame from the user's position and cursor. May start building the second pane. */
void split_update(struct app *app);
/* True if two panes are shown. */
bool split_shown(struct app *app);
/* Divide BODY: side by side if wide, otherwise stacked. False if there is no room for two. */
bool split_divide(struct rect body, struct rect *first, struct rect *second);
/* The panes at these positions; may be NULL. */
struct pane *split_first(struct app *app);
struct pane *split_second(struct app *app);

/* Toggle the focused pane between full and half size. False: not split. */
bool split_maximize(struct app *app);
void split_switch(struct app *app); /* focus the other pane */

#endif
