/*
 * Folds: where a statement groups the rows of one view by columns and counts, sums and compares
 * others, rows that agree in the columns that it reads otherwise are made one here, with their
 * sums. SQLite runs the statement on these, so that results are its own; what it would compute
 * differently is refused, and the statement runs on the view.
 */
#pragma once

#include "base/buffer.h"
#include "sql/view_plan.h"
#include "sql/virtual_tables.h"

enum { FOLD_SUMS_MAX = 24, FOLD_CONDITIONS_MAX = 12 };

enum fold_function { FOLD_COUNT, FOLD_SUM, FOLD_AVG, FOLD_MIN, FOLD_MAX };

struct fold_sum {
	enum fold_function function; /* FOLD_AVG: counts the cells of the sum before */
	int column;                  /* -1: counts rows */
	uint64_t most;               /* of absolute values in all: others would be rounded */
};

/* Of the rows that are folded: which compare so with a number. */
struct fold_condition {
	int column;
	unsigned orders; /* bits: less, equal, more */
	struct value than;
};

struct sql_fold {
	const struct view *view;
	struct table *columns; /* as fold_table makes it */
	struct buffer sql;     /* the statement that SQLite runs instead, on table FOLD_TABLE */
	bool alone;            /* folded rows are the groups: it has none */
	struct sort_key key[ORDER_MAX]; /* of these, where ALONE */
	size_t key_count;
	uint64_t shown; /* bit set of columns that it reads neither in sums nor in WHERE */
	struct fold_sum sum[FOLD_SUMS_MAX];
	size_t sums;
	/* as planned */
	struct view_plan plan;
	struct buffer plan_text; /* as EXPLAIN shows it */
	uint64_t keys;           /* bit set of columns that folded rows agree in */
	struct fold_condition condition[FOLD_CONDITIONS_MAX];
	int conditions;
	struct folding *folding; /* unfinished; NULL */
};

#define FOLD_TABLE "fold of a view"

/* The fold, ALONE or not, that SQL is, which SQLite has accepted; NULL: it is none. */
struct sql_fold *fold_parse(const struct sql_source *source, const char *sql, bool alone);
void fold_free(struct sql_fold *fold);

/* An empty table with the columns of the view, then a column for each sum. */
struct table *fold_table(const struct sql_fold *fold);

/*
 * Plan what is folded, after PLAN, which has taken the hidden columns; the values of conditions are
 * arguments after theirs. False: it is not to be folded.
 */
bool fold_plan(struct sql_fold *fold, struct view_plan *plan, sqlite3_index_info *info);

static inline int view_columns(const struct sql_fold *fold)
{
	return (int)(fold->columns->columns - fold->sums);
}

/*
 * Such a table with the folded ROWS and the columns that it has. Its texts live as long as ROWS.
 * NULL with ERROR: cancelled, or not to be folded (ERROR_USAGE).
 */
struct table *fold_rows(struct sql_fold *fold, const struct table *rows,
			const struct progress *progress, struct error *error);
void fold_stop(struct sql_fold *fold); /* free what is unfinished: memory ran out */
