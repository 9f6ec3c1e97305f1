/*
 * Reproduces the text table of PyTorch's key_averages() byte for byte.
 */
#include "report/report_form.h"
#include "tools/torch/key_averages.h"

#include <math.h>

enum { KEY_AVERAGES_LAYOUT_ROWS(_) };

/* Condition for showing a column. */
enum need { ALWAYS, DEVICE_TIME, MEMORY, DEVICE_MEMORY, SHAPES, STACK };

enum key_averages_notation { KEY_AVERAGES_NOTATION_ROWS(LISTED) };

static const struct torch_column {
	const char *title, *id;
	enum key_averages_notation print;
	enum need need;
} columns[] = { KEY_AVERAGES_COLUMNS_ROWS };

enum { COLUMNS = sizeof columns / sizeof *columns };

/* Sums of all rows, and the text of the current cell. */
struct key_averages_layout {
	double self_cpu, self_device;
	struct buffer cell;
};

static struct value cell_of(const struct report_form *form, size_t row, const char *id)
{
	return table_cell(form->extract->table, form->extract->rows[row], id);
}

static double number_of(const struct report_form *form, size_t row, const char *id)
{
	struct value value = cell_of(form, row, id);
	return value.kind == VALUE_INT    ? (double)value.integer
	       : value.kind == VALUE_REAL ? value.real
					  : 0;
}

/* ---- texts, measured in code points ---- */

static void set_cell(const struct report_form *form, const char *text, size_t length)
{
	struct key_averages_layout *layout = form->own;
	buffer_clear(&layout->cell);
	format_text(&layout->cell, text, length, form->style->terminal);
}

static void set_name(const struct report_form *form, size_t row)
{
	struct value name = cell_of(form, row, "name");
	set_cell(form, name.kind == VALUE_TEXT ? name.text : "",
		 name.kind == VALUE_TEXT ? name.length : 0);
}

/* Python prints lists with a blank after each comma. */
static void set_shapes(const struct report_form *form, size_t row)
{
	struct value shapes = cell_of(form, row, "input_shapes");
	AUTO_BUFFER struct buffer text = { 0 };
	for (size_t i = 0; shapes.kind == VALUE_TEXT && i < shapes.length; i++) {
		char c = shapes.text[i];
		if (c != ' ')
			buffer_putc(&text, c);
		if (c == ',')
			buffer_putc(&text, ' ');
	}
	set_cell(form, BUFFERED(&text));
}

/* Removes the next entry from a call stack; false at the end. */
static bool next_entry(const struct report_form *form, struct value *stack)
{
	if (stack->kind != VALUE_TEXT || !stack->length)
		return false;
	const char *end = memchr(stack->text, ';', stack->length);
	size_t length = end ? (size_t)(end - stack->text) : stack->length;
	set_cell(form, stack->text, length);
	length += end != NULL;
	stack->text += length;
	stack->length -= length;
	return true;
}

static size_t points_of_cell(const struct report_form *form)
{
	const struct key_averages_layout *layout = form->own;
	return report_points_of(BUFFERED(&layout->cell));
}

/* Cut the cell to its first POINTS. */
static void cut_cell(const struct report_form *form, size_t points)
{
	struct buffer *cell = &((struct key_averages_layout *)form->own)->cell;
	if (cell->length)
		cell->length = report_bytes_of(cell->data, cell->length, points);
}

/* ---- choice and width of columns ---- */

struct survey {
	bool has[STACK + 1];
	size_t widest[PRINT_STACK + 1];
	double launched; /* device time of operators: all there is of it without rows of kernels */
};

static void widen(const struct report_form *form, struct survey *survey,
		  enum key_averages_notation print)
{
	size_t points = points_of_cell(form);
	survey->widest[print] = points > survey->widest[print] ? points : survey->widest[print];
}

static void survey_row(const struct report_form *form, size_t row, struct survey *survey)
{
	struct key_averages_layout *layout = form->own;
	struct value stack = cell_of(form, row, "stack");
	survey->has[DEVICE_TIME] |= number_of(form, row, "gpu_self_ns") > 0;
	survey->has[MEMORY] |= cell_of(form, row, "cpu_mem_bytes").kind != VALUE_MISSING;
	survey->has[DEVICE_MEMORY] |= number_of(form, row, "gpu_self_mem_bytes") > 0;
	survey->has[STACK] |= stack.kind == VALUE_TEXT && stack.length;
	set_name(form, row);
	widen(form, survey, PRINT_NAME);
	set_shapes(form, row);
	widen(form, survey, PRINT_SHAPES);
	survey->has[SHAPES] |= layout->cell.length > strlen("[]");
	while (next_entry(form, &stack))
		widen(form, survey, PRINT_STACK);
	layout->self_cpu += number_of(form, row, "cpu_self_ns");
	*(number_of(form, row, "on_device") != 0 ? &layout->self_device : &survey->launched) +=
		number_of(form, row, "gpu_self_ns");
}

static void choose_columns(struct report_form *form)
{
	static const size_t max[] = {
		[PRINT_NAME] = NAME_MAX, [PRINT_SHAPES] = SHAPES_MAX, [PRINT_STACK] = STACK_MAX
	};
	struct survey survey = { .has = { [ALWAYS] = true } };
	for (size_t i = 0; i < form->extract->row_count + form->extract->left_out; i++)
		survey_row(form, i, &survey);
	struct key_averages_layout *layout = form->own;
	if (layout->self_device == 0)
		layout->self_device = survey.launched;
	survey.has[DEVICE_MEMORY] &= survey.has[MEMORY];
	for (int i = 0; i < COLUMNS; i++) {
		enum key_averages_notation print = columns[i].print;
		size_t wide = survey.widest[print] + MARGIN;
		if (!survey.has[columns[i].need])
			continue;
		report_add(form, columns[i].title,
			   (size_t)table_need(form->extract->table, columns[i].id), i);
		form->columns[form->count - 1].width = !max[print]         ? WIDTH
						       : wide < max[print] ? wide
									   : max[print];
	}
}

/* ---- cells ---- */

static void print_time(struct buffer *out, double ns)
{
	if (ns >= 1e9)
		buffer_printf(out, "%.3fs", ns / 1e9);
	else if (ns >= 1e6)
		buffer_printf(out, "%.3fms", ns / 1e6);
	else
		buffer_printf(out, "%.3fus", ns / 1e3);
}

static void print_bytes(struct buffer *out, double bytes)
{
	static const struct {
		double size;
		const char *name;
	} units[] = { { 1 << 30, "Gb" }, { 1 << 20, "Mb" }, { 1 << 10, "Kb" } };
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (fabs(bytes) >= units[i].size) {
			buffer_printf(out, "%.2f %s", bytes / units[i].size, units[i].name);
			return;
		}
	}
	buffer_printf(out, "%.0f b", bytes);
}

static void print_share(struct buffer *out, double part, double whole)
{
	if (whole == 0)
		buffer_puts(out, "NaN");
	else
		buffer_printf(out, "%.2f%%", part * 100.0 / whole);
}

/* Format a cell into the layout's. */
static void make_cell(const struct report_form *form, size_t row, const struct torch_column *column)
{
	struct key_averages_layout *layout = form->own;
	double number = number_of(form, row, column->id);
	struct buffer *cell = &layout->cell;
	buffer_clear(cell);
	switch (column->print) {
	case PRINT_NAME:
		set_name(form, row);
		if (points_of_cell(form) < NAME_CUT)
			break;
		cut_cell(form, NAME_CUT);
		buffer_puts(cell, "...");
		break;
	case PRINT_TIME: print_time(cell, number); break;
	case PRINT_BYTES: print_bytes(cell, number); break;
	case PRINT_COUNT: buffer_printf(cell, "%.0f", number); break;
	case PRINT_TOTAL_SHARE:
		if (number_of(form, row, "async") != 0) {
			buffer_puts(cell, "0");
			break;
		}
		/* fallthrough */
	case PRINT_SHARE:
		print_share(cell, number,
			    column->need == DEVICE_TIME ? layout->self_device : layout->self_cpu);
		break;
	case PRINT_SHAPES:
		set_shapes(form, row);
		cut_cell(form, SHAPES_MAX);
		break;
	case PRINT_STACK: break;
	}
}

/* ---- lines ---- */

static void put_padded(const struct report_form *form, const struct report_column *column,
		       const char *text, size_t length)
{
	struct buffer *out = &form->output->text;
	report_pad(out, text, length, column->width, columns[column->print].print == PRINT_STACK);
	buffer_printf(out, "%*s", GAP, "");
}

/* Each column filled with a character; NUL: the titles. */
static void put_line(const struct report_form *form, char fill)
{
	struct buffer *out = &form->output->text;
	for_each (column, form->columns, form->count) {
		for (size_t n = 0; n < column->width && fill; n++)
			buffer_putc(out, fill);
		if (fill)
			buffer_printf(out, "%*s", GAP, "");
		else
			put_padded(form, column, column->title, strlen(column->title));
	}
	buffer_putc(out, '\n');
}

/* A long source location keeps its end. */
static void put_location(const struct report_form *form)
{
	const struct key_averages_layout *layout = form->own;
	const struct report_column *column = &form->columns[form->count - 1];
	const char *text = buffer_text(&layout->cell);
	size_t points = points_of_cell(form), length = layout->cell.length;
	AUTO_BUFFER struct buffer tail = { 0 };
	if (points > column->width) {
		size_t cut = report_bytes_of(text, length, points - column->width + 3);
		buffer_puts(&tail, "...");
		buffer_add(&tail, text + cut, length - cut);
		text = tail.data;
		length = tail.length;
	}
	put_padded(form, column, text, length);
	buffer_putc(&form->output->text, '\n');
}

/* The entries of a call stack, one per line, the first in the line of the row; a blank line. */
static void put_stack(const struct report_form *form, size_t row)
{
	struct value stack = cell_of(form, row, "stack");
	set_cell(form, "", 0);
	next_entry(form, &stack);
	put_location(form);
	for (int entry = 1; entry < STACK_ENTRIES && next_entry(form, &stack); entry++) {
		for (size_t i = 0; i + 1 < form->count; i++)
			buffer_printf(&form->output->text, "%*s", (int)form->columns[i].width + GAP,
				      "");
		put_location(form);
	}
	put_line(form, ' ');
}

static void put_row(const struct report_form *form, size_t row)
{
	struct key_averages_layout *layout = form->own;
	for_each (column, form->columns, form->count) {
		if (columns[column->print].print == PRINT_STACK) {
			put_stack(form, row);
			return;
		}
		make_cell(form, row, &columns[column->print]);
		put_padded(form, column, BUFFERED(&layout->cell));
	}
	buffer_putc(&form->output->text, '\n');
}

static void put_sum(struct buffer *out, const char *what, double ns)
{
	buffer_printf(out, "Self %s time total: ", what);
	print_time(out, ns);
	buffer_putc(out, '\n');
}

FORMAT_WRITER(key_averages_print)
{
	struct key_averages_layout layout = { 0 };
	struct report_form form = { output, extract, style, progress, error, .own = &layout };
	bool has_device = false;
	if (!extract->row_count && !extract->left_out)
		return true;
	choose_columns(&form);
	put_line(&form, '-');
	put_line(&form, 0);
	put_line(&form, '-');
	bool done = report_rows(&form, put_row);
	put_line(&form, '-');
	put_sum(&output->text, "CPU", layout.self_cpu);
	for (size_t i = 0; i < form.count; i++)
		has_device |= columns[form.columns[i].print].need == DEVICE_TIME;
	if (has_device)
		put_sum(&output->text, "CUDA", layout.self_device);
	buffer_free(&layout.cell);
	return done;
}
