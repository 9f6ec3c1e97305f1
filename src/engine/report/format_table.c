/*
 * Text tables: one line per row, numbers right-aligned, long texts elided in the middle to fit the
 * width.
 */
#include "base/any_of.h"
#include "base/text.h"
#include "picture/role.h"
#include "report/format.h"

enum { TABLE_LAYOUT_ROWS(_) };

struct table_layout {
	const struct extract *extract;
	const struct style *style;
	size_t *widths;
	size_t shown;    /* columns that fit */
	size_t deepest;  /* largest indentation of a name */
	int name_column; /* or -1 */
};

/* Indentation of a cell in the name column of a tree. */
static size_t indent_of(const struct table_layout *layout, uint32_t row, int column)
{
	if (!layout->extract->table->is_tree || column != layout->name_column)
		return 0;
	size_t indent = table_depth(layout->extract->table, row) * (size_t)INDENT;
	return indent < INDENT_MAX ? indent : INDENT_MAX;
}

/* The escaped cell, not yet truncated. */
static void make_cell(const struct table_layout *layout, uint32_t row, int column,
		      struct buffer *scratch, struct buffer *cell)
{
	const struct table *table = layout->extract->table;
	struct value value = table_value(table, row, (size_t)column);
	buffer_clear(cell);
	for (size_t i = indent_of(layout, row, column); i > 0; i--)
		buffer_putc(cell, ' ');
	if (value.kind == VALUE_TEXT) {
		text_escape(cell, value.text, value.length);
		return;
	}
	buffer_clear(scratch);
	table_format(scratch, table, row, (size_t)column, layout->style->raw);
	buffer_add(cell, BUFFERED(scratch));
}

static void make_title(const struct table_layout *layout, int column, struct buffer *cell)
{
	const char *title = layout->extract->table->column[column]->title;
	buffer_clear(cell);
	text_escape(cell, title, strlen(title));
}

static bool measure_columns(struct table_layout *layout, const struct progress *progress,
			    struct error *error)
{
	const struct extract *extract = layout->extract;
	AUTO_BUFFER struct buffer scratch = { 0 }, cell = { 0 };
	bool going = true;
	for (size_t i = 0; i < extract->column_count; i++) {
		make_title(layout, extract->columns[i], &cell);
		layout->widths[i] = text_width(BUFFERED(&cell));
	}
	for (size_t row = 0; row < extract->row_count && going; row++) {
		going = format_go_on(extract, row, progress, error);
		for (size_t i = 0; i < extract->column_count; i++) {
			make_cell(layout, extract->rows[row], extract->columns[i], &scratch, &cell);
			size_t indent = indent_of(layout, extract->rows[row], extract->columns[i]);
			size_t width = text_width(BUFFERED(&cell));
			layout->deepest = indent > layout->deepest ? indent : layout->deepest;
			raise_to(layout->widths[i], width);
		}
	}
	return going;
}

static bool is_number(const struct table_layout *layout, size_t i)
{
	const struct extract *extract = layout->extract;
	return column_is_number(extract->table->column[extract->columns[i]]);
}

static size_t line_width(const struct table_layout *layout)
{
	return sum_of(i, layout->shown, layout->widths[i] + (i ? GAP : 0));
}

/* Width below which a text column does not shrink: WIDE, or to the last. */
static size_t least_width(const struct table_layout *layout, size_t i, bool wide)
{
	const struct extract *extract = layout->extract;
	int column = extract->columns[i];
	size_t title = strlen(extract->table->column[column]->title);
	if (!wide)
		return TEXT_MIN;
	if (column == layout->name_column)
		return layout->deepest + NAME_MIN;
	return title > TEXT_WIDE ? title : TEXT_WIDE;
}

/* Widest text column that can shrink; number of columns if none can. */
static size_t widest_text(const struct table_layout *layout, bool wide)
{
	size_t widest = layout->shown;
	for (size_t i = 0; i < layout->shown; i++)
		if (!is_number(layout, i) && layout->widths[i] > least_width(layout, i, wide) &&
		    (widest == layout->shown || layout->widths[i] >= layout->widths[widest]))
			widest = i;
	return widest;
}

/* Repeatedly shrink the widest text column to the second widest. */
static void shrink(struct table_layout *layout, bool wide)
{
	for (;;) {
		size_t width = line_width(layout), widest = widest_text(layout, wide);
		if (width <= layout->style->width || widest == layout->shown)
			return;
		size_t next = least_width(layout, widest, wide);
		for (size_t i = 0; i < layout->shown; i++)
			if (i != widest && !is_number(layout, i) && layout->widths[i] > next)
				next = layout->widths[i];
		size_t give = layout->widths[widest] > next ? layout->widths[widest] - next : 1;
		size_t excess = width - layout->style->width;
		layout->widths[widest] -= give < excess ? give : excess;
	}
}

/* Leave out columns at the right, but the first LEAST. */
static void drop(struct table_layout *layout, size_t least)
{
	while (layout->shown > least && line_width(layout) > layout->style->width)
		layout->shown--;
}

/* Names give way last: texts beside them shrink first, and columns to their right are left out. */
static void fit_columns(struct table_layout *layout)
{
	const struct extract *extract = layout->extract;
	size_t names = 1;
	if (!layout->style->width)
		return;
	for (size_t i = 0; i < layout->shown; i++)
		if (extract->columns[i] == layout->name_column)
			names = i + 1;
	AUTO_FREE size_t *whole = mem_alloc(layout->shown * sizeof *whole);
	memcpy(whole, layout->widths, layout->shown * sizeof *whole);
	shrink(layout, true);
	drop(layout, names);
	memcpy(layout->widths, whole,
	       layout->shown * sizeof *whole); /* what is left has more room */
	shrink(layout, true);
	shrink(layout, false);
	drop(layout, 1);
	lower_to(layout->widths[0], layout->style->width);
}

static enum role role_of_cell(const struct table_layout *layout, size_t i,
			      const struct buffer *cell)
{
	const struct extract *extract = layout->extract;
	return extract->table->column[extract->columns[i]]->colored ? role_of_text(BUFFERED(cell))
								    : ROLE_TEXT;
}

/* Append a truncated, aligned cell; the last one is not padded. */
static void put_cell(const struct table_layout *layout, struct buffer *out, size_t i,
		     const struct buffer *cell, enum role role)
{
	AUTO_BUFFER struct buffer cut = { 0 };
	const struct extract *extract = layout->extract;
	size_t width = layout->widths[i];
	bool prose = extract->table->column[extract->columns[i]]->prose;
	size_t used = (prose ? text_cut : text_elide)(&cut, BUFFERED(cell), width,
						      layout->style->unicode);
	bool right = is_number(layout, i), last = i + 1 == layout->shown;
	buffer_printf(out, "%*s", (int)((i ? GAP : 0) + (right ? width - used : 0)), "");
	bool colored = layout->style->color && role_start(role, out);
	buffer_add(out, BUFFERED(&cut));
	buffer_puts(out, colored ? ROLE_END : "");
	if (!right && !last)
		buffer_printf(out, "%*s", (int)(width - used), "");
}

static void trim_line(struct buffer *out)
{
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	buffer_putc(out, '\n');
}

static void write_head(const struct table_layout *layout, struct output *output)
{
	AUTO_BUFFER struct buffer cell = { 0 };
	for (size_t i = 0; i < layout->shown; i++) {
		make_title(layout, layout->extract->columns[i], &cell);
		put_cell(layout, &output->text, i, &cell, ROLE_HEADER);
	}
	trim_line(&output->text);
	for (size_t i = 0; i < layout->shown; i++) {
		buffer_printf(&output->text, "%*s", i ? GAP : 0, "");
		for (size_t dash = 0; dash < layout->widths[i]; dash++)
			buffer_putc(&output->text, '-');
	}
	buffer_putc(&output->text, '\n');
}

static bool write_rows(const struct table_layout *layout, struct output *output,
		       const struct progress *progress, struct error *error)
{
	const struct extract *extract = layout->extract;
	AUTO_BUFFER struct buffer scratch = { 0 }, cell = { 0 };
	bool going = true;
	for (size_t row = 0; row < extract->row_count && going; row++) {
		going = format_go_on(extract, row, progress, error);
		for (size_t i = 0; i < layout->shown; i++) {
			make_cell(layout, extract->rows[row], extract->columns[i], &scratch, &cell);
			put_cell(layout, &output->text, i, &cell, role_of_cell(layout, i, &cell));
		}
		trim_line(&output->text);
		output_row(output);
	}
	return going;
}

static void write_foot(const struct table_layout *layout, struct output *output)
{
	const struct extract *extract = layout->extract;
	if (extract->left_out)
		buffer_printf(&output->text, "(%zu more row%s)\n", extract->left_out,
			      extract->left_out == 1 ? "" : "s");
	if (layout->shown == extract->column_count)
		return;
	buffer_puts(&output->text, "(columns that do not fit: ");
	for (size_t i = layout->shown; i < extract->column_count; i++) {
		const char *id = extract->table->column[extract->columns[i]]->id;
		text_escape(&output->text, id, strlen(id));
		buffer_puts(&output->text, i + 1 < extract->column_count ? ", " : ")\n");
	}
}

FORMAT_WRITER(format_write_table)
{
	struct table_layout layout = {
		.extract = extract,
		.style = style,
		.widths = mem_zalloc(extract->column_count, sizeof(size_t)),
		.shown = extract->column_count,
		.name_column = table_name_column(extract->table),
	};
	bool done = measure_columns(&layout, progress, error);
	if (done) {
		fit_columns(&layout);
		write_head(&layout, output);
		done = write_rows(&layout, output, progress, error);
		write_foot(&layout, output);
	}
	mem_free(layout.widths);
	return done;
}
