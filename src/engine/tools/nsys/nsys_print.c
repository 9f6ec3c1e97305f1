/*
 * Formats `nsys stats` reports: columns, CSV, JSON.
 */
#include "base/text.h"
#include "report/preset.h"
#include "tools/nsys/nsys_reports.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH_MAX = 100 }; /* texts in columns; longer ones end in an ellipsis */

enum { FIELDS_MAX = VIEW_COLUMNS_MAX };

/* A column that is printed. */
struct nsys_print_field {
	struct value title;
	enum unit unit; /* decides how numbers are printed; texts are aligned to the left */
	size_t column, width;
};

struct nsys_print_printing {
	struct buffer *out;
	const struct extract *extract;
	const struct nsys_report *report;
	bool terminal;
	struct nsys_print_field field[FIELDS_MAX];
	size_t count;
	struct buffer cell;
};

static struct nsys_print_printing
printing_begin(struct output *output, const struct extract *extract, const struct style *style)
{
	const struct table *table = extract->table;
	struct nsys_print_printing printing = {
		.out = &output->text,
		.extract = extract,
		.terminal = style->terminal,
		.report = nsys_report_of(table),
	};
	const char *title = printing.report->titles;
	for (size_t i = 0; i < table->columns; i++) {
		size_t length = strcspn(title, ",");
		if (length)
			printing.field[printing.count++] =
				(struct nsys_print_field){ value_bytes(title, length),
							   table->column[i]->unit, i, length };
		title += length + (title[length] == ',');
	}
	return printing;
}

/* ---- numbers ---- */

/* As SQLite's round(x, 1): half away from zero. */
static double round_tenths(double value)
{
	return fabs(value) < 1e14 ? round(value * 10) / 10 : value;
}

static void add_number(struct buffer *out, struct value value, enum unit unit)
{
	double real = value.kind == VALUE_INT ? (double)value.integer : value.real;
	if (unit == UNIT_BYTES || unit == UNIT_BYTES_PER_S) /* as megabytes */
		buffer_printf(out, "%.3f", real / 1e6);
	else if (value.kind == VALUE_INT)
		buffer_printf(out, "%" PRId64, value.integer);
	else
		buffer_printf(out, "%.1f", round_tenths(real));
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

/* Number of code points in the cell. */
static size_t points_of(const struct buffer *cell, size_t max, size_t *bytes)
{
	size_t at = 0, points = 0;
	int32_t point;
	for (; at < cell->length && points < max; points++)
		at += text_decode(cell->data + at, cell->length - at, &point);
	*bytes = at;
	return points;
}

static size_t parse_cell(struct nsys_print_printing *printing, uint32_t row,
			 const struct nsys_print_field *field)
{
	size_t bytes, points;
	struct buffer *cell = &printing->cell;
	struct value value = table_value(printing->extract->table, row, field->column);
	buffer_clear(cell);
	if (value.kind == VALUE_TEXT)
		format_text(cell, value.text, value.length, printing->terminal);
	else if (value.kind != VALUE_MISSING)
		add_number(cell, value, field->unit);
	if (value.kind != VALUE_TEXT && field->unit != UNIT_ID && cell->length)
		group_digits(cell);
	points = points_of(cell, SIZE_MAX, &bytes);
	if (points <= WIDTH_MAX)
		return points;
	points_of(cell, WIDTH_MAX - 1, &bytes);
	cell->length = bytes;
	buffer_puts(cell, "…");
	return WIDTH_MAX;
}

static void add_blanks(struct buffer *out, size_t count)
{
	buffer_printf(out, "%*s", (int)count, "");
}

static void nsys_print_add_row(struct nsys_print_printing *printing, uint32_t row)
{
	for (size_t i = 0; i < printing->count; i++) {
		const struct nsys_print_field *field = &printing->field[i];
		size_t blanks = field->width - parse_cell(printing, row, field);
		bool left = field->unit == UNIT_TEXT;
		buffer_puts(printing->out, i ? "  " : " ");
		add_blanks(printing->out, left ? 0 : blanks);
		buffer_puts(printing->out, buffer_text(&printing->cell));
		add_blanks(printing->out, left ? blanks : 0);
	}
	buffer_putc(printing->out, '\n');
}

static void add_header(struct nsys_print_printing *printing)
{
	struct buffer *out = printing->out;
	for (size_t i = 0; i < printing->count; i++) {
		struct value title = printing->field[i].title;
		size_t blanks = printing->field[i].width - title.length;
		buffer_puts(out, i ? "  " : " ");
		add_blanks(out, blanks / 2);
		buffer_add(out, title.text, title.length);
		add_blanks(out, blanks - blanks / 2);
	}
	buffer_putc(out, '\n');
	for (size_t i = 0; i < printing->count; i++) {
		buffer_puts(out, i ? "  " : " ");
		for (size_t j = 0; j < printing->field[i].width; j++)
			buffer_putc(out, '-');
	}
	buffer_putc(out, '\n');
}

bool nsys_print(struct output *output, const struct extract *extract, const struct style *style,
		const struct progress *progress, struct error *error)
{
	struct nsys_print_printing printing = printing_begin(output, extract, style);
	bool done = true;
	for (size_t i = 0; i < printing.count; i++) {
		struct nsys_print_field *field = &printing.field[i];
		for (size_t row = 0; row < extract->row_count; row++) {
			size_t width = parse_cell(&printing, extract->rows[row], field);
			field->width = width > field->width ? width : field->width;
		}
	}
	if (extract->row_count) {
		buffer_printf(printing.out, "\n ** %s (%s):\n\n", printing.report->heading,
			      extract->table->view->title);
		add_header(&printing);
	}
	for (size_t row = 0; row < extract->row_count && done; row++) {
		done = format_go_on(extract, row, progress, error);
		nsys_print_add_row(&printing, extract->rows[row]);
		output_row(output);
	}
	if (extract->row_count)
		buffer_putc(printing.out, '\n');
	buffer_free(&printing.cell);
	return done;
}

/* ---- CSV and JSON ---- */

bool nsys_print_csv(struct output *output, const struct extract *extract, const struct style *style,
		    const struct progress *progress, struct error *error)
{
	struct nsys_print_printing printing = printing_begin(output, extract, style);
	for (size_t i = 0; i < printing.count; i++)
		buffer_printf(printing.out, "%s%.*s", i ? "," : "",
			      (int)printing.field[i].title.length, printing.field[i].title.text);
	buffer_putc(printing.out, '\n');
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		for (size_t i = 0; i < printing.count; i++) {
			struct value value = table_value(extract->table, extract->rows[row],
							 printing.field[i].column);
			buffer_puts(printing.out, i ? "," : "");
			if (value.kind == VALUE_TEXT)
				format_csv_text(printing.out, value.text, value.length,
						printing.terminal);
			else if (value.kind != VALUE_MISSING)
				add_number(printing.out, value, printing.field[i].unit);
		}
		buffer_putc(printing.out, '\n');
		output_row(output);
	}
	return true;
}

static void add_object(const struct nsys_print_printing *printing, uint32_t row)
{
	struct buffer *out = printing->out;
	for (size_t i = 0; i < printing->count; i++) {
		const struct nsys_print_field *field = &printing->field[i];
		struct value value = table_value(printing->extract->table, row, field->column);
		buffer_puts(out, i ? "," : "{");
		format_json_text(out, field->title.text, field->title.length);
		buffer_putc(out, ':');
		if (value.kind == VALUE_TEXT)
			format_json_text(out, value.text, value.length);
		else if (value.kind == VALUE_MISSING)
			buffer_puts(out, "null");
		else
			add_number(out, value, field->unit);
	}
	buffer_putc(out, '}');
}

bool nsys_print_json(struct output *output, const struct extract *extract,
		     const struct style *style, const struct progress *progress,
		     struct error *error)
{
	struct nsys_print_printing printing = printing_begin(output, extract, style);
	buffer_putc(printing.out, '[');
	for (size_t row = 0; row < extract->row_count; row++) {
		if (!format_go_on(extract, row, progress, error))
			return false;
		buffer_puts(printing.out, row ? ",\n" : "\n");
		add_object(&printing, extract->rows[row]);
		output_row(output);
	}
	buffer_puts(printing.out, extract->row_count ? "\n]\n" : "]\n");
	return true;
}
