/*
 * Output formats of PyProf's prof.py: CSV, blank-separated fields, and fixed-width columns.
 */
#include "base/error.h"
#include "base/literal.h"
#include "tools/pyprof/pyprof.h"

#include <math.h>
#include <string.h>

enum { KERNEL_OR_PARAMS = 0 }; /* no fixed width: they share the remainder */

static const struct pyprof_print_field {
	const char *id, *header;
	bool is_number;
	size_t width;
	const char *empty;
} fields[] = { { "idx", "Idx", true, 7, "" },
	       { "seq", "SeqId", false, 7, "-" },
	       { "altseq", "AltSeqId", false, 7, "-" },
	       { "tid", "TId", true, 12, "" },
	       { "layer", "Layer", false, 10, "-" },
	       { "trace", "Trace", false, 25, "-" },
	       { "dir", "Direction", false, 5, "" },
	       { "sub", "Sub", true, 3, "" },
	       { "mod", "Module", false, 15, "" },
	       { "op", "Op", false, 15, "" },
	       { "kernel", "Kernel", false, KERNEL_OR_PARAMS, "" },
	       { "params", "Params", false, KERNEL_OR_PARAMS, "" },
	       { "sil", "Sil(ns)", true, 10, "" },
	       { "tc", "TC", false, 2, "" },
	       { "device", "Device", true, 3, "" },
	       { "stream", "Stream", true, 3, "" },
	       { "grid", "Grid", false, 12, "" },
	       { "block", "Block", false, 12, "" },
	       { "flops", "FLOPs", true, 12, "" },
	       { "bytes", "Bytes", true, 12, "" } };

static const struct pyprof_print_field *find_field(const struct extract *extract, size_t column)
{
	const char *id = extract->table->column[extract->columns[column]]->id;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strcmp(fields[i].id, id) == 0)
			return &fields[i];
	return &fields[0];
}

static struct value pyprof_print_cell(const struct extract *extract, size_t row, size_t column)
{
	return table_value(extract->table, extract->rows[row], (size_t)extract->columns[column]);
}

static void put_cell(struct buffer *out, struct value value, const struct pyprof_print_field *field,
		     bool terminal)
{
	char real[NUMBER_MAX];
	switch (value.kind) {
	case VALUE_MISSING: buffer_puts(out, field->empty); break;
	case VALUE_INT: buffer_printf(out, "%lld", (long long)value.integer); break;
	case VALUE_REAL: buffer_puts(out, literal_real(real, value.real)); break;
	case VALUE_TEXT:
		if (value.length)
			format_text(out, value.text, value.length, terminal);
		else
			buffer_puts(out, field->empty);
		break;
	}
}

/* ---- blank-separated and CSV: quotes are not escaped ---- */

static bool write_fields(struct output *output, const struct extract *extract,
			 const struct style *style, const char *around, char between,
			 const struct progress *progress, struct error *error)
{
	struct buffer *out = &output->text;
	for (size_t row = 0; row <= extract->row_count; row++) {
		for (size_t i = 0; i < extract->column_count; i++) {
			const struct pyprof_print_field *field = find_field(extract, i);
			if (i)
				buffer_putc(out, between);
			buffer_puts(out, around);
			if (row)
				put_cell(out, pyprof_print_cell(extract, row - 1, i), field,
					 style->terminal);
			else
				buffer_puts(out, field->header);
			buffer_puts(out, around);
		}
		buffer_putc(out, '\n');
		output_row(output);
		if (!format_go_on(extract, row, progress, error))
			return false;
	}
	return true;
}

bool pyprof_print_csv(struct output *output, const struct extract *extract,
		      const struct style *style, const struct progress *progress,
		      struct error *error)
{
	return write_fields(output, extract, style, "\"", ',', progress, error);
}

/* ---- columns ---- */

static void put_padding(struct buffer *out, size_t used, size_t width)
{
	for (; used < width; used++)
		buffer_putc(out, ' ');
}

/* Text truncated and padded to its width. */
static void pyprof_print_put_text(struct buffer *out, const char *text, size_t length, size_t width)
{
	size_t points = 0, used = 0;
	while (used < length && points < width) {
		used++;
		while (used < length && ((unsigned char)text[used] & 0xc0) == 0x80)
			used++;
		points++;
	}
	buffer_add(out, text, used);
	put_padding(out, points, width);
}

/* Numbers are never truncated; quotients lose their fraction. */
static void put_number(struct buffer *out, struct value value, size_t width)
{
	struct buffer digits = { 0 };
	if (value.kind == VALUE_REAL)
		buffer_printf(&digits, "%.0f", trunc(value.real));
	else
		put_cell(&digits, value, &fields[0], false);
	put_padding(out, digits.length, width);
	buffer_add(out, buffer_text(&digits), digits.length);
	buffer_free(&digits);
}

/* Keeps only the innermost entry of a trace, without its directory. */
static void last_entry(struct value *value)
{
	const char *from = value->text, *end = from + value->length, *at = end;
	while (at > from && at[-1] != '/' && at[-1] != ',')
		at--;
	value->text = at;
	value->length = (size_t)(end - at);
}

static void put_padded(struct buffer *out, const struct extract *extract, const struct style *style,
		       size_t row, size_t column, size_t width)
{
	const struct pyprof_print_field *field = find_field(extract, column);
	struct value value = pyprof_print_cell(extract, row, column);
	if (field->is_number) {
		put_number(out, value, width);
		return;
	}
	if (value.kind == VALUE_MISSING)
		value = value_text(field->empty);
	else if (strcmp(field->id, "trace") == 0)
		last_entry(&value);
	struct buffer text = { 0 };
	format_text(&text, value.text, value.length, style->terminal);
	pyprof_print_put_text(out, buffer_text(&text), text.length, width);
	buffer_free(&text);
}

/* Width of every column; false if they do not fit. The caller frees *WIDTHS. */
static bool share_width(const struct extract *extract, size_t width, size_t **widths,
			struct error *error)
{
	size_t taken = 0, sharing = 0;
	bool kernel = false, params = false;
	*widths = mem_alloc((extract->column_count + 1) * sizeof **widths);
	for (size_t i = 0; i < extract->column_count; i++) {
		const struct pyprof_print_field *field = find_field(extract, i);
		(*widths)[i] = field->width;
		taken += field->width;
		kernel |= strcmp(field->id, "kernel") == 0;
		params |= strcmp(field->id, "params") == 0;
	}
	if (taken > width)
		return error_set(error, ERROR_USAGE,
				 "these columns need a line width of at least %zu", taken);
	sharing = (size_t)kernel + (size_t)params;
	for (size_t i = 0; i < extract->column_count; i++)
		if (find_field(extract, i)->width == KERNEL_OR_PARAMS)
			(*widths)[i] = (width - taken) / sharing;
	return true;
}

static bool write_columns(struct output *output, const struct extract *extract,
			  const struct style *style, const size_t *widths,
			  const struct progress *progress, struct error *error)
{
	struct buffer *out = &output->text;
	for (size_t row = 0; row <= extract->row_count; row++) {
		for (size_t i = 0; i < extract->column_count; i++) {
			const char *header = find_field(extract, i)->header;
			if (row)
				put_padded(out, extract, style, row - 1, i, widths[i]);
			else
				pyprof_print_put_text(out, header, strlen(header), widths[i]);
			buffer_putc(out, ' ');
		}
		buffer_putc(out, '\n');
		output_row(output);
		if (!format_go_on(extract, row, progress, error))
			return false;
	}
	return true;
}

bool pyprof_print(struct output *output, const struct extract *extract, const struct style *style,
		  const struct progress *progress, struct error *error)
{
	size_t *widths = NULL;
	if (!style->width)
		return write_fields(output, extract, style, "", ' ', progress, error);
	bool done = share_width(extract, style->width, &widths, error) &&
		    write_columns(output, extract, style, widths, progress, error);
	mem_free(widths);
	return done;
}
