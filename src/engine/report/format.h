/*
 * Output formats of tables.
 */
#pragma once

#include "report/output.h"
#include "report/extract.h"

struct style {
	size_t width;              /* line width of the table format; 0: unlimited */
	bool raw;                  /* unscaled numbers in base units */
	bool unicode;              /* use U+2026 as ellipsis */
	bool terminal;             /* the output is a terminal: escape control characters */
	bool color;                /* tables and cards: for a terminal with colors */
	bool csv_safe;             /* CSV, TSV: likewise, and texts are no formulas */
	const struct table *facts; /* of the envelope (envelope.h); NULL: rows only */
	double unit_s;             /* of times of a line profile; 0: the default */
	bool skip_zero;            /* leave out functions without a call */
};

/* False with ERROR_CANCELLED; write errors are kept in OUTPUT. */
#define FORMAT_WRITER(name)                                                                        \
	bool name(struct output *output, const struct extract *extract, const struct style *style, \
		  const struct progress *progress, struct error *error)
typedef FORMAT_WRITER(format_writer);

struct format {
	const char *name;      /* "csv" */
	const char *extension; /* file extension for `report all`: "csv" */
	bool all_columns;      /* show all columns by default */
	format_writer *write;
	const char *alias; /* another name, or NULL */
	bool has_envelope; /* writes the facts of its style */
};

const struct format *format_find(const char *name); /* NULL if unknown */
const struct format *format_at(size_t index);       /* NULL past the end; 0 is the default */

/* Poll for cancellation at ROW. False with ERROR_CANCELLED. */
bool format_go_on(const struct extract *extract, size_t row, const struct progress *progress,
		  struct error *error);

/* Append a text as it is, a JSON string, or a CSV field (TERMINAL: control characters escaped). */
void format_text(struct buffer *out, const char *text, size_t length, bool terminal);
void format_json_text(struct buffer *out, const char *text, size_t length);
void format_json_string(struct buffer *out, const char *text);
void format_json_value(struct buffer *out, const struct column *column, struct value value);
void format_json_object(struct buffer *out, const struct extract *extract, uint32_t row);
/* Append the members of an envelope but the rows. False with ERROR_CANCELLED. */
bool format_json_envelope(struct buffer *out, const struct extract *extract,
			  const struct table *facts, const struct progress *progress,
			  struct error *error);
void format_csv_text(struct buffer *out, const char *text, size_t length, bool terminal);
void format_csv_quoted(struct buffer *out, const char *text, size_t length, bool terminal);

format_writer format_write_table, format_write_csv, format_write_tsv, format_write_json,
	format_write_ndjson, format_write_markdown, format_write_html, format_write_collapsed,
	format_write_speedscope;

/* The table format of the advice view; all findings if a limit was requested. */
format_writer format_write_cards;
