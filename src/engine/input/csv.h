/*
 * Comma-separated values with a header line; quoted fields may contain commas, quotes and newlines.
 */
#pragma once

#include "base/progress.h"

/*
 * The columns that a format reads, each once: #define COLUMNS(_) _(START, "Start|Begin") …, with
 * alternative names separated by '|', give their enum and their names.
 */
#define CSV_COLUMN(column, names) column,
#define CSV_NAMES(column, names) names,

struct csv {
	char *text, *at, *end; /* the text is changed while it is read */
	char **fields;         /* of the current row, without quotes and surrounding blanks */
	size_t count;
	char **header; /* of the first row */
	size_t header_count;
	size_t *places; /* of the selected columns in the header; header_count: missing */
	const char *stage;
	const struct progress *progress;
	uint64_t rows;
	bool cancelled;
};

/* Start reading LENGTH bytes at TEXT, followed by a NUL; takes the header. STAGE names the rows. */
struct csv csv_open(char *text, size_t length, const char *stage, const struct progress *progress);
/* False when cancelled. */
bool csv_close(struct csv *csv);

/* The next row; false at the end or when cancelled. */
bool csv_next(struct csv *csv);

/* Find COUNT columns by their names. */
void csv_select(struct csv *csv, const char *const *names, size_t count);
bool csv_has(const struct csv *csv, size_t selected);
/* The field of a selected column, and of one of the header; "" where the row has none. */
const char *csv_cell(const struct csv *csv, size_t selected);
const char *csv_field(const struct csv *csv, size_t column);
/* The number in a selected column: NO_VALUE or NaN where there is none. */
int64_t csv_int(const struct csv *csv, size_t selected);
double csv_real(const struct csv *csv, size_t selected);
/* Microseconds as ns; false where there are none. */
bool csv_us(const struct csv *csv, size_t selected, int64_t *ns);
