/*
 * How a query reads a view: which columns it looks up in which order, and whether rows come in the
 * order of ORDER BY or GROUP BY.
 */
#pragma once

#include "sql/view_rows.h"

#include <sqlite3.h>

enum {
	HIDDEN_MAX = 16,
	EQUALS_MAX = 4, /* columns looked up by equality */
	VIEW_PLAN_MAX = 2 * (HIDDEN_MAX + EQUALS_MAX + 2 + ORDER_MAX) + 1,
};

/* A visible column (-1: none) that the scope chooses from, and the hidden one of the scope. */
struct scope_column {
	int visible, hidden;
};
enum { SCOPE_COLUMNS = 2 };

struct view_plan {
	char text[VIEW_PLAN_MAX]; /* for view_plan_run */
	size_t length;
	int arguments;
	double rows; /* estimate */
};

/*
 * Take the values of the hidden columns, those from COLUMNS on. A value of a visible column that
 * the scope chooses from is one of its hidden column. False if they come with another join order
 * only.
 */
bool view_plan_hidden(struct view_plan *plan, sqlite3_index_info *info, int columns,
		      const struct scope_column chosen[SCOPE_COLUMNS]);
/* Then choose the lookups; BUILT may be NULL. */
void view_plan_rows(struct view_plan *plan, sqlite3_index_info *info, int columns,
		    struct built *built);
/* Read all rows in the order of ORDER BY or GROUP BY, if it is one of columns. */
void view_plan_order(struct view_plan *plan, sqlite3_index_info *info, int columns);

/* The hidden column whose value the first argument of a plan is, or -1. */
int view_plan_takes(const char *plan);

/* A text or number; other types, as missing, equal no cell. */
struct value view_plan_value(sqlite3_value *value);

/* Positions in ROWS, or rows themselves where it is NULL. */
struct row_range {
	const uint32_t *rows;
	size_t at, end;
};

/* The rows for the other arguments. False with SOURCE's error when cancelled. */
bool view_plan_run(struct sql_source *source, struct built *built, const char *plan, int argc,
		   sqlite3_value **argv, struct row_range *range);
