#include "report/report_form.h"

#include "base/check.h"
#include "base/text.h"
#include "base/text_slice.h"

void report_add(struct report_form *form, const char *title, size_t column, int print)
{
	require(form->count < VIEW_COLUMNS_MAX && column < form->extract->table->columns,
		"\"%s\": column %zu of a report, %zu of the table", title, form->count, column);
	form->columns[form->count++] =
		(struct report_column){ .title = title, .column = column, .print = print };
}

struct value report_value(const struct report_form *form, size_t row, size_t column)
{
	return table_value(form->extract->table, form->extract->rows[row], column);
}

bool report_rows(const struct report_form *form,
		 void (*put)(const struct report_form *form, size_t row))
{
	for (size_t i = 0; i < form->extract->row_count; i++) {
		if (!format_go_on(form->extract, i, form->progress, form->error))
			return false;
		put(form, i);
		output_row(form->output);
	}
	return true;
}

/* ---- separated cells ---- */

/* The cells of ROW; SIZE_MAX: the titles. */
static void report_put_line(const struct report_form *form, size_t row)
{
	struct buffer *out = &form->output->text;
	for (size_t i = 0; i < form->count; i++) {
		const struct report_column *column = &form->columns[i];
		buffer_puts(out, i ? form->between : "");
		buffer_puts(out, form->around);
		if (row == SIZE_MAX)
			buffer_puts(out, column->title);
		else
			form->put(form, column, report_value(form, row, column->column));
		buffer_puts(out, form->around);
	}
	buffer_putc(out, '\n');
}

bool report_separated(const struct report_form *form)
{
	report_put_line(form, SIZE_MAX);
	return report_rows(form, report_put_line);
}

/* ---- JSON ---- */

void report_json_name(const struct report_form *form, const char *name, size_t length)
{
	format_json_text(&form->output->text, name, length);
	buffer_puts(&form->output->text, form->colon);
}

void report_json_titles(const struct report_form *form)
{
	const char *comma = "";
	for (size_t i = 0; i < form->count; i++) {
		const char *titles = form->columns[i].title;
		for (struct text_slice title; text_next_item(&titles, &title);
		     comma = form->comma) {
			buffer_puts(&form->output->text, comma);
			format_json_text(&form->output->text, title.text, title.length);
		}
	}
}

/* Members named by the parts of the title, from a text with as many numbers. */
static void put_members(const struct report_form *form, const struct report_column *column,
			struct value value)
{
	struct buffer *out = &form->output->text;
	bool has_text = value.kind == VALUE_TEXT;
	const char *at = has_text ? value.text : "", *end = at + (has_text ? value.length : 0);
	const char *titles = column->title;
	for (struct text_slice title; text_next_item(&titles, &title);) {
		const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
		size_t part = (size_t)((comma ? comma : end) - at);
		buffer_puts(out, title.text == column->title ? "" : form->comma);
		report_json_name(form, title.text, title.length);
		if (part && strspn(at, "0123456789") >= part)
			buffer_add(out, at, part);
		else
			buffer_puts(out, "null");
		at += part + (comma != NULL);
	}
}

static void report_put_object(const struct report_form *form, size_t row)
{
	struct buffer *out = &form->output->text;
	buffer_puts(out, row ? ",\n{" : "\n{");
	for (size_t i = 0; i < form->count; i++) {
		const struct report_column *column = &form->columns[i];
		struct value value = report_value(form, row, column->column);
		buffer_puts(out, i ? form->comma : "");
		if (strchr(column->title, ',')) {
			put_members(form, column, value);
			continue;
		}
		report_json_name(form, column->title, strlen(column->title));
		form->put_json(form, column, value);
	}
	buffer_putc(out, '}');
}

bool report_json_rows(const struct report_form *form)
{
	buffer_putc(&form->output->text, '[');
	if (!report_rows(form, report_put_object))
		return false;
	buffer_puts(&form->output->text, form->extract->row_count ? "\n]" : "]");
	return true;
}

/* ---- padded columns ---- */

size_t report_bytes_of(const char *text, size_t length, size_t points)
{
	size_t at = 0;
	int32_t point;
	while (at < length && points--)
		at += text_decode(text + at, length - at, &point);
	return at;
}

size_t report_points_of(const char *text, size_t length)
{
	size_t at = 0, points = 0;
	int32_t point;
	for (; at < length; points++)
		at += text_decode(text + at, length - at, &point);
	return points;
}

void report_pad(struct buffer *out, const char *text, size_t length, size_t width, bool left)
{
	size_t points = report_points_of(text, length);
	int blanks = (int)(points < width ? width - points : 0);
	buffer_printf(out, "%*s", left ? 0 : blanks, "");
	buffer_add(out, text, length);
	buffer_printf(out, "%*s", left ? blanks : 0, "");
}
