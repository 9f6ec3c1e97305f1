/*
 * Tables: the result of every view, and the only interface that panes, reports and SQL need.
 *
 * Cells are read with table_value(table, row, column). A view either stores cells (table_set_*) or
 * installs a function that computes them on demand, so that a view of ten million launches costs
 * nothing until it is displayed.
 */
#pragma once

#include "derived/selection.h"
#include "base/pattern.h"
#include "model/recording.h"

struct table;

enum unit { UNIT_ROWS(LISTED) };

/* "ns", "bytes", "percent": as exported. */
const char *unit_name(enum unit unit);

/* How the numbers of a column relate to each other. */
enum column_kind { COLUMN_KIND_ROWS(LISTED) };

/* Meaning of a column, for code that works with any table. */
enum column_role { COLUMN_ROLE_ROWS(LISTED) };

/* A column definition (columns.txt); all fields are static. */
struct column {
	const char *id;    /* JSON key, CSV header, SQL name, -c name */
	const char *title; /* column heading, "GPU TOTAL" */
	enum unit unit;
	int width;              /* default width in terminal columns */
	const char *definition; /* one sentence */
	enum column_kind kind;
	enum column_role role;
	const char *part_of;  /* column whose total its shares in trees refer to; NULL: itself */
	const char *quantity; /* name of its sum in a sentence; NULL: the title */
	int section;          /* equal values form a section: 1 (largest) to SECTION_SIZES; 0: no */
	bool device;          /* GPU data: hidden in tables without any */
	bool separate;        /* in trees a row's amount is not part of its parent's: no shares */
	bool colored;         /* texts are role names, shown in that color */
	bool mixed;           /* numbers and texts */
	bool estimated;       /* with ~ where bytes_from says so */
	bool change;          /* new minus base: less is better */
	bool prose;           /* sentences: cut at the end */
	bool of_tree;         /* place in the tree, which the explorer draws: not in details */
};

enum { SECTION_SIZES = 6 };

/* True if it can be shown as a bar. */
bool column_is_amount(const struct column *column);
/* True if its numbers have shares of their sum. */
bool column_has_shares(const struct column *column);

const struct column *column_find(const char *id); /* NULL if unknown */
const struct column *column_at(size_t index);     /* NULL past the end */
/* True if it is right-aligned and by default sorted in descending order. */
bool column_is_number(const struct column *column);

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
/* It differs from one part of the row to another: missing, but shown as "several". */
static inline struct value value_several(void)
{
	return (struct value){ .kind = VALUE_MISSING, .integer = 1 };
}
static inline struct value value_int(int64_t v)
{
	return (struct value){ .kind = VALUE_INT, .integer = v };
}
static inline struct value value_real(double v)
{
	return (struct value){ .kind = VALUE_REAL, .real = v };
}
struct value value_text(const char *text); /* missing if NULL */
struct value value_bytes(const char *text, size_t length);

/* A number, else OTHERWISE; is it this text? */
double value_number(struct value value, double otherwise);
bool value_is(struct value value, const char *text);

/* Order of two values of a column: missing first, numbers by size, texts by bytes. */
int value_compare(struct value a, struct value b);

/*
 * Append the formatted value, not yet escaped: scaled by the column's unit, or (RAW) in base units.
 * A missing value appends nothing.
 */
void value_format(struct buffer *out, const struct column *column, struct value value, bool raw);

/* Append a formatted cell. Values of facts use the unit in their row. */
void table_format(struct buffer *out, const struct table *table, size_t row, size_t column,
		  bool raw);

/* What a row stands for: identifies it for drilling down, links and lookup. */
enum ref_kind { REF_KIND_ROWS(_) };
struct ref {
	enum ref_kind kind;
	uint32_t a, b, c;
};
#define NO_REF ((struct ref){ .kind = REF_NONE })
bool ref_equal(struct ref a, struct ref b);

/*
 * DUR ns from START (relative to the profile) on DEVICE, rounded to microseconds. REF_NONE if it
 * cannot be encoded: start after more than three days, longer than an hour, device number above
 * 16,383.
 */
struct ref ref_of_time(int32_t device, int64_t start, int64_t dur);
int64_t ref_start(struct ref ref);
int64_t ref_end(struct ref ref);
int32_t ref_device(struct ref ref);

struct table {
	const struct view *view;
	const char *default_columns; /* of this grouping; NULL: the view's */
	const char *default_sort;    /* likewise */
	size_t rows;
	size_t columns;
	const struct column **column; /* in the view's order */
	const char *note;             /* reason for missing rows, or a remark; owned by the arena */
	const char *comparable;       /* of a comparison: "yes", "weak" or "no"; NULL: not judged */
	const char *reasons;          /* why not "yes", separated by "; "; owned by the arena */
	enum recorded lacks;          /* of a grouping; RECORDED_ALWAYS: what the view needs */
	const char *nested; /* column whose values contain each other, with shares of WHOLE */
	double whole;       /* 0: shares are unknown */
	struct {
		const char *column;
		double sum;
	} stated[2];    /* sums of columns that the source states, which may leave out rows */
	bool is_tree;   /* rows are in preorder, with depths */
	bool truncated; /* incomplete, since cancelled */

	/* private to table.c and the views */
	struct arena *arena;
	struct value **cells; /* by column; NULL: computed on demand */
	struct ref *refs;
	uint32_t *depth;
	uint32_t *kept;                    /* underlying rows of the shown ones; NULL: all */
	struct table_names *_Atomic names; /* table_names.h; NULL: not numbered yet */
	size_t capacity;
	/* Returned text lives as long as the table. */
	struct value (*compute)(const struct table *table, size_t row, size_t column);
	/* NULL, or: fill NUMBERS as table_read does; false for a column that is not read so. */
	bool (*compute_numbers)(const struct table *table, size_t column, const uint32_t *rows,
				size_t count, int64_t *numbers);
	struct ref (*compute_ref)(const struct table *table, size_t row); /* NULL: use refs */
	enum ref_kind kind; /* without refs: rows are of this kind, underlying rows their a */
	uint64_t used;      /* bit set of columns in which compute yields any value; at first all */
	uint64_t blank;     /* bit set of columns without a value: their data was not recorded */
	void *state;        /* for compute; in the arena, or freed by free_state */
	void (*free_state)(void *state);
	const struct run *run;      /* the table holds this run's rank */
	const struct rank *held;    /* until it is freed; NULL: none */
	struct selection selection; /* see view.h, keeps_selection */
};

void table_free(struct table *table); /* NULL is allowed */

#define AUTO_TABLE AUTO(table_free_local) /* base/mem.h */
static inline void table_free_local(struct table **table)
{
	table_free(*table);
}

struct value table_value(const struct table *table, size_t row, size_t column);
/* The underlying rows of COUNT rows from FIRST on, and the cell of one. */
void table_underlying(const struct table *table, size_t first, size_t count, uint32_t *rows);
struct value table_value_of(const struct table *table, size_t row, size_t column);
/*
 * Numbers for the cells of COUNT underlying rows: an integer itself, NO_VALUE of a missing cell,
 * for texts any that tells them apart, for others any. Returns a bit set of the kinds of cells.
 */
unsigned table_read(const struct table *table, size_t column, const uint32_t *rows, size_t count,
		    int64_t *numbers);
struct ref table_ref(const struct table *table, size_t row);
uint32_t table_depth(const struct table *table, size_t row); /* 0 in flat tables */
/* Index of the column in the table, or -1. */
int table_column(const struct table *table, const char *id);
/* Give a column, if the table has it, another unit and, unless NULL, TITLE; both static. */
void table_measure(struct table *table, const char *id, enum unit unit, const char *title);
/*
 * Index of the column that a user means: its id, its title or an unambiguous prefix of either, in
 * any case; or -1.
 */
int table_column_named(const struct table *table, const char *name, size_t length);
/* The id nearest to a mistyped one, for DID_YOU_MEAN; NULL: none is close. */
const char *table_column_near(const struct table *table, const char *id);
/* Of the table, else of its view; "" without one: the order of rows; NULL without one: all. */
const char *table_default_sort(const struct table *table);
const char *table_default_columns(const struct table *table);
/* Index of a column that the table must have, and a cell of it. */
int table_need(const struct table *table, const char *id);
struct value table_cell(const struct table *table, size_t row, const char *id);
/* A number of a cell; NaN if it is missing, or COLUMN is -1. */
double table_amount(const struct table *table, size_t row, int column);
/* What a column with this SUM of its rows has shares of: the stated sum, where that is larger. */
double table_whole(const struct table *table, size_t column, double sum);
/* A cell of a column that may be -1, or not be listed: missing. */
struct value table_value_or_missing(const struct table *table, size_t row, int column);
struct value table_cell_or_missing(const struct table *table, size_t row, const char *id);
/* Index of the first column of this role, or -1. */
int table_column_as(const struct table *table, enum column_role role);
/* The row with this reference, or SIZE_MAX. */
size_t table_find(const struct table *table, struct ref ref);
/*
 * The row with the name of ROW of OTHER, a table with the same columns, or SIZE_MAX. Of several the
 * first with the most of its other texts.
 */
size_t table_find_texts(const struct table *table, const struct table *other, size_t row);
/* True if the table has rows, but none has a value in this column. */
bool table_column_is_empty(const struct table *table, size_t column);
/*
 * The column that names rows: COLUMN_NAME, otherwise the first text column; -1 if there are no
 * columns.
 */
int table_name_column(const struct table *table);

/* ---- sorting and filtering: arrays of row numbers, owned by the caller (mem_free) ---- */

struct sort_key {
	int column;
	bool descending;
	bool missing_first; /* missing values first, as in SQL; otherwise last */
};

/*
 * Row numbers of TABLE sorted stably by COUNT keys, missing values last unless a key says
 * otherwise. In a tree, siblings are sorted and subtrees stay contiguous. ROWS, *COUNT_ROWS: the
 * rows to sort; NULL: all, and *COUNT_ROWS is set. Returns a new array, or NULL with ERROR when
 * cancelled.
 */
uint32_t *table_sort(const struct table *table, const struct sort_key *keys, size_t count,
		     const uint32_t *rows, size_t *count_rows, const struct progress *progress,
		     struct error *error);

/*
 * Rows in which PATTERN matches the name or, if COLUMN >= 0, the displayed text of that column.
 * INVERT keeps the others. In a tree, ancestors of matches are kept, too. NULL with ERROR when
 * cancelled or a match takes too long (ERROR_LIMIT).
 */
uint32_t *table_filter(const struct table *table, const struct pattern *pattern, int column,
		       bool invert, const uint32_t *rows, size_t *count_rows,
		       const struct progress *progress, struct error *error);

/* True if any of the columns (COUNT indexes) matches as displayed. */
bool table_row_matches(const struct table *table, size_t row, const int *columns, size_t count,
		       const struct pattern *pattern);

/*
 * Ascending indexes into ROWS (COUNT of them; NULL: all rows) of the rows that table_row_matches;
 * *HITS is their number. NULL with ERROR when cancelled or a match takes too long (ERROR_LIMIT).
 */
uint32_t *table_matches(const struct table *table, const struct pattern *pattern,
			const int *columns, size_t column_count, const uint32_t *rows, size_t count,
			size_t *hits, const struct progress *progress, struct error *error);

/* Restrict the table to COUNT rows (an array of row numbers, copied). */
void table_keep(struct table *table, const uint32_t *rows, size_t count);

/* ---- for views: building ---- */

/* An empty table with VIEW's columns; NULL: columns are added before the first row. */
struct table *table_new(const struct view *view);
struct table *table_with(const struct column *columns, size_t count); /* of these, without a view */
void table_add_column(struct table *table, const struct column *column); /* not copied */
size_t table_add_row(struct table *table, struct ref ref);
void table_reserve(struct table *table, size_t rows); /* room for as many, before they are added */
/* A row that refers to nothing, with a value in each column. */
void table_add_values(struct table *table, const struct value *values);
/* Append a row whose cells are computed: COMPUTE gets the number UNDERLYING, not the row's. */
static inline void table_add_computed(struct table *table, uint32_t underlying)
{
	*mem_push(table->kept, table->rows) = underlying;
}
/* So every I below COUNT that fulfills CONDITION. False when cancelled. */
#define table_add_where(table, i, count, progress, stage, condition)                               \
	({                                                                                         \
		enum { AT_ONCE = 1024 };                                                           \
		bool ok_ = true;                                                                   \
		for_rows (ok_, i, count, progress, stage) {                                        \
			if (i % AT_ONCE == 0)                                                      \
				mem_grow((table)->kept, (table)->rows + AT_ONCE);                  \
			(table)->kept[(table)->rows] = (uint32_t)i; /* it stays if it fits */      \
			(table)->rows += (condition) ? 1 : 0;                                      \
		}                                                                                  \
		ok_;                                                                               \
	})
/* The zeroed state of SIZE bytes in the table's arena; FREE_STATE frees what it owns, or NULL. */
void *table_new_state(struct table *table, size_t size, void (*free_state)(void *state));
/* For COMPUTE: the cell of a row that COMPUTE_NUMBERS fills, of a column of numbers. */
struct value table_number_at(const struct table *table, size_t row, size_t column);
/* COUNT values in the table's arena. */
struct value *table_values(struct table *table, size_t count);
/* Set a cell; the view must list the column. */
void table_set(struct table *table, size_t row, const char *id, struct value value);
/* Set a cell if the view lists the column, for code shared by views. */
void table_set_listed(struct table *table, size_t row, const char *id, struct value value);
void table_set_at(struct table *table, size_t row, size_t column, struct value value);
void table_set_depth(struct table *table, size_t row, uint32_t depth);
/* Copy text into the table's arena. */
struct value table_copy_text(struct table *table, const char *text, size_t length);
/* The same of a string; missing for NULL. */
struct value table_copy_string(struct table *table, const char *text);
/* The same of a buffer, which is freed. */
struct value table_take_text(struct table *table, struct buffer *text);
struct value table_printf(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void table_note(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The note of a table without rows, static; NULL: none. True, for what builds it. */
bool table_note_none(struct table *table, const char *note);
