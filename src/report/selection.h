/*
 * What of a Table is to be shown: which columns, which rows, in which order.
 */
#ifndef STRATA_REPORT_SELECTION_H
#define STRATA_REPORT_SELECTION_H

#include "view/view.h"

struct selection {
	const struct table *table;
	int *columns;			/* indexes into the table's columns */
	size_t column_count;
	uint32_t *rows;
	size_t row_count;
	size_t left_out;		/* rows beyond the limit */
};

/* As the options of the command line have it; NULL, NULL and SIZE_MAX are the defaults. */
struct selection_options {
	const char *columns;	/* "id,id" or "+id,+id" on top of the default ones */
	const char *sort;	/* "id[:asc|desc],..." */
	size_t limit;
	bool all_columns;	/* the default set is every column */
};

/*
 * Check the names in OPTIONS against the columns of a view before anything is computed.  False with
 * ERROR_USAGE.
 */
bool selection_check(const struct view *view, const struct selection_options *options,
		     struct error *error);

/* False with ERROR (wrong names, cancelled).  The caller calls selection_clear either way. */
bool selection_make(struct selection *selection, const struct table *table,
		    const struct selection_options *options, const struct progress *progress,
		    struct error *error);
void selection_clear(struct selection *selection);

#endif
