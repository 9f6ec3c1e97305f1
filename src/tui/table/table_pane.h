/*
 * The table pane: order, selection, tree, columns and search matches. Jobs (table_job.c) build and
 * sort in the worker; everything here runs in the UI thread.
 *
 * Three numberings: a row is a row of the table; a position is an index in the sorted and filtered
 * order; a line is an index of visible positions, excluding collapsed subtrees.
 */
#pragma once

#include "tui/core/tui.h"
#include "tui/core/pane.h"

/* The end of a column's name in "col:re"; NULL: none, as in "aten::mm". */
const char *table_filter_colon(const char *filter);
void query_copy(struct query *to, const struct query *from);
void query_clear(struct query *query);
/* The first of a view's default keys, "gpu_self_ns:desc,cpu_self_ns:desc"; "": none. */
void query_sort_by_default(struct query *query, const char *keys);
bool query_text_equal(const char *a, const char *b); /* either may be NULL */

/* A table and derived data, shared by the pane and jobs still using it. */
struct table_box {
	struct table *table;
	struct shared_run *shared; /* its run, held */
	int references;            /* accessed only by the UI thread */
};

void table_box_drop(struct table_box *box); /* NULL is allowed */

struct column_sums {    /* of a column, over the rows in order */
	double total;   /* in a tree of roots only */
	double largest; /* by absolute value */
	bool tells;     /* some row has a value; of an amount, other than zero */
};

/* The visible rows in order; immutable, shared by the pane and jobs reading it. */
struct table_order {
	uint32_t *rows; /* by position */
	size_t count;
	uint32_t
		*positions; /* by row; NO_ROW: filtered out. NULL: all rows, in the table's order */
	struct column_sums *sums;                             /* by column */
	enum { AMOUNTS_BLANK = 1, AMOUNTS_TELL = 2 } amounts; /* of time or bytes; 0: no column */
	double chart_largest;   /* of the chart (table_chart.h); 0: it has none */
	double *running;        /* by position: sum of the differences so far; NULL */
	double lowest, highest; /* of these sums and 0 */
	int references;         /* counted by the UI's thread alone */
};

void table_order_drop(struct table_order *order); /* NULL is fine */

struct shown_column {
	int index; /* index in the table */
	int width; /* width required by the contents, as drawn so far */
	int own;   /* by sampled contents */
};

enum units { UNITS_VALUE, UNITS_SHARE, UNITS_PARENT, UNITS_RAW, UNITS_COUNT };

struct table_pane {
	struct pane pane;
	const struct view *view; /* NULL: a query result */
	char *sql;

	struct query applied; /* query of the current table */
	struct query wanted;  /* query after the pending job */
	bool alone;           /* no other grouping has rows */

	struct table_box *box; /* NULL until built, as is the order */
	struct table_order *order;

	char *columns_wanted; /* ids, comma-separated; NULL: the view's default */
	struct shown_column *columns;
	int column_count;
	char *pinned;  /* ids of pinned columns, ",id,id,"; NULL: none */
	int scroll;    /* columns scrolled out after the pinned ones */
	bool scrolled; /* by the user; otherwise the sort column is kept visible */
	bool wide;     /* wide NAME column */
	enum units units;
	int slices; /* rows of the chart of shares; 0: as the width allows, -1: no chart */

	uint8_t *expanded; /* by row; trees only */
	uint32_t *lines;   /* line → position; NULL: identity */
	size_t line_count;
	GROWING(uint32_t, marked, marked_count); /* rows, ascending */

	size_t cursor, top;     /* lines */
	size_t selected_before; /* row selected before the last filter or sort; SIZE_MAX: none */
	bool jumped;            /* center the cursor if it is not visible */
	struct rect body;       /* of the last draw */
	int page;               /* visible rows */
	int first_row;          /* screen row of line `top` in the last draw */
	size_t *alike;          /* by line from `top`, of the last draw: a row that reads alike */
	int branch_at, branch_width; /* tree column: start and width */
	bool note_left_out;          /* on the last draw, by rows: the strip has it */
	uint64_t whole;              /* by column: not elided on the last draw (steady_strip) */
	uint64_t here;               /* of those, and of others: not elided in the selected row */
	uint64_t elided;             /* by column: elided in any row since the plan has changed */
	struct strip_places places;  /* of the details of a sample of lines, */
	const struct table_order *places_of; /* of this order, */
	size_t places_lines;                 /* its number of lines then */

	uint32_t *hits; /* positions, ascending */
	size_t hit_count;
	unsigned hits_serial; /* search they belong to; 0: none */
	double hit_share;     /* share of the main column in percent; NaN: unknown */
	const char *hit_share_of;

	struct ref target; /* to be selected once built */
	size_t seek_from;  /* start position of pane.seek */
};

struct pane *table_pane_new(const struct pane_subject *subject);

struct table_pane *table_pane_of(const struct pane *pane); /* PANE must be one */

/* ---- table_pane.c ---- */
bool table_is_tree(const struct table_pane *self); /* displayed as a tree */
size_t table_line_position(const struct table_pane *self, size_t line);
size_t table_line_row(const struct table_pane *self, size_t line);
/* The selected row, or SIZE_MAX. */
size_t table_selected(const struct table_pane *self);
/* Its reference in the table's run. */
struct ref table_selected_ref(const struct table_pane *self);
bool table_is_stale(const struct table_pane *self, const struct tui *tui);
void table_select_line(struct table_pane *self, size_t line);
/* Select the row at a position; in a tree its ancestors are expanded. */
void table_select_position(struct table_pane *self, size_t position);
/* Select a row or, if it is filtered out, its successor. */
void table_select_row(struct table_pane *self, size_t row);
/* Name of the selected row (raw bytes). */
struct value table_selected_name(const struct table_pane *self);
bool table_is_marked(const struct table_pane *self, size_t row);
void table_toggle_mark(struct table_pane *self, size_t row);

/* ---- table_detail.c ---- */
void table_detail(struct pane *pane, struct tui *tui, struct buffer *out);

/* ---- table_query.c: setting the query, as text or data ---- */
/* Initialize from SUBJECT or the view's defaults. */
void query_begin(struct table_pane *self, const struct pane_subject *subject);
void table_subject(const struct pane *pane, struct pane_subject *subject);
bool table_requery(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
		   struct error *error);

/* ---- table_write.c: writing the displayed rows to a file or the normal screen ---- */
bool table_write(struct pane *pane, struct tui *tui, const char *path, const char *extension,
		 struct error *error);
void table_print(const struct pane *pane, const struct tui *tui, struct output *output);

/* ---- table_jump.c: jumps to related rows, found by the worker ---- */
enum jump_kind {
	JUMP_REF,     /* the row that is REF */
	JUMP_LINK,    /* the other end of LINK */
	JUMP_SECTION, /* the next section */
	JUMP_LANE,    /* the next row on the same stream or thread */
};

struct jump {
	enum jump_kind kind;
	int direction;   /* 1: down or later, -1: up or earlier */
	size_t position; /* start */
	struct ref ref;
	struct view_link link;
	bool elsewhere; /* the link's target is in another run than the table */
	size_t row;     /* result; SIZE_MAX: none */
};

/* Worker thread; false if canceled. */
bool jump_find(struct jump *jump, const struct table *table, const struct table_order *order,
	       const struct run *run, const struct scope *scope, const struct progress *progress);
void jump_arrived(struct table_pane *self, struct tui *tui, const struct jump *jump);
void jump_follow(struct table_pane *self, struct tui *tui, bool forward);
bool jump_act(struct table_pane *self, struct tui *tui, enum action action);
bool jump_can(const struct table_pane *self, enum action action);

/* ---- table_job.c ---- */
enum {
	TABLE_BUILD = 1,
	TABLE_ORDER = 2,
	TABLE_HITS = 4,
	TABLE_GO_ON = 8 /* from a grouping without rows to the next, and say so */
};
/* Bring the pane to self->wanted; STAGES: minimum to redo. */
void table_request(struct table_pane *self, struct tui *tui, unsigned stages);

/* Find a row in the worker and go there; resumes the stages it interrupts. */
void table_jump(struct table_pane *self, struct tui *tui, const struct jump *jump);

/* ---- table_tree.c ---- */
void tree_reset(struct table_pane *self); /* after building: initial expansion */
/* Expand the rows that were expanded (marks by row) in the table BEFORE. */
void tree_carry(struct table_pane *self, const struct table_box *before, const uint8_t *expanded);
void tree_update(struct table_pane *self); /* recompute the lines, keeping the selection */
void tree_reveal(struct table_pane *self, size_t position);
bool tree_has_children(const struct table_pane *self, size_t position);
size_t tree_parent(const struct table_pane *self, size_t position); /* SIZE_MAX at the root */
bool tree_act(struct table_pane *self, enum action action);
bool tree_can(const struct table_pane *self, enum action action);

/* ---- table_columns.c ---- */
void columns_reset(struct table_pane *self); /* after building */
/* Sets ERROR: unknown column id, with the closest match. Returns false. */
bool columns_unknown(const struct table_pane *self, const char *id, struct error *error);
/* Select columns: "id,id" or "+id,+id". False: unknown id. */
bool columns_choose(struct table_pane *self, const char *ids, struct error *error);
void columns_open_chooser(struct table_pane *self, struct tui *tui);
void columns_open_sort_menu(struct table_pane *self, struct tui *tui);
void columns_sort_neighbour(struct table_pane *self, struct tui *tui, int direction);
void columns_sort_by(struct table_pane *self, struct tui *tui, const char *id);
/* True if the table has GPU events, or no column to tell. */
bool columns_have_device_work(const struct table *table, const struct column_sums *sums);
/* Column of times for bars and shares, or -1. */
int columns_main(const struct table_pane *self);
/* True if the column's values can be summed without counting twice. */
bool columns_adds_up(const struct table_pane *self, int index);

/* True if the column is pinned. */
bool columns_is_pinned(const struct table_pane *self, int index);
/* Pin or unpin the sort column. */
void columns_toggle_pin(struct table_pane *self, struct tui *tui);

/* Are amounts shown as shares?  Of the row above only a tree has them. */
static inline bool table_units_are_shares(const struct table_pane *self)
{
	return self->units == UNITS_SHARE || self->units == UNITS_PARENT;
}

/* ---- table_draw.c ---- */
void table_draw(struct pane *pane, struct tui *tui, struct rect body);
/* True if COLUMN is the fold sign of LINE in the last draw. */
bool table_on_sign(const struct table_pane *self, size_t line, int column);
/* Columns before the name of a row of a tree, in a column of WIDTH. */
int table_indent(const struct table_pane *self, size_t position, int width);
enum strip_shown table_shows(const struct pane *pane, const char *title, size_t length);
bool table_no_strip(const struct pane *pane);
/* table_plan.c: table column at column AT of a body of COLUMNS, or -1. */
int table_column_at(struct table_pane *self, int columns, int at);
/* Formatted cell with units applied; raw text, not escaped. */
void table_cell_text(const struct table_pane *self, size_t position, int column,
		     struct buffer *out);

/* ---- table_cards.c: rows as cards ---- */
bool cards_shown(const struct table_pane *self);
void cards_draw(struct table_pane *self, struct tui *tui, struct rect body);
/* The line whose card is at this screen row; SIZE_MAX: none. */
size_t cards_line_at(const struct table_pane *self, struct tui *tui, int row);

/* ---- table_act.c ---- */
/* The grouping after GROUP that says something of RANK (NULL: unknown); after the last the first.
 */
const char *table_group_after(const struct view *view, const struct rank *rank, const char *group);
bool table_act(struct pane *pane, struct tui *tui, enum action action);
bool table_can(struct pane *pane, struct tui *tui, enum action action);
const char *table_link(struct pane *pane, struct tui *tui, bool forward);
void table_click(struct pane *pane, struct tui *tui, int row, int column, bool twice);

/* ---- table_find.c ---- */
void table_find_arrived(struct table_pane *self, struct tui *tui);
void table_find_move(struct table_pane *self, struct tui *tui, int direction);
void table_find_from(struct table_pane *self, struct tui *tui, size_t position);
