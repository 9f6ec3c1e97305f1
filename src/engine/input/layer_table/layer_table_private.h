/*
 * The tables of layers that are known, line by line.
 */
#ifndef STRATA_INPUT_LAYER_TABLE_LAYER_TABLE_PRIVATE_H
#define STRATA_INPUT_LAYER_TABLE_LAYER_TABLE_PRIVATE_H

#include "input/text_lines.h"
#include "model/profile.h"
#include "model/totals.h"

struct layer_layout;

struct layer_table {
	struct profile *profile;
	struct totals *totals;
	const struct layer_layout *layout; /* of the table that the last line was in, or NULL */
	const char *format;                /* of the first row */
	int64_t iterations;                /* that the times are of; NO_VALUE: one */
	bool name_first;                   /* the column of names comes before the numbers */
	size_t numbers;                    /* columns of numbers in a row */
	size_t time_at, calls_at;          /* which of them; calls: numbers when there is none */
	uint32_t delegate;                 /* row whose parts follow; NO_ROW */
	bool skip;                         /* tables that follow are of no inference */
	int64_t left_out;                  /* layers that were not run */
	uint64_t offset;                   /* of the line */
};

struct layer_layout {
	const char *format;
	/* Where the heading begins in LINE, or NULL; take note of its columns unless TABLE is NULL.
	 */
	const char *(*begin)(struct layer_table *table, struct text_slice line);
	/* Take a line after a heading; false: the table ended before it. */
	bool (*row)(struct layer_table *table, struct text_slice line);
};

extern const struct layer_layout trtexec_layout, counters_layout;
extern const struct layer_layout *const layer_layouts[]; /* up to NULL */

#endif
