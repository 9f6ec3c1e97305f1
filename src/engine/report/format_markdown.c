/*
 * Markdown tables (GitHub's dialect), with markup characters escaped.
 */
#include "base/text.h"
#include "report/format.h"

#include <ctype.h>

/* Underscores inside a word are not markup. */
static bool is_markup(const char *text, size_t length, size_t at)
{
	if (text[at] != '_')
		return strchr("\\|<*`[", text[at]) != NULL;
	return !at || at + 1 == length || !isalnum((unsigned char)text[at - 1]) ||
	       !isalnum((unsigned char)text[at + 1]);
}

static void add_marked(struct buffer *out, const char *text, size_t length)
{
	AUTO_BUFFER struct buffer safe = { 0 };
	text_escape(&safe, text, length);
	for (size_t i = 0; i < safe.length; i++) {
		if (is_markup(safe.data, safe.length, i))
			buffer_putc(out, '\\');
		buffer_putc(out, safe.data[i]);
	}
}

static void add_table_row(struct buffer *out, const struct extract *extract, uint32_t row, bool raw)
{
	const struct table *table = extract->table;
	AUTO_BUFFER struct buffer cell = { 0 };
	for (size_t i = 0; i < extract->column_count; i++) {
		size_t column = (size_t)extract->columns[i];
		buffer_clear(&cell);
		table_format(&cell, table, row, column, raw);
		buffer_puts(out, "| ");
		add_marked(out, BUFFERED(&cell));
		buffer_putc(out, ' ');
	}
	buffer_puts(out, "|\n");
}

FORMAT_WRITER(format_write_markdown)
{
	const struct table *table = extract->table;
	struct buffer *out = &output->text;
	for (size_t i = 0; i < extract->column_count; i++) {
		const char *title = table->column[extract->columns[i]]->title;
		buffer_puts(out, "| ");
		add_marked(out, title, strlen(title));
		buffer_putc(out, ' ');
	}
	buffer_puts(out, "|\n");
	for (size_t i = 0; i < extract->column_count; i++)
		buffer_puts(out, column_is_number(table->column[extract->columns[i]]) ? "| ---: "
										      : "| --- ");
	buffer_puts(out, "|\n");
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		add_table_row(out, extract, extract->rows[row], style->raw);
		output_row(output);
	}
	return true;
}
