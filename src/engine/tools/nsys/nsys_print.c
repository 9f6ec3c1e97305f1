/*
 * Formats `nsys stats` reports: columns, CSV, JSON.
 */
#include "report/report_form.h"
#include "tools/nsys/nsys_reports.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH_MAX = 100 }; /* texts in columns; longer ones end in an ellipsis */

struct nsys_print_layout {
	struct buffer titles, cell; /* the titles, each with a NUL; the text of the current cell */
};

static struct report_form nsys_print_form(struct output *output, const struct extract *extract,
					  const struct style *style,
					  const struct progress *progress, struct error *error)
{
	return (struct report_form){ output,       extract,        style,        progress,    error,
				     .around = "", .between = ",", .colon = ":", .comma = "," };
}

static void nsys_print_columns(struct report_form *form, struct nsys_print_layout *layout)
{
	const struct table *table = form->extract->table;
	form->own = layout;
	buffer_puts(&layout->titles, nsys_report_of(table)->titles);
	char *rest = layout->titles.data;
	for (size_t i = 0; i < table->columns; i++) {
		const char *title = strsep(&rest, ",");
		if (title && *title)
			report_add(form, title, i, 0);
	}
}

/* Decides how numbers are printed; texts are aligned to the left. */
static enum unit unit_of(const struct report_form *form, const struct report_column *column)
{
	return form->extract->table->column[column->column]->unit;
}

/* ---- numbers ---- */

static void add_number(struct buffer *out, struct value value, enum unit unit)
{
	double real = value.kind == VALUE_INT ? (double)value.integer : value.real;
	if (unit == UNIT_BYTES || unit == UNIT_BYTES_PER_S) /* as megabytes */
		buffer_printf(out, "%.3f", real / 1e6);
	else if (value.kind == VALUE_INT)
		buffer_printf(out, "%" PRId64, value.integer);
	else /* as SQLite's round(x, 1): half away from zero */
		buffer_printf(out, "%.1f", fabs(real) < 1e14 ? round(real * 10) / 10 : real);
}

/* Insert separators between groups of three digits. */
static void group_digits(struct buffer *cell)
{
	size_t digits = strcspn(buffer_text(cell), ".");
	struct buffer grouped = { 0 };
	for (size_t i = 0; i < cell->length; i++) {
		buffer_putc(&grouped, cell->data[i]);
		if (i + 1 < digits && (digits - i - 1) % 3 == 0 && cell->data[i] != '-')
			buffer_putc(&grouped, ',');
	}
	buffer_free(cell);
	*cell = grouped;
}

/* ---- columns ---- */

/* The text of a cell, as the layout's. */
static const struct buffer *make_cell(const struct report_form *form, size_t row,
				      const struct report_column *column)
{
	struct buffer *cell = &((struct nsys_print_layout *)form->own)->cell;
	struct value value = report_value(form, row, column->column);
	enum unit unit = unit_of(form, column);
	buffer_clear(cell);
	if (value.kind == VALUE_TEXT)
		format_text(cell, value.text, value.length, form->style->terminal);
	else if (value.kind != VALUE_MISSING)
		add_number(cell, value, unit);
	if (value.kind != VALUE_TEXT && unit != UNIT_ID && cell->length)
		group_digits(cell);
	if (cell->length && report_points_of(cell->data, cell->length) > WIDTH_MAX) {
		cell->length = report_bytes_of(cell->data, cell->length, WIDTH_MAX - 1);
		buffer_puts(cell, "…");
	}
	return cell;
}

static void nsys_print_put_row(const struct report_form *form, size_t row)
{
	struct buffer *out = &form->output->text;
	for (size_t i = 0; i < form->count; i++) {
		const struct report_column *column = &form->columns[i];
		const struct buffer *cell = make_cell(form, row, column);
		buffer_puts(out, i ? "  " : " ");
		report_pad(out, BUFFERED(cell), column->width, unit_of(form, column) == UNIT_TEXT);
	}
	buffer_putc(out, '\n');
}

static void put_header(const struct report_form *form)
{
	struct buffer *out = &form->output->text;
	for (size_t i = 0; i < form->count; i++) {
		const struct report_column *column = &form->columns[i];
		int blanks = (int)(column->width - strlen(column->title));
		buffer_printf(out, "%s%*s%s%*s", i ? "  " : " ", blanks / 2, "", column->title,
			      blanks - blanks / 2, "");
	}
	buffer_putc(out, '\n');
	for (size_t i = 0; i < form->count; i++) {
		buffer_puts(out, i ? "  " : " ");
		for (size_t j = 0; j < form->columns[i].width; j++)
			buffer_putc(out, '-');
	}
	buffer_putc(out, '\n');
}

static void set_widths(struct report_form *form)
{
	for_each_mutable (column, form->columns, form->count) {
		column->width = strlen(column->title);
		for (size_t row = 0; row < form->extract->row_count; row++) {
			const struct buffer *cell = make_cell(form, row, column);
			size_t width = report_points_of(BUFFERED(cell));
			column->width = width > column->width ? width : column->width;
		}
	}
}

FORMAT_WRITER(nsys_print)
{
	struct report_form form = nsys_print_form(output, extract, style, progress, error);
	struct nsys_print_layout layout = { 0 };
	if (!extract->row_count)
		return true;
	nsys_print_columns(&form, &layout);
	set_widths(&form);
	buffer_printf(&output->text, "\n ** %s (%s):\n\n", nsys_report_of(extract->table)->heading,
		      extract->table->view->title);
	put_header(&form);
	bool done = report_rows(&form, nsys_print_put_row);
	buffer_putc(&output->text, '\n');
	buffer_free(&layout.titles);
	buffer_free(&layout.cell);
	return done;
}

/* ---- CSV and JSON ---- */

static void nsys_print_put(const struct report_form *form, const struct report_column *column,
			   struct value value)
{
	if (value.kind == VALUE_TEXT)
		format_csv_text(&form->output->text, value.text, value.length,
				form->style->terminal);
	else if (value.kind != VALUE_MISSING)
		add_number(&form->output->text, value, unit_of(form, column));
}

FORMAT_WRITER(nsys_print_csv)
{
	struct report_form form = nsys_print_form(output, extract, style, progress, error);
	struct nsys_print_layout layout = { 0 };
	form.put = nsys_print_put;
	nsys_print_columns(&form, &layout);
	bool done = report_separated(&form);
	buffer_free(&layout.titles);
	return done;
}

static void nsys_print_put_json(const struct report_form *form, const struct report_column *column,
				struct value value)
{
	if (value.kind == VALUE_TEXT)
		format_json_text(&form->output->text, value.text, value.length);
	else if (value.kind == VALUE_MISSING)
		buffer_puts(&form->output->text, "null");
	else
		add_number(&form->output->text, value, unit_of(form, column));
}

FORMAT_WRITER(nsys_print_json)
{
	struct report_form form = nsys_print_form(output, extract, style, progress, error);
	struct nsys_print_layout layout = { 0 };
	form.put_json = nsys_print_put_json;
	nsys_print_columns(&form, &layout);
	bool done = report_json_rows(&form);
	buffer_puts(&output->text, done ? "\n" : "");
	buffer_free(&layout.titles);
	return done;
}
