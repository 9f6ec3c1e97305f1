/*
 * Panes: dashboard, tables, timeline, plots and texts that fill the body of the screen. The rest of
 * the program uses them only through pane_ops and struct subject.
 */
#pragma once

#include "table/view.h"
#include "tui/widget/action.h"
#include "tui/widget/strip.h"

struct job;
struct level;
struct output;
struct plot_group;
struct plot_kind;
struct tui;

/* What the user requested of a table. */
struct query {
	const char *group; /* one of the view's; NULL: default */
	char *argued;      /* GROUP with what follows its "="; GROUP is this one then; NULL */
	char *sort;        /* column id; NULL: the view's default order */
	bool descending;
	bool unchosen; /* the order is the view's: it follows the rows that arrive */
	char *filter;  /* as typed; NULL: none */
	bool flat;     /* show a tree as a list */
};

enum pane_kind { PANE_TEXT, PANE_TABLE, PANE_TIMELINE, PANE_PLOT, PANE_DASHBOARD, PANE_KINDS };

/* Contents of a pane, sufficient to create another one. Texts are borrowed. */
struct pane_subject {
	enum pane_kind kind;

	/* a table */
	const struct view *view; /* NULL: a query result */
	const char *sql;
	struct query query;
	const char *columns; /* ids, comma-separated; NULL: the view's default */
	bool exact;          /* NULL members of QUERY and COLUMNS mean none, not the default */

	/* a plot */
	const struct plot_kind *plot;
	const struct plot_group *plot_group; /* NULL: the first */

	/* selection; for the timeline the event of that table row in SCOPE or, without one, AT */
	struct ref target;
	const struct scope *scope;
	struct location at;
};

/* Parts of a pane that can be set as text. */
enum query_part {
	QUERY_COLUMNS,
	QUERY_FILTER,
	QUERY_GROUP,
	QUERY_LANE,
	QUERY_SHARES,
	QUERY_SHORTEST,
	QUERY_SORT
};

struct pane {
	uint64_t number; /* which no other has, also none that was freed */
	const struct pane_ops *ops;
	const char *name;            /* of the view or other contents ("help") */
	enum context context;        /* of its keys */
	struct level *level;         /* its level */
	struct job *job;             /* most recent job; NULL: none running */
	bool beside;                 /* unfocused in a split: the user does not wait for its job */
	int seek;                    /* direction to the next match once known: 1, -1; 0: none */
	struct strip_places *places; /* of the details of its rows; NULL: not fixed */
};

/* Members marked * may be NULL. */
struct pane_ops {
	enum pane_kind kind;
	enum context context; /* at first */
	/* *Fill SUBJECT, which has the kind alone. */
	void (*subject)(const struct pane *pane, struct pane_subject *subject);
	void (*draw)(struct pane *pane, struct tui *tui, struct rect body);
	/* Perform a pane-specific action; false if it has none. */
	bool (*act)(struct pane *pane, struct tui *tui, enum action action);
	bool (*can)(struct pane *pane, struct tui *tui, enum action action);
	/* *What the selected row's link leads to, "Backward"; NULL: it has none. */
	const char *(*link)(struct pane *pane, struct tui *tui, bool forward);
	/* *Set a part; false with ERROR if unsupported or invalid. */
	bool (*requery)(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
			struct error *error);
	/* *Name of lane INDEX, NULL past the end. */
	const char *(*lane)(const struct pane *pane, size_t index);
	/* *State shown besides the scope: filter, grouping. */
	void (*state)(struct pane *pane, struct buffer *out);
	/* "0% 7/1465", usually by pane_position */
	void (*position)(struct pane *pane, struct buffer *out);
	/* *Full details of the selected row, as view_detail. */
	void (*detail)(struct pane *pane, struct tui *tui, struct buffer *out);
	/* *The selected row shows what column TITLE has; and does the pane need no strip now? */
	enum strip_shown (*shows)(const struct pane *pane, const char *title, size_t length);
	bool (*no_strip)(const struct pane *pane);
	/* *The table, NULL until built; and its marked row INDEX, SIZE_MAX past the end. */
	const struct table *(*table)(const struct pane *pane);
	size_t (*marked)(const struct pane *pane, size_t index);
	/*
	 * Number of the selected row that does not depend on the order (SIZE_MAX: none), and the
	 * reverse.
	 */
	size_t (*row)(const struct pane *pane);
	void (*go)(struct pane *pane, size_t row);
	void (*go_line)(struct pane *pane, size_t line); /* displayed position, from 0 */
	/*
	 * *Reference to a row (as from `row`) in the current run, REF_NONE if not translatable; and
	 * going to it, now or once built.
	 */
	struct ref (*ref)(const struct pane *pane, const struct tui *tui, size_t row);
	void (*go_ref)(struct pane *pane, struct tui *tui, struct ref ref);
	/*
	 * Go to the next match in DIRECTION, or (0) the search changed: to the first one at or
	 * after ORIGIN (as from `row`). Possibly later.
	 */
	void (*search)(struct pane *pane, struct tui *tui, size_t origin, int direction);
	/*
	 * Selected or marked rows as safe text, one a line, cells tab-separated; only names unless
	 * WHOLE. Returns their number.
	 */
	size_t (*copy)(struct pane *pane, struct tui *tui, bool whole, struct buffer *out);
	/* *Write to a file in the format of EXTENSION, now or in the worker. NULL: as copied. */
	bool (*write)(struct pane *pane, struct tui *tui, const char *path, const char *extension,
		      struct error *error);
	/* *Print to the normal screen. NULL: as copied. */
	void (*print)(const struct pane *pane, const struct tui *tui, struct output *output);
	void (*click)(struct pane *pane, struct tui *tui, int row, int column, bool twice);
	/* *The mouse was pressed at column FROM and released at TO. */
	void (*drag)(struct pane *pane, struct tui *tui, int from, int to);
	/* *Mouse wheel, DIRECTION -1 up, 1 down; NULL: moves the cursor. */
	void (*wheel)(struct pane *pane, struct tui *tui, int row, int column, int direction);
	/* *Setting or going to position LETTER: true if the pane handles it itself. */
	bool (*letter)(struct pane *pane, struct tui *tui, enum action action, char letter);
	/* *Called when shown again, to restart pending work. */
	void (*shown)(struct pane *pane, struct tui *tui);
	/*
	 * *The current run replaces FROM: return the pane to use instead of this one, possibly
	 * itself, showing the same contents. NULL: keep it.
	 */
	struct pane *(*carry)(struct pane *pane, struct tui *tui, const struct run *from);
	void (*free)(struct pane *pane);
};

/* A pane of SIZE bytes, which begin with a struct pane; the rest is zero. NAME stays valid. */
void *pane_new(size_t size, const struct pane_ops *ops, const char *name);
struct pane_subject pane_subject(const struct pane *pane);
/* Set PART of PANE; false with ERROR. */
bool pane_requery(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
		  struct error *error);
/* Returns false with an error naming the panes that support PART. */
bool pane_refuse(enum query_part part, struct error *error);
struct ref pane_ref(const struct pane *pane, const struct tui *tui); /* of the selected row */

/* Rows of equal sets have the same entries in the detail strip: events of both kinds, and gaps. */
int pane_strip_set(struct ref ref);

/* Row AT (from 0) of COUNT. */
void pane_position(struct buffer *out, size_t at, size_t count);
