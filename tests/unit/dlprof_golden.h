/*
 * Rows of queries over real DLProf databases (golden/dlprof/queries.json), compared with views.
 */
#pragma once

#include "trace_case.h"

#include <sqlite3.h>

enum { GOLDEN_COLUMNS_MAX = 24 };

/* Maps columns of a golden query to columns of a view. */
struct golden_comparison {
	const char *query;
	const struct view *view;
	const char *where;
	size_t extra; /* rows of the view missing from the query */
	struct {
		const char *golden, *view;
	} columns[GOLDEN_COLUMNS_MAX];
};

/*
 * COUNT columns of the rows of QUERY over FILE, filtered by WHERE (NULL: all); the caller
 * finalizes.
 */
sqlite3_stmt *golden_rows(const char *file, const char *query, const char *const *columns,
			  size_t count, const char *where);

/* Does COLUMN of the row hold VALUE, with six digits? */
bool golden_is(sqlite3_stmt *row, int column, struct value value);

/* A view of the whole run; fails the test on error. */
struct table *golden_view(const struct run *run, const struct view *view);

/* Fails the test unless each golden row is a row of its view, and there are no others. */
void golden_compare(const struct golden_comparison *list, size_t count, const struct run *run,
		    const char *file);

void golden_each(void (*check)(const struct run *run, const char *file));

/* Before and after the tests of a program, which is skipped without the golden rows. */
int golden_open(void **state);
int golden_close(void **state);
