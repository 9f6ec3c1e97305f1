/*
 * Output formats of PyProf's prof.py: CSV, blank-separated fields, and fixed-width columns.
 */
#include "base/check.h"
#include "base/error.h"
#include "base/literal.h"
#include "report/report_form.h"
#include "tools/pyprof/pyprof_kernels.h"

#include <math.h>

enum { SHARED_WIDTH = 0 }; /* of kernel and params: what the others leave */

static const struct pyprof_print_field {
	const char *id, *header;
	bool is_number;
	size_t width;
	const char *empty;
} fields[] = { PYPROF_FIELD_ROWS };

enum { FIELDS = sizeof fields / sizeof *fields };

static void put_value(struct buffer *out, struct value value,
		      const struct pyprof_print_field *field, bool terminal)
{
	char real[NUMBER_MAX];
	if (value.kind == VALUE_INT)
		buffer_printf(out, "%lld", (long long)value.integer);
	else if (value.kind == VALUE_REAL)
		buffer_puts(out, literal_real(real, value.real));
	else if (value.kind == VALUE_TEXT && value.length)
		format_text(out, value.text, value.length, terminal);
	else
		buffer_puts(out, field->empty);
}

static void pyprof_put(const struct report_form *form, const struct report_column *column,
		       struct value value)
{
	put_value(&form->output->text, value, &fields[column->print], form->style->terminal);
}

static void show_columns(struct report_form *form)
{
	const struct extract *extract = form->extract;
	for (size_t i = 0; i < extract->column_count; i++) {
		int field = 0, column = extract->columns[i];
		const char *id = extract->table->column[column]->id;
		while (field < FIELDS && strcmp(fields[field].id, id) != 0)
			field++;
		require(field < FIELDS, "prof.py has no column '%s'", id);
		report_add(form, fields[field].header, (size_t)column, field);
	}
}

/* Quotes are not escaped. */
FORMAT_WRITER(pyprof_print_csv)
{
	struct report_form form = { output, extract,        style,          progress,
				    error,  .around = "\"", .between = ",", .put = pyprof_put };
	show_columns(&form);
	return report_separated(&form);
}

/* ---- columns ---- */

/* Text truncated and padded to its width. */
static void put_padded(struct buffer *out, const char *text, size_t length, size_t width)
{
	report_pad(out, text, report_bytes_of(text, length, width), width, true);
	buffer_putc(out, ' ');
}

/* The innermost entry of a trace, without its directory. */
static struct value last_entry(struct value trace)
{
	size_t at = trace.length;
	while (at && trace.text[at - 1] != '/' && trace.text[at - 1] != ',')
		at--;
	return value_bytes(trace.text + at, trace.length - at);
}

/* Numbers are never truncated; quotients lose their fraction. */
static void put_row(const struct report_form *form, size_t row)
{
	struct buffer *out = &form->output->text, cell = { 0 };
	for_each (column, form->columns, form->count) {
		const struct pyprof_print_field *field = &fields[column->print];
		struct value value = report_value(form, row, column->column);
		buffer_clear(&cell);
		if (value.kind == VALUE_TEXT && strcmp(field->id, "trace") == 0)
			value = last_entry(value);
		if (value.kind == VALUE_REAL && field->is_number)
			buffer_printf(&cell, "%.0f", trunc(value.real));
		else if (!(value.kind == VALUE_TEXT && !value.length))
			put_value(&cell, value, field, form->style->terminal && !field->is_number);
		if (!field->is_number) {
			put_padded(out, BUFFERED(&cell), column->width);
			continue;
		}
		report_pad(out, BUFFERED(&cell), column->width, false);
		buffer_putc(out, ' ');
	}
	buffer_putc(out, '\n');
	buffer_free(&cell);
}

/* Set the widths; false if the columns do not fit. */
static bool share_width(struct report_form *form)
{
	size_t taken = 0, sharing = 0, width = form->style->width;
	for (size_t i = 0; i < form->count; i++) {
		size_t own = fields[form->columns[i].print].width;
		form->columns[i].width = own;
		taken += own;
		sharing += own == SHARED_WIDTH;
	}
	if (taken > width)
		return error_usage(form->error, "these columns need a line width of at least %zu",
				   taken);
	for (size_t i = 0; i < form->count; i++)
		if (form->columns[i].width == SHARED_WIDTH)
			form->columns[i].width = (width - taken) / sharing;
	return true;
}

FORMAT_WRITER(pyprof_print)
{
	struct report_form form = { output, extract,      style,          progress,
				    error,  .around = "", .between = " ", .put = pyprof_put };
	show_columns(&form);
	if (!style->width)
		return report_separated(&form);
	if (!share_width(&form))
		return false;
	for (size_t i = 0; i < form.count; i++)
		put_padded(&output->text, form.columns[i].title, strlen(form.columns[i].title),
			   form.columns[i].width);
	buffer_putc(&output->text, '\n');
	return report_rows(&form, put_row);
}
