/*
 * Two panes at once: a table and, beside or below it, what is inside of the row its cursor is on.
 * One of the two has the keys; going deeper or back moves them along the levels (nav.h), so that
 * the pair is always a level and the one below it.
 */
#ifndef STRATA_TUI_APP_SPLIT_H
#define STRATA_TUI_APP_SPLIT_H

#include "tui/widget/layout.h"
#include "table/table.h"

#include <stdbool.h>

struct level;
struct pane;
struct app;

struct split {
	bool maximized;          /* the pane with the keys has the screen alone */
	bool inside;             /* the keys are the second pane's */
	struct level *below;     /* of the second pane while the first has the keys; NULL: none */
	const struct pane *from; /* it is of this pane's… */
	struct ref ref;          /* …row */
	struct level *last;      /* where the user was when this was looked at before */
};

void split_clear(struct split *split);

/* Before a frame: follow the user and the cursor.  May begin to build the second pane. */
void split_update(struct app *app);
/* Are there two panes to be shown? */
bool split_shown(struct app *app);
/*
 * Divide BODY: FIRST and SECOND side by side where it is wide, else above one another.  False when
 * there is no room for two.
 */
bool split_divide(struct rect body, struct rect *first, struct rect *second);
/* The panes in these places; either may be NULL. */
struct pane *split_first(struct app *app);
struct pane *split_second(struct app *app);

/* Give the pane with the keys all of the screen, or half of it again.  False: nothing to split. */
bool split_maximize(struct app *app);
void split_switch(struct app *app); /* give the keys to the other pane */

#endif
