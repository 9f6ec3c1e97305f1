/*
 * Comma-separated values with a header line; quoted fields may contain commas, quotes and newlines.
 */
#ifndef STRATA_INPUT_CSV_H
#define STRATA_INPUT_CSV_H

#include <stdbool.h>
#include <stddef.h>

struct csv {
	char *at, *end; /* of the text, which is changed while it is read */
	char **fields;  /* of the current row, without quotes and surrounding blanks */
	size_t count, capacity;
	char **header; /* of the first row */
	size_t header_count;
};

/* Start reading LENGTH bytes at TEXT, followed by a NUL; takes the header. */
void csv_open(struct csv *csv, char *text, size_t length);
void csv_close(struct csv *csv);

/* The next row; false at the end. */
bool csv_next(struct csv *csv);

/* The column of this name, of alternatives separated by '|'; or header_count. */
size_t csv_column(const struct csv *csv, const char *names);
/* The field of a column; "" where the row has none. */
const char *csv_field(const struct csv *csv, size_t column);

#endif
