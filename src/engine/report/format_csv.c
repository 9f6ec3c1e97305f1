/*
 * CSV as in RFC 4180: CR LF line ends, quotes where required. A missing value is an empty field, an
 * empty string a quoted one. TSV has no quotes: tab, newline and backslash are escaped.
 */
#include "base/parallel.h"
#include "base/text.h"
#include "report/format.h"

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
	AUTO_BUFFER struct buffer safe = { 0 };
	if (terminal) {
		text_escape(&safe, text, length);
		text = buffer_text(&safe);
		length = safe.length;
	}
	if (always || needs_quotes(text, length))
		add_quoted(out, text, length);
	else
		buffer_add(out, text, length);
}

void format_csv_text(struct buffer *out, const char *text, size_t length, bool terminal)
{
	add_field(out, text, length, terminal, false);
}

void format_csv_quoted(struct buffer *out, const char *text, size_t length, bool terminal)
{
	add_field(out, text, length, terminal, true);
}

static void add_tsv_text(struct buffer *out, const char *text, size_t length, bool terminal)
{
	if (terminal) {
		text_escape(out, text, length);
		return;
	}
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

/* ---- rows, in parallel pieces ---- */

struct separated {
	char between;
	const char *end;
	void (*add_text)(struct buffer *out, const char *text, size_t length, bool terminal);
};

static const struct separated csv = { ',', "\r\n", format_csv_text };
static const struct separated tsv = { '\t', "\n", add_tsv_text };

enum { PIECES = 8, PIECE_ROWS = 1024 };

struct pieces {
	const struct separated *form;
	const struct extract *extract;
	bool terminal, safe;
	size_t first; /* row of the first piece */
	struct buffer text[PIECES];
};

/* Spreadsheets take a text that begins so for a formula; one in front of it says that it is text.
 */
static void add_safe(struct buffer *out, const struct separated *form, const char *text,
		     size_t length)
{
	AUTO_BUFFER struct buffer marked = { 0 };
	if (length && strchr("=+-@\t\r", *text) && *text)
		buffer_putc(&marked, '\'');
	buffer_add(&marked, text, length);
	form->add_text(out, BUFFERED(&marked), true);
}

static void add_separated_row(struct buffer *out, const struct pieces *pieces, uint32_t row)
{
	const struct extract *extract = pieces->extract;
	const struct table *table = extract->table;
	for (size_t i = 0; i < extract->column_count; i++) {
		size_t column = (size_t)extract->columns[i];
		struct value value = table_value(table, row, column);
		if (i)
			buffer_putc(out, pieces->form->between);
		if (value.kind == VALUE_TEXT && pieces->safe)
			add_safe(out, pieces->form, value.text, value.length);
		else if (value.kind == VALUE_TEXT)
			pieces->form->add_text(out, value.text, value.length, pieces->terminal);
		else
			value_format(out, table->column[column], value, true);
	}
	buffer_puts(out, pieces->form->end);
}

static bool make_piece(void *context, size_t i, const struct progress *progress)
{
	struct pieces *pieces = context;
	size_t from = pieces->first + i * PIECE_ROWS, to = from + PIECE_ROWS;
	size_t end = pieces->extract->row_count;
	buffer_clear(&pieces->text[i]);
	for (size_t row = from; row < to && row < end; row++)
		add_separated_row(&pieces->text[i], pieces, pieces->extract->rows[row]);
	return progress_update(progress, "writing", from, end, from);
}

static bool write_rows(struct output *output, struct pieces *pieces,
		       const struct progress *progress, struct error *error)
{
	bool done = true;
	size_t rows = pieces->extract->row_count;
	/* stop after a write error: the output is lost */
	for (size_t at = 0; at < rows && done && !output->failure; at += PIECES * PIECE_ROWS) {
		size_t left = (rows - at + PIECE_ROWS - 1) / PIECE_ROWS;
		size_t count = left < PIECES ? left : PIECES;
		pieces->first = at;
		done = parallel_try(count, make_piece, pieces, "writing", progress, error);
		for (size_t i = 0; i < count && done; i++) {
			buffer_add(&output->text, BUFFERED(&pieces->text[i]));
			output_row(output);
		}
	}
	for (size_t i = 0; i < PIECES; i++)
		buffer_free(&pieces->text[i]);
	return done;
}

static bool write_separated(struct output *output, const struct separated *form,
			    const struct extract *extract, const struct style *style,
			    const struct progress *progress, struct error *error)
{
	struct pieces pieces = { .form = form,
				 .extract = extract,
				 .terminal = style->terminal,
				 .safe = style->csv_safe };
	for (size_t i = 0; i < extract->column_count; i++) {
		const char *id = extract->table->column[extract->columns[i]]->id;
		if (i)
			buffer_putc(&output->text, form->between);
		form->add_text(&output->text, id, strlen(id), style->terminal);
	}
	buffer_puts(&output->text, form->end);
	return write_rows(output, &pieces, progress, error);
}

FORMAT_WRITER(format_write_csv)
{
	return write_separated(output, &csv, extract, style, progress, error);
}

FORMAT_WRITER(format_write_tsv)
{
	return write_separated(output, &tsv, extract, style, progress, error);
}
