/*
 * Writes a table in the form of another tool's report: with the tool's titles and its notation of
 * values, as separated cells, as padded columns or as JSON.
 *
 * The tool's printer adds the columns that the report shows and says how the tool writes a cell.
 * The writers return false with ERROR_CANCELLED.
 */
#pragma once

#include "report/format.h"

struct report_column {
	const char *title; /* "Grid X,Grid Y": members of a text "8,1", each with its own title */
	size_t column;     /* of the table */
	int print;         /* the tool's own number: how it writes the values */
	size_t width;      /* of padded columns, in code points */
};

struct report_form {
	struct output *output;
	const struct extract *extract;
	const struct style *style;
	const struct progress *progress;
	struct error *error;
	const char *around, *between; /* separated cells: around each, between two */
	const char *colon, *comma;    /* JSON: after a name, between two members */

	/* Append a cell; JSON: as a value of JSON. */
	void (*put)(const struct report_form *form, const struct report_column *column,
		    struct value value);
	void (*put_json)(const struct report_form *form, const struct report_column *column,
			 struct value value);
	struct report_column columns[VIEW_COLUMNS_MAX];
	size_t count;
	void *own; /* the printer's */
};

/* Show COLUMN of the table next. */
void report_add(struct report_form *form, const char *title, size_t column, int print);

/* The value in a row: an index into the rows of the extract. */
struct value report_value(const struct report_form *form, size_t row, size_t column);

/* Call PUT for each row (an index into the rows of the extract). */
bool report_rows(const struct report_form *form,
		 void (*put)(const struct report_form *form, size_t row));

/* A line of titles, and one with the cells of each row. */
bool report_separated(const struct report_form *form);

/* Append a name and the colon. */
void report_json_name(const struct report_form *form, const char *name, size_t length);
/* The titles as members of an array. */
void report_json_titles(const struct report_form *form);
/* An array of the rows, each an object with the titles as names. */
bool report_json_rows(const struct report_form *form);

/* Bytes of the first POINTS code points; the number of code points. */
size_t report_bytes_of(const char *text, size_t length, size_t points);
size_t report_points_of(const char *text, size_t length);

/* Append TEXT, and blanks to WIDTH code points: before it, or (LEFT) after it. */
void report_pad(struct buffer *out, const char *text, size_t length, size_t width, bool left);
