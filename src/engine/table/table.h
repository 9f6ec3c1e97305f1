/*
 * The Table: what every view yields, and all that a pane, a report or SQL needs to know of one.
 *
 * Cells are pulled: table_value(table, row, column).  A view fills cells into the table's own
 * storage (table_set_*), or installs a function that computes them on demand, which is how a view
 * of ten million launches costs nothing until it is looked at.
 */
#ifndef STRATA_TABLE_TABLE_H
#define STRATA_TABLE_TABLE_H

#include "facts/selection.h"
#include "base/pattern.h"
#include "base/progress.h"
#include "model/profile.h"

struct buffer;
struct error;
struct rank;
struct run;
struct table;

enum unit {
	UNIT_TEXT,
	UNIT_COUNT,
	UNIT_NS,
	UNIT_BYTES,
	UNIT_FLOP,
	UNIT_FLOP_PER_S,
	UNIT_BYTES_PER_S,
	UNIT_RATIO,   /* a plain quotient (intensity) */
	UNIT_PERCENT, /* 0-100 */
	UNIT_FLAG,    /* 0 or 1 */
	UNIT_ID,      /* a number that names something: never summed, never scaled */
};

/* What the numbers of a column are to one another. */
enum column_kind {
	COLUMN_AMOUNT, /* each has a share of the whole; rows may lie within one another */
	COLUMN_PARTS,  /* nothing is counted in two rows: they add up */
	COLUMN_SPAN,   /* the same where rows lie apart (struct view) */
	COLUMN_MEAN,   /* a mean or an extreme: large or small, no part of anything */
	COLUMN_POINT,  /* a point in time, a place: no amount */
};

/* What a column says about its row, where code looks for it in any table. */
enum column_role {
	COLUMN_OTHER,
	COLUMN_NAME,
	COLUMN_CATEGORY, /* kind of the row: colors its name too */
	COLUMN_STEP,
	COLUMN_START, /* ns */
	COLUMN_DURATION,
	COLUMN_DEVICE,
	COLUMN_LANE,  /* stream or thread */
	COLUMN_SCALE, /* unit of the numbers in the row's text columns */
};

/* One entry of the column vocabulary (columns.c).  Everything is static. */
struct column {
	const char *id;    /* JSON key, CSV header, SQL name, -c name */
	const char *title; /* head of the pane's column, "GPU TOTAL" */
	enum unit unit;
	int width;              /* default width in terminal columns */
	const char *definition; /* one sentence */
	enum column_kind kind;
	enum column_role role;
	const char *part_of;  /* id of the column that has its shares in trees; NULL: itself */
	const char *quantity; /* what its sum is called in a sentence; NULL: its title */
	int section;   /* rows alike in it form a section: 1 (largest) to SECTION_SIZES; 0: no */
	bool device;   /* of device work: hidden in a table without any */
	bool separate; /* in trees a row's amount is not contained in its parent's: no shares */
	bool colored;  /* its texts name roles of colors */
	bool mixed;    /* holds numbers as well as texts */
};

enum { SECTION_SIZES = 6 };

/* Is it more or less of something, so that a bar can show it? */
bool column_is_amount(const struct column *column);
/* Has each of its numbers a share of their sum? */
bool column_has_shares(const struct column *column);

const struct column *column_find(const char *id);   /* NULL when there is none */
const struct column *column_at(size_t index);       /* NULL past the end */
bool column_is_number(const struct column *column); /* right-aligned, sorts descending first */

enum value_kind { VALUE_MISSING, VALUE_INT, VALUE_REAL, VALUE_TEXT };

struct value {
	enum value_kind kind;
	union {
		int64_t integer;
		double real;
		struct {
			const char *text;
			size_t length;
		}; /* raw bytes, not escaped */
	};
};

static inline struct value value_missing(void)
{
	return (struct value){ .kind = VALUE_MISSING };
}
static inline struct value value_int(int64_t v)
{
	return (struct value){ .kind = VALUE_INT, .integer = v };
}
static inline struct value value_real(double v)
{
	return (struct value){ .kind = VALUE_REAL, .real = v };
}
struct value value_text(const char *text); /* NULL is missing */
struct value value_bytes(const char *text, size_t length);

/* Order of two values of one column: missing first, numbers by size, text by bytes. */
int value_compare(struct value a, struct value b);

/*
 * The cell as people read it, not yet made safe for the terminal: times, bytes and rates scaled by
 * the column's unit, or (RAW) as plain numbers in base units.  A missing value adds nothing.
 */
void value_format(struct buffer *out, const struct column *column, struct value value, bool raw);

/*
 * The same for a cell of a table.  The value of a fact is scaled by the unit that its own row
 * names.
 */
void table_format(struct buffer *out, const struct table *table, size_t row, size_t column,
		  bool raw);

/* What a row stands for, so that one can drill into it, link from it or find it again. */
enum ref_kind {
	REF_NONE,
	REF_STEP,     /* a: index of the step */
	REF_LAYER,    /* a: node of the layer tree */
	REF_OPERATOR, /* a: name; b: shapes or NO_ROW; c: stack or NO_ROW (interned) */
	REF_CALL,     /* a: span row */
	REF_KERNEL,   /* a: kernel name (interned); b: operator name or NO_ROW; c: launch config or
			 NO_ROW */
	REF_LAUNCH,   /* a: activity row */
	REF_LINK,     /* a: forward span; b: backward span */
	REF_TRACK,    /* a: track */
	REF_FACT,     /* a row of overview or info; a: its number; b: view that it leads to, by
			 its place in the registry, or NO_ROW */
	REF_FINDING,  /* a: its number; b, c: what it is about (advice_subject, views.h) */
	REF_RANK,     /* a: rank index */
	REF_TIME,     /* a stretch of time of a device: ref_of_time and what takes it apart */
	REF_MODULE,   /* a: place in the hierarchy, in order of first call;
			 b: name (interned); c: layer node of its first call */
};
struct ref {
	enum ref_kind kind;
	uint32_t a, b, c;
};
bool ref_equal(struct ref a, struct ref b);

/*
 * DUR ns from START (since the start of the profile) on DEVICE, to the microsecond; REF_NONE of
 * what has no room in it: more than three days after the start, longer than an hour, a device above
 * 65,000.
 */
struct ref ref_of_time(int32_t device, int64_t start, int64_t dur);
int64_t ref_start(struct ref ref);
int64_t ref_end(struct ref ref);
int32_t ref_device(struct ref ref);

struct table {
	const struct view *view;
	const char *default_columns; /* of this grouping; NULL: those of the view */
	size_t rows;
	size_t columns;
	const struct column **column; /* the view's columns, in the view's order */
	const char *note; /* why there are no rows, or what to know of them; owned by the arena */
	bool is_tree;     /* rows are in preorder and have a depth */
	bool truncated;   /* the cells cover only part of the profile (cancelled) */

	/* private to table.c and the views */
	struct arena *arena;
	struct value **cells; /* by column; NULL: ask compute */
	struct ref *refs;
	uint32_t *depth;
	uint32_t *kept; /* row numbers behind the rows shown; NULL: all, as they are */
	size_t capacity;
	/* Text that it returns lives as long as the table (the profile's, or the arena's). */
	struct value (*compute)(const struct table *table, size_t row, size_t column);
	struct ref (*compute_ref)(const struct table *table, size_t row); /* NULL: refs */
	uint64_t used; /* bits of the columns in which compute has anything for any row */
	void *state;   /* for compute; lives in the arena or belongs to free_state */
	void (*free_state)(void *state);
	const struct run *run;      /* whose rank the table holds until it is freed… */
	const struct rank *held;    /* …NULL: none */
	struct selection selection; /* see view.h, keeps_selection */
};

void table_free(struct table *table); /* NULL is fine */

struct value table_value(const struct table *table, size_t row, size_t column);
struct ref table_ref(const struct table *table, size_t row);
uint32_t table_depth(const struct table *table, size_t row); /* 0 in flat tables */
/* Index of the column with this id in the table, or -1. */
int table_column(const struct table *table, const char *id);
/* Index of the first column of this role, or -1. */
int table_column_as(const struct table *table, enum column_role role);
/* The row with this reference, or SIZE_MAX. */
size_t table_find(const struct table *table, struct ref ref);
/* Has the table rows, and none of them anything in this column? */
bool table_column_is_empty(const struct table *table, size_t column);
/* The column that names a row: COLUMN_NAME, else the first text column; -1 in an empty table. */
int table_name_column(const struct table *table);

/* ---- order and selection: an array of row numbers over a table, owned by the caller (mem_free)
 * ---- */

struct sort_key {
	int column;
	bool descending;
};

/*
 * Row numbers of TABLE, sorted by KEYS (COUNT of them, stable; missing values last either way).  In
 * a tree, siblings are sorted and subtrees stay whole.  ROWS, *COUNT_ROWS: in, the rows to sort
 * (NULL: all, then *COUNT_ROWS is set); out, a new array.  NULL with ERROR when cancelled.
 */
uint32_t *table_sort(const struct table *table, const struct sort_key *keys, size_t count,
		     const uint32_t *rows, size_t *count_rows, const struct progress *progress,
		     struct error *error);

/*
 * The rows for which PATTERN matches the name column, or (COLUMN >= 0) that column's text as shown.
 * INVERT keeps the others.  In a tree the ancestors of a match stay too.
 */
uint32_t *table_filter(const struct table *table, const struct pattern *pattern, int column,
		       bool invert, const uint32_t *rows, size_t *count_rows,
		       const struct progress *progress, struct error *error);

/* Does any of the columns (COUNT indexes) of this row match, as shown? */
bool table_row_matches(const struct table *table, size_t row, const int *columns, size_t count,
		       const struct pattern *pattern);

/*
 * The indexes into ROWS (COUNT of them; NULL: all rows) of those that table_row_matches with these
 * columns, ascending; *HITS receives how many.  NULL with ERROR when cancelled.
 */
uint32_t *table_matches(const struct table *table, const struct pattern *pattern,
			const int *columns, size_t column_count, const uint32_t *rows, size_t count,
			size_t *hits, const struct progress *progress, struct error *error);

/*
 * Show only these COUNT rows of the table from now on (an array of row numbers, copied).
 */
void table_keep(struct table *table, const uint32_t *rows, size_t count);

/* ---- for views: building ---- */

/* An empty table with the columns of VIEW; of none (NULL) they are added before the first row. */
struct table *table_new(const struct view *view);
void table_add_column(struct table *table, const struct column *column); /* not copied */
size_t table_add_row(struct table *table, struct ref ref);
/* Set a cell. It is a bug to name a column that the view does not list… */
void table_set(struct table *table, size_t row, const char *id, struct value value);
/* …unless views with different columns share the code: then nothing is set. */
void table_set_listed(struct table *table, size_t row, const char *id, struct value value);
void table_set_at(struct table *table, size_t row, size_t column, struct value value);
void table_set_depth(struct table *table, size_t row, uint32_t depth);
/* Copy text into the table so that it lives as long. */
struct value table_copy_text(struct table *table, const char *text, size_t length);
struct value table_printf(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void table_note(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
