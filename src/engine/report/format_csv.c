/*
 * CSV as in RFC 4180: CR LF line ends, quotes where required. A missing value is an empty field, an
 * empty string a quoted one. TSV has no quotes: tab, newline and backslash are escaped.
 */
#include "base/text.h"
#include "report/format.h"

#include <string.h>

static void add_quoted(struct buffer *out, const char *text, size_t length)
{
	buffer_putc(out, '"');
	for (const char *quote; (quote = memchr(text, '"', length));) {
		size_t part = (size_t)(quote - text) + 1;
		buffer_add(out, text, part);
		buffer_putc(out, '"');
		text += part;
		length -= part;
	}
	buffer_add(out, text, length);
	buffer_putc(out, '"');
}

static bool needs_quotes(const char *text, size_t length)
{
	static const bool special[256] = {
		[','] = true, ['"'] = true, ['\n'] = true, ['\r'] = true
	};
	bool found = false;
	for (size_t i = 0; i < length; i++)
		found |= special[(unsigned char)text[i]];
	return found || !length;
}

static void add_field(struct buffer *out, const char *text, size_t length, bool terminal,
		      bool always)
{
	struct buffer safe = { 0 };
	if (terminal) {
		text_escape(&safe, text, length);
		text = buffer_text(&safe);
		length = safe.length;
	}
	if (always || needs_quotes(text, length))
		add_quoted(out, text, length);
	else
		buffer_add(out, text, length);
	buffer_free(&safe);
}

void format_csv_text(struct buffer *out, const char *text, size_t length, bool terminal)
{
	add_field(out, text, length, terminal, false);
}

void format_csv_quoted(struct buffer *out, const char *text, size_t length, bool terminal)
{
	add_field(out, text, length, terminal, true);
}

static void add_cell(struct buffer *out, const struct column *column, struct value value,
		     bool terminal)
{
	if (value.kind == VALUE_TEXT)
		format_csv_text(out, value.text, value.length, terminal);
	else
		value_format(out, column, value, true);
}

static void format_csv_add_rows(struct buffer *out, const struct extract *extract,
				const struct style *style, size_t from, size_t to)
{
	const struct table *table = extract->table;
	for (size_t row = from; row < to; row++) {
		for (size_t i = 0; i < extract->column_count; i++) {
			size_t column = (size_t)extract->columns[i];
			if (i)
				buffer_putc(out, ',');
			add_cell(out, table->column[column],
				 table_value(table, extract->rows[row], column), style->terminal);
		}
		buffer_puts(out, "\r\n");
	}
}

bool format_write_csv(struct output *output, const struct extract *extract,
		      const struct style *style, const struct progress *progress,
		      struct error *error)
{
	struct buffer *out = &output->text;
	for (size_t i = 0; i < extract->column_count; i++) {
		const char *id = extract->table->column[extract->columns[i]]->id;
		buffer_puts(out, i ? "," : "");
		format_csv_text(out, id, strlen(id), style->terminal);
	}
	buffer_puts(out, "\r\n");
	return format_in_pieces(output, extract, style, format_csv_add_rows, progress, error);
}

/* ---- TSV ---- */

static void add_tsv_text(struct buffer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case '\t': buffer_puts(out, "\\t"); break;
		case '\n': buffer_puts(out, "\\n"); break;
		case '\r': buffer_puts(out, "\\r"); break;
		case '\\': buffer_puts(out, "\\\\"); break;
		default: buffer_putc(out, text[i]);
		}
	}
}

static void add_tsv_cell(struct buffer *out, const struct column *column, struct value value,
			 bool terminal)
{
	struct buffer safe = { 0 };
	if (value.kind != VALUE_TEXT)
		value_format(out, column, value, true);
	else if (terminal)
		text_escape(&safe, value.text, value.length);
	else
		add_tsv_text(&safe, value.text, value.length);
	buffer_add(out, buffer_text(&safe), safe.length);
	buffer_free(&safe);
}

static void add_tsv_rows(struct buffer *out, const struct extract *extract,
			 const struct style *style, size_t from, size_t to)
{
	const struct table *table = extract->table;
	for (size_t row = from; row < to; row++) {
		for (size_t i = 0; i < extract->column_count; i++) {
			size_t column = (size_t)extract->columns[i];
			buffer_puts(out, i ? "\t" : "");
			add_tsv_cell(out, table->column[column],
				     table_value(table, extract->rows[row], column),
				     style->terminal);
		}
		buffer_putc(out, '\n');
	}
}

bool format_write_tsv(struct output *output, const struct extract *extract,
		      const struct style *style, const struct progress *progress,
		      struct error *error)
{
	struct buffer *out = &output->text;
	for (size_t i = 0; i < extract->column_count; i++) {
		const char *id = extract->table->column[extract->columns[i]]->id;
		buffer_puts(out, i ? "\t" : "");
		add_tsv_text(out, id, strlen(id));
	}
	buffer_putc(out, '\n');
	return format_in_pieces(output, extract, style, add_tsv_rows, progress, error);
}
