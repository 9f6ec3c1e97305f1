#include "report/html.h"

#include "base/embedded.h"
#include "base/text.h"
#include "report/format.h"

enum { LONG_TEXT = 60 }; /* bytes; longer texts are wrapped */

static void html_add_text(struct buffer *out, const char *text)
{
	text_escape_markup(out, text, strlen(text));
}

void html_begin(struct buffer *out, const char *title)
{
	buffer_puts(out,
		    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<title>");
	html_add_text(out, title);
	buffer_printf(out, "</title>\n<style>%s</style></head>\n<body>\n<header><h1>",
		      (const char *)embedded_find("page.css")->bytes);
	html_add_text(out, title);
	buffer_puts(out, "</h1></header>\n<main>\n");
}

void html_end(struct buffer *out)
{
	buffer_printf(out, "</main>\n<script>%s</script>\n</body></html>\n",
		      (const char *)embedded_find("page.js")->bytes);
}

void html_section(struct buffer *out, struct buffer *links, const char *id, const char *title,
		  const char *summary)
{
	buffer_printf(links, "<a href=\"#%s\">", id);
	html_add_text(links, title);
	buffer_puts(links, "</a>\n");
	buffer_printf(out, "<section id=\"%s\"><h2>", id);
	html_add_text(out, title);
	buffer_puts(out, "</h2>\n");
	if (summary)
		html_note(out, summary);
}

void html_drawing_begin(struct buffer *out, struct buffer *links, const char *id, const char *title)
{
	html_section(out, links, id, title, NULL);
	buffer_puts(out, "<div class=\"wide\" tabindex=\"0\">");
}

void html_drawing_end(struct buffer *out)
{
	buffer_puts(out, "</div>\n");
	html_section_end(out);
}

void html_section_end(struct buffer *out)
{
	buffer_puts(out, "</section>\n");
}

void html_note(struct buffer *out, const char *text)
{
	buffer_puts(out, "<p>");
	html_add_text(out, text);
	buffer_puts(out, "</p>\n");
}

static void add_head(struct buffer *out, const struct extract *extract)
{
	buffer_puts(out, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>");
	for (size_t i = 0; i < extract->column_count; i++) {
		const struct column *column = extract->table->column[extract->columns[i]];
		buffer_printf(out, "<th scope=\"col\" tabindex=\"0\"%s title=\"",
			      column_is_number(column) ? " class=\"n\"" : "");
		html_add_text(out, column->definition);
		buffer_puts(out, "\">");
		html_add_text(out, column->title);
		buffer_puts(out, "</th>");
	}
	buffer_puts(out, "</tr></thead><tbody>\n");
}

/* Cells and rows end where the next begins; ends of thousands make a page long. */
static void add_cell(struct buffer *out, const struct extract *extract, uint32_t row, size_t i)
{
	const struct table *table = extract->table;
	size_t column = (size_t)extract->columns[i];
	struct value value = table_value(table, row, column);
	AUTO_BUFFER struct buffer text = { 0 };
	table_format(&text, table, row, column, false);
	buffer_puts(out, column_is_number(table->column[column]) ? "<td class=\"n\""
			 : text.length > LONG_TEXT               ? "<td class=\"l\""
								 : "<td");
	if (value.kind == VALUE_INT || value.kind == VALUE_REAL) {
		buffer_puts(out, " data-v=\"");
		value_format(out, table->column[column], value, true);
		buffer_putc(out, '"');
	}
	if ((int)column == table_name_column(table) && table->is_tree)
		buffer_printf(out, " style=\"padding-left:%.1fem\"",
			      0.6 + 0.9 * (double)table_depth(table, row));
	buffer_putc(out, '>');
	text_escape_markup(out, BUFFERED(&text));
}

bool html_table(struct buffer *out, const struct extract *extract, bool folded,
		const struct progress *progress, struct error *error)
{
	buffer_printf(out, "<details%s><summary>%zu of %zu rows</summary>\n", folded ? "" : " open",
		      extract->row_count, extract->row_count + extract->left_out);
	add_head(out, extract);
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		buffer_puts(out, "<tr>");
		for (size_t i = 0; i < extract->column_count; i++)
			add_cell(out, extract, extract->rows[row], i);
		buffer_putc(out, '\n');
	}
	buffer_puts(out, "</tbody></table></div></details>\n");
	return true;
}

FORMAT_WRITER(format_write_html)
{
	const struct view *view = extract->table->view;
	html_begin(&output->text, view ? view->title : "Query");
	bool done = html_table(&output->text, extract, false, progress, error);
	html_end(&output->text);
	return done;
}
