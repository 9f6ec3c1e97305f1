/*
 * Selects columns, rows and order of a table for output.
 */
#pragma once

#include "table/view.h"

struct extract {
	const struct table *table;
	int *columns; /* indexes into the table's columns */
	size_t column_count;
	uint32_t *rows;
	size_t row_count;
	size_t left_out;  /* rows cut off by the limit */
	bool limited;     /* a limit was requested */
	const char *sort; /* as requested; NULL: the table's default order */
};

/* Command-line options; NULL, NULL and SIZE_MAX are the defaults. */
struct extract_options {
	const char *columns; /* "id,id", or "+id,+id" in addition to the defaults */
	const char *sort;    /* "id[:asc|desc],..." */
	size_t limit;
	bool all_columns; /* show all columns by default */
};

/*
 * Check the names in OPTIONS against a view's columns before building it. False with ERROR_USAGE.
 */
bool extract_check(const struct view *view, const struct extract_options *options,
		   struct error *error);

/* False with ERROR (unknown name, cancelled). Call extract_clear in either case. */
bool extract_make(struct extract *extract, const struct table *table,
		  const struct extract_options *options, const struct progress *progress,
		  struct error *error);
void extract_clear(struct extract *extract);
