/*
 * JSON: an array of objects, or one object per line. Terminal control characters are written as \u
 * escapes; invalid UTF-8 becomes U+FFFD.
 */
#include "base/text.h"
#include "report/envelope.h"
#include "report/format.h"

#include <inttypes.h>
#include <math.h>

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

void format_json_string(struct buffer *out, const char *text)
{
	format_json_text(out, text, strlen(text));
}

void format_json_value(struct buffer *out, const struct column *column, struct value value)
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

void format_json_object(struct buffer *out, const struct extract *extract, uint32_t row)
{
	const struct table *table = extract->table;
	buffer_putc(out, '{');
	for (size_t i = 0; i < extract->column_count; i++) {
		size_t column = (size_t)extract->columns[i];
		buffer_puts(out, i ? ", " : "");
		format_json_string(out, table->column[column]->id);
		buffer_puts(out, ": ");
		format_json_value(out, table->column[column], table_value(table, row, column));
	}
	buffer_putc(out, '}');
}

/* ---- the envelope ---- */

/* Number of shown rows with a value in COLUMN. False with ERROR_CANCELLED. */
static bool count_known(const struct extract *extract, size_t column, uint64_t *known,
			const struct progress *progress, struct error *error)
{
	*known = 0;
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		*known += table_value(extract->table, extract->rows[row], column).kind !=
			  VALUE_MISSING;
	}
	return true;
}

static bool add_columns(struct buffer *out, const struct extract *extract,
			const struct progress *progress, struct error *error)
{
	buffer_puts(out, "\"columns\": [");
	for (size_t i = 0; i < extract->column_count; i++) {
		size_t index = (size_t)extract->columns[i];
		const struct column *column = extract->table->column[index];
		uint64_t known;
		if (!count_known(extract, index, &known, progress, error))
			return false;
		buffer_puts(out, i ? ", {\"id\": " : "{\"id\": ");
		format_json_string(out, column->id);
		buffer_printf(out, ", \"unit\": \"%s\", \"known\": %" PRIu64 "}",
			      unit_name(column->unit), known);
	}
	buffer_puts(out, "]");
	return true;
}

bool format_json_envelope(struct buffer *out, const struct extract *extract,
			  const struct table *facts, const struct progress *progress,
			  struct error *error)
{
	envelope_json(out, facts, false);
	buffer_printf(out,
		      "\"truncation\": {\"rows\": %zu, \"rows_total\": %zu, \"truncated\": %s}, ",
		      extract->row_count, extract->row_count + extract->left_out,
		      extract->left_out ? "true" : "false");
	return add_columns(out, extract, progress, error);
}

/* An array of objects in one document or, in LINES, each a document after that of FACTS. */
static bool write_objects(struct output *output, const struct extract *extract,
			  const struct table *facts, bool lines, const struct progress *progress,
			  struct error *error)
{
	struct buffer *out = &output->text;
	buffer_puts(out, facts ? "{" : "");
	if (facts && !format_json_envelope(out, extract, facts, progress, error))
		return false;
	if (lines)
		buffer_puts(out, facts ? "}\n" : "");
	else
		buffer_puts(out, facts ? ", \"rows\": [" : "[");
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		if (!lines)
			buffer_puts(out, row ? ",\n " : "\n ");
		format_json_object(out, extract, extract->rows[row]);
		if (lines)
			buffer_putc(out, '\n');
		output_row(output);
	}
	if (!lines)
		buffer_printf(out, "%s%s\n", extract->row_count ? "\n]" : "]", facts ? "}" : "");
	return true;
}

FORMAT_WRITER(format_write_json)
{
	return write_objects(output, extract, style->facts, false, progress, error);
}

FORMAT_WRITER(format_write_ndjson)
{
	return write_objects(output, extract, style->facts, true, progress, error);
}
