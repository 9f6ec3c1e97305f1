/*
 * What of a Table is to be shown: which columns, which rows, in which order.
 */
#ifndef STRATA_REPORT_EXTRACT_H
#define STRATA_REPORT_EXTRACT_H

#include "table/view.h"

struct extract {
	const struct table *table;
	int *columns; /* indexes into the table's columns */
	size_t column_count;
	uint32_t *rows;
	size_t row_count;
	size_t left_out;  /* rows beyond the limit */
	const char *sort; /* as it was asked for; NULL: the table's own order */
};

/* As the options of the command line have it; NULL, NULL and SIZE_MAX are the defaults. */
struct extract_options {
	const char *columns; /* "id,id" or "+id,+id" on top of the default ones */
	const char *sort;    /* "id[:asc|desc],..." */
	size_t limit;
	bool all_columns; /* the default set is every column */
};

/*
 * Check the names in OPTIONS against the columns of a view before anything is computed.  False with
 * ERROR_USAGE.
 */
bool extract_check(const struct view *view, const struct extract_options *options,
		   struct error *error);

/* False with ERROR (wrong names, cancelled).  The caller calls extract_clear either way. */
bool extract_make(struct extract *extract, const struct table *table,
		  const struct extract_options *options, const struct progress *progress,
		  struct error *error);
void extract_clear(struct extract *extract);

#endif
