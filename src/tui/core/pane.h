/*
 * A pane: what fills the body of the screen.  There are tables, texts and the timeline.
 */
#ifndef STRATA_TUI_CORE_PANE_H
#define STRATA_TUI_CORE_PANE_H

#include "tui/widget/action.h"
#include "tui/widget/layout.h"
#include "table/table.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct level;
struct tui;

struct pane {
	const struct pane_ops *ops;
	struct level *level; /* it belongs to */
};

struct pane_ops {
	enum context (*context)(const struct pane *pane);
	/* Name of the view shown, or what else it is ("help"). */
	const char *(*name)(const struct pane *pane);
	void (*draw)(struct pane *pane, struct tui *tui, struct rect body);
	/* The pane's own actions.  False: not one of them. */
	bool (*act)(struct pane *pane, struct tui *tui, enum action action);
	bool (*can)(struct pane *pane, struct tui *tui, enum action action);
	/* What beside the scope makes the pane what it shows: filter, grouping. */
	void (*state)(struct pane *pane, struct buffer *out);
	/* "0% 7/1465"; pane_position writes it */
	void (*position)(struct pane *pane, struct buffer *out);
	/* All that is known of the row, as view_detail gives it; NULL: nothing ever. */
	void (*detail)(struct pane *pane, struct tui *tui, struct buffer *out);
	/* Lines of the body that it can fill, 0: any number.  NULL: any number. */
	int (*lines)(const struct pane *pane);
	/*
	 * A number for the selected row that stays right when the order changes, and the way back
	 * to it.
	 */
	size_t (*row)(const struct pane *pane);
	void (*go)(struct pane *pane, size_t row);
	void (*go_line)(struct pane *pane, size_t line); /* counted from 0 as shown */
	/*
	 * What a row (as `row` counts) is, REF_NONE when nothing that outlives its run; and the way
	 * to that, now or once the pane is built.  NULL: the pane has no such rows.
	 */
	struct ref (*ref)(const struct pane *pane, size_t row);
	void (*go_ref)(struct pane *pane, struct tui *tui, struct ref ref);
	/*
	 * The search is another one now.  Go to its first hit at or after place ORIGIN (as `row`
	 * counts); later, when the hits are not known yet.
	 */
	void (*search)(struct pane *pane, struct tui *tui, size_t origin);
	/*
	 * The selected or marked rows as safe text, a line each with tabs between cells; of each
	 * only its name unless WHOLE.  Returns how many.  NULL: what `detail` tells is copied.
	 */
	size_t (*copy)(struct pane *pane, struct tui *tui, bool whole, struct buffer *out);
	void (*click)(struct pane *pane, struct tui *tui, int row, int column, bool twice);
	/* Of the wheel, DIRECTION -1 up, 1 down; NULL: it moves the cursor. */
	void (*wheel)(struct pane *pane, struct tui *tui, int row, int column, int direction);
	/* Position LETTER is to be set or gone to: does it mean something of the pane's own?  NULL:
	 * none. */
	bool (*letter)(struct pane *pane, struct tui *tui, enum action action, char letter);
	/* Is there a piece of work that only the pane waits for?  It is being shown again. */
	void (*shown)(struct pane *pane, struct tui *tui);
	void (*free)(struct pane *pane);
};

/* Row AT (from 0) of COUNT. */
void pane_position(struct buffer *out, size_t at, size_t count);

#endif
