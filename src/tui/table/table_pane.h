/*
 * The pane that shows a Table: its order, selection, tree, columns and search hits.  Building and
 * ordering are done by the worker (table_job.c); what is here belongs to the UI's thread.
 *
 * Three numberings: a table row is the Table's own; a position counts the rows in the order and
 * after the filter; a line counts what is shown, after collapsed subtrees are left out.
 */
#ifndef STRATA_TUI_TABLE_TABLE_PANE_H
#define STRATA_TUI_TABLE_TABLE_PANE_H

#include "tui/core/tui.h"
#include "tui/core/pane.h"
#include "table/view.h"

void query_copy(struct query *to, const struct query *from);
void query_clear(struct query *query);
bool query_text_equal(const char *a, const char *b); /* either may be NULL */

/* A Table and all that is derived from it, shared by a pane and a job that still reads it. */
struct table_box {
	struct table *table;
	struct shared_run *shared; /* the run it is of, held */
	int references;            /* counted by the UI's thread alone */
};

struct table_box *table_box_hold(struct table_box *box);
void table_box_drop(struct table_box *box); /* NULL is fine */

struct column_sums {    /* of one column of the table, over the rows in order */
	double total;   /* of roots only, in a tree */
	double largest; /* without its sign */
};

/* The rows shown; shared by a pane and the jobs that read it, it does not change. */
struct table_order {
	uint32_t *rows; /* by position */
	size_t count;
	uint32_t *positions; /* by row; NO_ROW: left out.  NULL: all rows, in the table's order */
	struct column_sums *sums; /* by table column */
	int references;           /* counted by the UI's thread alone */
};

struct table_order *table_order_hold(struct table_order *order);
void table_order_drop(struct table_order *order); /* NULL is fine */

struct shown_column {
	int index; /* into the table's columns */
	int width; /* content wants so many terminal columns */
};

enum units { UNITS_VALUE, UNITS_SHARE, UNITS_PARENT, UNITS_RAW, UNITS_COUNT };

struct table_pane {
	struct pane pane;
	const struct view *view; /* NULL: the answer to SQL */
	char *sql;

	struct query applied; /* what the table below shows */
	struct query wanted;  /* what it shall show once the job is done */

	struct table_box *box; /* NULL until it is built, as is the order */
	struct table_order *order;

	char *columns_wanted; /* ids, comma separated; NULL: the view's default */
	struct shown_column *columns;
	int column_count;
	char *pinned;  /* ids of columns that stay at the left, ",id,id,"; NULL: none */
	int scroll;    /* columns left out after those that stay */
	bool scrolled; /* by hand: else the sorted column is kept in sight */
	bool wide;     /* names have all the room they need */
	enum units units;

	uint8_t *expanded; /* by table row; trees only */
	uint32_t *lines;   /* line → position; NULL: the same */
	size_t line_count;
	uint32_t *marked; /* table rows, ascending */
	size_t marked_count, marked_cap;

	size_t cursor, top;          /* lines */
	size_t selected_before;      /* row, before the last filter or order; SIZE_MAX: none */
	bool jumped;                 /* if it is out of sight now, show it in the middle */
	struct rect body;            /* of the last draw */
	int page;                    /* its rows for those of the table */
	int first_row;               /* screen row of line `top` at the last draw */
	int branch_at, branch_width; /* of a tree: where its names begin, and have room */

	uint32_t *hits; /* positions, ascending */
	size_t hit_count;
	unsigned hits_serial; /* of the search they belong to; 0: none */
	double hit_share;     /* of the main column, in percent; NaN: not known */
	const char *hit_share_of;

	struct ref target; /* to be selected when the table is there */
	size_t seek_from;  /* the position that pane.seek begins at */
};

struct pane *table_pane_new(const struct subject *subject);

struct table_pane *table_pane_of(const struct pane *pane); /* which is one */

/* ---- table_pane.c ---- */
bool table_is_tree(const struct table_pane *self); /* shown as one */
size_t table_line_position(const struct table_pane *self, size_t line);
size_t table_line_row(const struct table_pane *self, size_t line);
/* The selected table row, or SIZE_MAX when there is none. */
size_t table_selected(const struct table_pane *self);
/* What it is, in the run of the table. */
struct ref table_selected_ref(const struct table_pane *self);
bool table_is_stale(const struct table_pane *self, const struct tui *tui);
void table_select_line(struct table_pane *self, size_t line);
/* Select the row at a position; in a tree what it lies in is expanded. */
void table_select_position(struct table_pane *self, size_t position);
/* Select a table row, or what comes where it was when it is filtered out. */
void table_select_row(struct table_pane *self, size_t row);
/* The name of the selected row as the table has it (raw bytes). */
struct value table_selected_name(const struct table_pane *self);
bool table_is_marked(const struct table_pane *self, size_t row);
void table_toggle_mark(struct table_pane *self, size_t row);

/* ---- table_query.c: what is asked of it, in words or as data ---- */
/* As what SUBJECT says, or else the view. */
void query_begin(struct table_pane *self, const struct subject *subject);
void table_subject(const struct pane *pane, struct subject *subject);
bool table_requery(struct pane *pane, struct tui *tui, enum query_part part, const char *text,
		   struct error *error);

/* ---- table_write.c: the rows as they are shown, into a file or onto the normal screen ---- */
bool table_write(struct pane *pane, struct tui *tui, const char *path, const char *extension,
		 struct error *error);
void table_print(const struct pane *pane, const struct tui *tui, struct output *output);

/* ---- table_job.c ---- */
enum { TABLE_BUILD = 1, TABLE_ORDER = 2, TABLE_HITS = 4 };
/* Bring the pane to what self->wanted says; STAGES: what must be done again at least. */
void table_request(struct table_pane *self, struct tui *tui, unsigned stages);

/* Is its table neither there nor coming, or of a run that is no longer the explorer's? */
bool table_needs_build(const struct table_pane *self, const struct tui *tui);
/* Is a job under way that finds the hits of the search with this serial? */
bool table_hits_coming(const struct table_pane *self, unsigned serial);

/* ---- table_tree.c ---- */
void tree_reset(struct table_pane *self); /* after a new table: how far it is open at first */
/* The rows that were open in the table BEFORE, with these marks by row, are open again. */
void tree_carry(struct table_pane *self, const struct table_box *before, const uint8_t *expanded);
void tree_update(struct table_pane *self); /* compute the lines anew, the same row selected */
void tree_reveal(struct table_pane *self, size_t position);
bool tree_has_children(const struct table_pane *self, size_t position);
size_t tree_parent(const struct table_pane *self, size_t position); /* SIZE_MAX at the top */
bool tree_act(struct table_pane *self, enum action action);
bool tree_can(const struct table_pane *self, enum action action);

/* ---- table_columns.c ---- */
void columns_reset(struct table_pane *self); /* after a new table */
/* Sets ERROR: no column has this id, but one that is much like it.  Returns false. */
bool columns_unknown(const struct table_pane *self, const char *id, struct error *error);
/* Choose columns: "id,id" or "+id,+id".  False: some id is not the table's. */
bool columns_choose(struct table_pane *self, const char *ids, struct error *error);
void columns_open_chooser(struct table_pane *self, struct tui *tui);
void columns_open_sort_menu(struct table_pane *self, struct tui *tui);
void columns_sort_neighbour(struct table_pane *self, struct tui *tui, int direction);
void columns_sort_by(struct table_pane *self, struct tui *tui, const char *id);
/* The column whose time the bars and shares are of: -1 when there is none. */
/* Is there device work in the table?  True where no column would tell. */
bool columns_have_device_work(const struct table *table, const struct column_sums *sums);
int columns_main(const struct table_pane *self);
/* Does it make sense to add them up, so that nothing is counted twice? */
bool columns_adds_up(const struct table_pane *self, int index);

/* Does this column of the table stay at the left? */
bool columns_is_pinned(const struct table_pane *self, int index);
/* Pin the column sorted by, or let it go. */
void columns_toggle_pin(struct table_pane *self, struct tui *tui);

/* ---- table_jump.c: to rows that stand in some relation to the selected one ---- */
bool jump_act(struct table_pane *self, struct tui *tui, enum action action);
bool jump_can(const struct table_pane *self, enum action action);

/* Are amounts shown as shares?  Of the row above only a tree has them. */
static inline bool table_units_are_shares(const struct table_pane *self)
{
	return self->units == UNITS_SHARE || self->units == UNITS_PARENT;
}

/* ---- table_draw.c ---- */
void table_draw(struct pane *pane, struct tui *tui, struct rect body);
/* Is COLUMN of the screen the sign that folds the tree at the row of LINE, as drawn last? */
bool table_on_sign(const struct table_pane *self, size_t line, int column);
int table_lines(
	const struct pane *pane); /* heads, rows, totals, a note; 0: more than any screen has */
/* table_plan.c: the table column shown at this column of a body of so many, or -1. */
int table_column_at(struct table_pane *self, int columns, int at);
/* A cell as it is shown, units applied; raw text, not yet safe. */
void table_cell_text(const struct table_pane *self, size_t position, int column,
		     struct buffer *out);

/* ---- table_act.c ---- */
bool table_act(struct pane *pane, struct tui *tui, enum action action);
bool table_can(struct pane *pane, struct tui *tui, enum action action);
void table_click(struct pane *pane, struct tui *tui, int row, int column, bool twice);

/* ---- table_find.c ---- */
void table_find_arrived(struct table_pane *self, struct tui *tui);
void table_find_move(struct table_pane *self, struct tui *tui, int direction);
void table_find_from(struct table_pane *self, struct tui *tui, size_t position);

#endif
