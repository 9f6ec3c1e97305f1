/*
 * The forms a Table is printed in.
 */
#ifndef STRATA_REPORT_FORMAT_H
#define STRATA_REPORT_FORMAT_H

#include "report/output.h"
#include "report/extract.h"

struct style {
	size_t width;  /* columns a line of the table form may take; 0: any */
	bool raw;      /* plain numbers in base units */
	bool unicode;  /* the ellipsis may be U+2026 */
	bool terminal; /* the output is a terminal: nothing unsafe may reach it */
};

/* False with ERROR_CANCELLED; failures to write stay in OUTPUT. */
typedef bool format_writer(struct output *output, const struct extract *extract,
			   const struct style *style, const struct progress *progress,
			   struct error *error);

struct format {
	const char *name;      /* "csv" */
	const char *extension; /* of files of `report all`: "csv" */
	bool all_columns;      /* shows every column unless told otherwise */
	format_writer *write;
};

const struct format *format_find(const char *name); /* NULL when there is none */
const struct format *format_at(size_t index);       /* NULL past the end; 0 is the default */

/* For the writers: is the work to go on after ROW rows?  False with ERROR_CANCELLED. */
bool format_go_on(const struct extract *extract, size_t row, const struct progress *progress,
		  struct error *error);

/* Rows FROM to TO of what is shown, as text; any thread. */
typedef void format_rows(struct buffer *out, const struct extract *extract,
			 const struct style *style, size_t from, size_t to);

/* All rows in their order, several pieces at a time made by all cores.  False with ERROR_CANCELLED.
 */
bool format_in_pieces(struct output *output, const struct extract *extract,
		      const struct style *style, format_rows *rows, const struct progress *progress,
		      struct error *error);

/* A text as one string of JSON, and as one field of CSV (TERMINAL: with escapes for what is
 * unsafe). */
void format_json_text(struct buffer *out, const char *text, size_t length);
void format_csv_text(struct buffer *out, const char *text, size_t length, bool terminal);

format_writer format_write_table, format_write_csv, format_write_json, format_write_ndjson,
	format_write_markdown, format_write_collapsed;

#endif
