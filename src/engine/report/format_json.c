/*
 * JSON: an array of objects, or one object per line. Terminal control characters are written as \u
 * escapes; invalid UTF-8 becomes U+FFFD.
 */
#include "base/text.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

static void add_escape(struct buffer *out, uint32_t point)
{
	if (point >= 0x10000) {
		point -= 0x10000;
		buffer_printf(out, "\\u%04x\\u%04x", 0xd800 + (point >> 10),
			      0xdc00 + (point & 0x3ff));
	} else {
		buffer_printf(out, "\\u%04x", point);
	}
}

static void add_special(struct buffer *out, int32_t point)
{
	switch (point) {
	case '"': buffer_puts(out, "\\\""); break;
	case '\\': buffer_puts(out, "\\\\"); break;
	case '\n': buffer_puts(out, "\\n"); break;
	case '\t': buffer_puts(out, "\\t"); break;
	default: add_escape(out, point < 0 ? 0xfffd : (uint32_t)point);
	}
}

void format_json_text(struct buffer *out, const char *text, size_t length)
{
	buffer_putc(out, '"');
	size_t kept = 0; /* start of a run without escapes */
	for (size_t i = 0; i < length;) {
		int32_t point;
		size_t used = text_decode(text + i, length - i, &point);
		if (point == '"' || point == '\\' || text_is_unsafe(point)) {
			buffer_add(out, text + kept, i - kept);
			add_special(out, point);
			kept = i + used;
		}
		i += used;
	}
	buffer_add(out, text + kept, length - kept);
	buffer_putc(out, '"');
}

static void add_value(struct buffer *out, const struct column *column, struct value value)
{
	bool flag = column->unit == UNIT_FLAG && value.kind == VALUE_INT &&
		    (value.integer == 0 || value.integer == 1);
	if (value.kind == VALUE_TEXT)
		format_json_text(out, value.text, value.length);
	else if (value.kind == VALUE_MISSING || (value.kind == VALUE_REAL && !isfinite(value.real)))
		buffer_puts(out, "null");
	else if (flag)
		buffer_puts(out, value.integer ? "true" : "false");
	else
		value_format(out, column, value, true);
}

static void add_object(struct buffer *out, const struct extract *extract, uint32_t row)
{
	const struct table *table = extract->table;
	buffer_putc(out, '{');
	for (size_t i = 0; i < extract->column_count; i++) {
		size_t column = (size_t)extract->columns[i];
		const char *id = table->column[column]->id;
		buffer_puts(out, i ? ", " : "");
		format_json_text(out, id, strlen(id));
		buffer_puts(out, ": ");
		add_value(out, table->column[column], table_value(table, row, column));
	}
	buffer_putc(out, '}');
}

bool format_write_json(struct output *output, const struct extract *extract,
		       const struct style *style, const struct progress *progress,
		       struct error *error)
{
	(void)style;
	struct buffer *out = &output->text;
	buffer_puts(out, "[");
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		buffer_puts(out, row ? ",\n " : "\n ");
		add_object(out, extract, extract->rows[row]);
		output_row(output);
	}
	buffer_puts(out, extract->row_count ? "\n]\n" : "]\n");
	return true;
}

bool format_write_ndjson(struct output *output, const struct extract *extract,
			 const struct style *style, const struct progress *progress,
			 struct error *error)
{
	(void)style;
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		add_object(&output->text, extract, extract->rows[row]);
		buffer_putc(&output->text, '\n');
		output_row(output);
	}
	return true;
}
