/*
 * A pane: what fills the body of the screen.  There are tables, the timeline, plots and texts.
 * The program around them knows a pane only by its functions, and by what it shows as data.
 */
#ifndef STRATA_TUI_CORE_PANE_H
#define STRATA_TUI_CORE_PANE_H

#include "table/table.h"
#include "table/view.h"
#include "tui/widget/action.h"
#include "tui/widget/layout.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;
struct job;
struct level;
struct output;
struct plot_group;
struct plot_kind;
struct run;
struct tui;

/* What the user asked of a table. */
struct query {
	const char *group; /* one of the view's, NULL: the default */
	char *sort;        /* id of the column, NULL: the view's own order */
	bool descending;
	char *filter; /* as typed; NULL: none */
	bool flat;    /* a tree shown as a list */
};

enum pane_kind { PANE_TEXT, PANE_TABLE, PANE_TIMELINE, PANE_PLOT, PANE_KINDS };

/* What a pane shows: what it takes to make another one of it.  All texts are borrowed. */
struct subject {
	enum pane_kind kind;

	/* a table */
	const struct view *view; /* NULL: the answer to SQL */
	const char *sql;
	struct query query;
	const char *columns; /* ids, comma separated; NULL: the view's default */
	bool exact;          /* of QUERY and COLUMNS what is NULL is meant so: no defaults */

	/* a plot */
	const struct plot_kind *plot;
	const struct plot_group *plot_group; /* NULL: its first */

	/* what is to be selected in it; of the timeline what that row of a table in SCOPE stands
	 * for, or where it is nowhere in time, what is AT */
	struct ref target;
	const struct scope *scope;
	struct location at;
};

/* What can be asked of a pane in words. */
enum query_part { QUERY_COLUMNS, QUERY_FILTER, QUERY_GROUP, QUERY_LANE, QUERY_SORT };

struct pane {
	const struct pane_ops *ops;
	struct level *level; /* it belongs to */
	struct job *job;     /* the latest of this pane, NULL when none is under way */
	bool beside;         /* in a split without the keys: its job is nobody's concern */
	int seek; /* to the next hit of the search, once known: 1 on, -1 back, 0 not at all */
};

/* Those marked * may be NULL. */
struct pane_ops {
	enum context (*context)(const struct pane *pane);
	/* Name of the view shown, or what else it is ("help"). */
	const char *(*name)(const struct pane *pane);
	/* *Fill SUBJECT, which is zero; without it the pane is a text. */
	void (*subject)(const struct pane *pane, struct subject *subject);
	void (*draw)(struct pane *pane, struct tui *tui, struct rect body);
	/* The pane's own actions.  False: not one of them. */
	bool (*act)(struct pane *pane, struct tui *tui, enum action action);
	bool (*can)(struct pane *pane, struct tui *tui, enum action action);
	/* *Change what is shown; false with ERROR when it has no such part, or not this TEXT. */
	bool (*requery)(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
			struct error *error);
	/* *Name of lane INDEX, NULL past the end. */
	const char *(*lane)(const struct pane *pane, size_t index);
	/* What beside the scope makes the pane what it shows: filter, grouping. */
	void (*state)(struct pane *pane, struct buffer *out);
	/* "0% 7/1465"; pane_position writes it */
	void (*position)(struct pane *pane, struct buffer *out);
	/* *All that is known of the row, as view_detail gives it. */
	void (*detail)(struct pane *pane, struct tui *tui, struct buffer *out);
	/* *Lines of the body that it can fill, 0: any number. */
	int (*lines)(const struct pane *pane);
	/* *The table shown, NULL until it is built; its marked row INDEX, SIZE_MAX past the end. */
	const struct table *(*table)(const struct pane *pane);
	size_t (*marked)(const struct pane *pane, size_t index);
	/*
	 * A number for the selected row that stays right when the order changes (SIZE_MAX: none),
	 * and the way back to it.
	 */
	size_t (*row)(const struct pane *pane);
	void (*go)(struct pane *pane, size_t row);
	void (*go_line)(struct pane *pane, size_t line); /* counted from 0 as shown */
	/*
	 * *What a row (as `row` counts) is in the explorer's run, REF_NONE when nothing that
	 * outlives its run; and the way to that, now or once the pane is built.
	 */
	struct ref (*ref)(const struct pane *pane, const struct tui *tui, size_t row);
	void (*go_ref)(struct pane *pane, struct tui *tui, struct ref ref);
	/*
	 * The search is another one now.  Go to its first hit at or after place ORIGIN (as `row`
	 * counts); later, when the hits are not known yet.
	 */
	void (*search)(struct pane *pane, struct tui *tui, size_t origin);
	/*
	 * *The selected or marked rows as safe text, a line each with tabs between cells; of each
	 * only its name unless WHOLE.  Returns how many.  NULL: what `detail` tells is copied.
	 */
	size_t (*copy)(struct pane *pane, struct tui *tui, bool whole, struct buffer *out);
	/* *Write into a file in the form of its EXTENSION, now or by the worker.  NULL: as copied.
	 */
	bool (*write)(struct pane *pane, struct tui *tui, const char *path, const char *extension,
		      struct error *error);
	/* *Print for the normal screen.  NULL: as copied. */
	void (*print)(const struct pane *pane, const struct tui *tui, struct output *output);
	void (*click)(struct pane *pane, struct tui *tui, int row, int column, bool twice);
	/* *Of the wheel, DIRECTION -1 up, 1 down; NULL: it moves the cursor. */
	void (*wheel)(struct pane *pane, struct tui *tui, int row, int column, int direction);
	/* *Position LETTER is to be set or gone to: does it mean something of the pane's own? */
	bool (*letter)(struct pane *pane, struct tui *tui, enum action action, char letter);
	/* Is there a piece of work that only the pane waits for?  It is being shown again. */
	void (*shown)(struct pane *pane, struct tui *tui);
	/*
	 * *The explorer's run takes the place of FROM: the pane for TO in place of this one, which
	 * may be the same; NULL: it is.  A new one shows the same, once it is built.
	 */
	struct pane *(*carry)(struct pane *pane, struct tui *tui, const struct run *from);
	void (*free)(struct pane *pane);
};

struct subject pane_subject(const struct pane *pane);
/* Change what PANE shows; false with ERROR when it cannot be. */
bool pane_requery(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
		  struct error *error);
/* Returns false, and says of which panes PART can be asked. */
bool pane_refuse(enum query_part part, struct error *error);
struct ref pane_ref(const struct pane *pane, const struct tui *tui); /* of the selected row */

/* Row AT (from 0) of COUNT. */
void pane_position(struct buffer *out, size_t at, size_t count);

#endif
