/*
 * Reproduces the text table of PyTorch's key_averages() byte for byte.
 */
#include "base/error.h"
#include "base/text.h"
#include "tools/torch/key_averages.h"

#include <math.h>
#include <string.h>

enum {
	WIDTH = 12, /* of numeric columns */
	GAP = 2,    /* after every column, including the last */
	NAME_MAX = 55,
	NAME_CUT = NAME_MAX - 3, /* names from this length on are truncated with "..." */
	SHAPES_MAX = 45,
	STACK_MAX = 75,
	MARGIN = 4, /* text columns are this much wider than their longest cell */
	STACK_ENTRIES = 5,
};

/* Condition for showing a column. */
enum need { ALWAYS, DEVICE_TIME, MEMORY, DEVICE_MEMORY, SHAPES, STACK };

enum key_averages_print_print {
	PRINT_NAME,
	PRINT_TIME,
	PRINT_SHARE,
	PRINT_TOTAL_SHARE,
	PRINT_BYTES,
	PRINT_COUNT,
	PRINT_SHAPES,
	PRINT_STACK
};

static const struct torch_column {
	const char *title, *id;
	enum key_averages_print_print print;
	enum need need;
} columns[] = {
	{ "Name", "name", PRINT_NAME, ALWAYS },
	{ "Self CPU %", "cpu_self_ns", PRINT_SHARE, ALWAYS },
	{ "Self CPU", "cpu_self_ns", PRINT_TIME, ALWAYS },
	{ "CPU total %", "cpu_total_ns", PRINT_TOTAL_SHARE, ALWAYS },
	{ "CPU total", "cpu_total_ns", PRINT_TIME, ALWAYS },
	{ "CPU time avg", "cpu_avg_ns", PRINT_TIME, ALWAYS },
	{ "Self CUDA", "gpu_self_ns", PRINT_TIME, DEVICE_TIME },
	{ "Self CUDA %", "gpu_self_ns", PRINT_SHARE, DEVICE_TIME },
	{ "CUDA total", "gpu_total_ns", PRINT_TIME, DEVICE_TIME },
	{ "CUDA time avg", "gpu_avg_ns", PRINT_TIME, DEVICE_TIME },
	{ "CPU Mem", "cpu_mem_bytes", PRINT_BYTES, MEMORY },
	{ "Self CPU Mem", "cpu_self_mem_bytes", PRINT_BYTES, MEMORY },
	{ "CUDA Mem", "gpu_mem_bytes", PRINT_BYTES, DEVICE_MEMORY },
	{ "Self CUDA Mem", "gpu_self_mem_bytes", PRINT_BYTES, DEVICE_MEMORY },
	{ "# of Calls", "calls", PRINT_COUNT, ALWAYS },
	{ "Input Shapes", "input_shapes", PRINT_SHAPES, SHAPES },
	{ "Source Location", "stack", PRINT_STACK, STACK },
};

enum { COLUMNS = sizeof columns / sizeof *columns };

struct key_averages_print_layout {
	const struct table *table;
	const struct style *style;
	struct buffer *out;
	size_t width[COLUMNS];        /* 0: not shown */
	double self_cpu, self_device; /* sums of all rows */
	struct buffer cell;
};

static struct value key_averages_print_cell_of(const struct key_averages_print_layout *layout,
					       uint32_t row, const char *id)
{
	int column = table_column(layout->table, id);
	return column < 0 ? value_missing() : table_value(layout->table, row, (size_t)column);
}

static double key_averages_print_number_of(const struct key_averages_print_layout *layout,
					   uint32_t row, const char *id)
{
	struct value value = key_averages_print_cell_of(layout, row, id);
	return value.kind == VALUE_INT    ? (double)value.integer
	       : value.kind == VALUE_REAL ? value.real
					  : 0;
}

/* ---- texts, measured in code points ---- */

/* Bytes of the first POINTS code points, or of all. */
static size_t bytes_of(const char *text, size_t length, size_t points)
{
	size_t at = 0;
	int32_t point;
	while (at < length && points--)
		at += text_decode(text + at, length - at, &point);
	return at;
}

static size_t points_of(const char *text, size_t length)
{
	size_t at = 0, points = 0;
	int32_t point;
	for (; at < length; points++)
		at += text_decode(text + at, length - at, &point);
	return points;
}

static void take_text_key_averages_print(struct key_averages_print_layout *layout, const char *text,
					 size_t length)
{
	buffer_clear(&layout->cell);
	format_text(&layout->cell, text, length, layout->style->terminal);
}

static void parse_name(struct key_averages_print_layout *layout, uint32_t row)
{
	struct value name = key_averages_print_cell_of(layout, row, "name");
	take_text_key_averages_print(layout, name.kind == VALUE_TEXT ? name.text : "",
				     name.kind == VALUE_TEXT ? name.length : 0);
}

/* Python prints lists with a blank after each comma. */
static void parse_shapes(struct key_averages_print_layout *layout, uint32_t row)
{
	struct value shapes = key_averages_print_cell_of(layout, row, "input_shapes");
	struct buffer text = { 0 };
	for (size_t i = 0; shapes.kind == VALUE_TEXT && i < shapes.length; i++) {
		char c = shapes.text[i];
		if (c != ' ')
			buffer_putc(&text, c);
		if (c == ',')
			buffer_putc(&text, ' ');
	}
	take_text_key_averages_print(layout, buffer_text(&text), text.length);
	buffer_free(&text);
}

/* Removes the next entry from a call stack; false at the end. */
static bool key_averages_print_parse_entry(struct key_averages_print_layout *layout,
					   struct value *stack)
{
	if (stack->kind != VALUE_TEXT || !stack->length)
		return false;
	const char *end = memchr(stack->text, ';', stack->length);
	size_t length = end ? (size_t)(end - stack->text) : stack->length;
	take_text_key_averages_print(layout, stack->text, length);
	length += end != NULL;
	stack->text += length;
	stack->length -= length;
	return true;
}

/* ---- choice and width of columns ---- */

static void key_averages_print_widen(size_t *widest, const struct key_averages_print_layout *layout)
{
	size_t points = points_of(buffer_text(&layout->cell), layout->cell.length);
	*widest = points > *widest ? points : *widest;
}

static size_t text_width_of(size_t widest, size_t max)
{
	return widest + MARGIN < max ? widest + MARGIN : max;
}

struct survey {
	bool has[STACK + 1];
	size_t name, shapes, stack;
};

static void survey_row(struct key_averages_print_layout *layout, uint32_t row,
		       struct survey *survey)
{
	struct value stack = key_averages_print_cell_of(layout, row, "stack");
	survey->has[DEVICE_TIME] |= key_averages_print_number_of(layout, row, "gpu_self_ns") > 0;
	survey->has[MEMORY] |=
		key_averages_print_cell_of(layout, row, "cpu_mem_bytes").kind != VALUE_MISSING;
	survey->has[DEVICE_MEMORY] |=
		key_averages_print_number_of(layout, row, "gpu_self_mem_bytes") > 0;
	survey->has[STACK] |= stack.kind == VALUE_TEXT && stack.length;
	parse_name(layout, row);
	key_averages_print_widen(&survey->name, layout);
	parse_shapes(layout, row);
	key_averages_print_widen(&survey->shapes, layout);
	survey->has[SHAPES] |= layout->cell.length > strlen("[]");
	while (key_averages_print_parse_entry(layout, &stack))
		key_averages_print_widen(&survey->stack, layout);
	layout->self_cpu += key_averages_print_number_of(layout, row, "cpu_self_ns");
	if (key_averages_print_number_of(layout, row, "on_device") != 0)
		layout->self_device += key_averages_print_number_of(layout, row, "gpu_self_ns");
}

static void key_averages_print_lay_out(struct key_averages_print_layout *layout,
				       const struct extract *extract)
{
	struct survey survey = { .has = { [ALWAYS] = true } };
	for (size_t i = 0; i < extract->row_count + extract->left_out; i++)
		survey_row(layout, extract->rows[i], &survey);
	survey.has[DEVICE_MEMORY] &= survey.has[MEMORY];
	for (int i = 0; i < COLUMNS; i++)
		layout->width[i] =
			!survey.has[columns[i].need]     ? 0
			: columns[i].print == PRINT_NAME ? text_width_of(survey.name, NAME_MAX)
			: columns[i].print == PRINT_SHAPES
				? text_width_of(survey.shapes, SHAPES_MAX)
			: columns[i].print == PRINT_STACK ? text_width_of(survey.stack, STACK_MAX)
							  : WIDTH;
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

/* Format a cell into layout->cell. */
static void parse_cell(struct key_averages_print_layout *layout, uint32_t row,
		       const struct torch_column *column)
{
	double number = key_averages_print_number_of(layout, row, column->id);
	struct value stack = key_averages_print_cell_of(layout, row, "stack");
	struct buffer *cell = &layout->cell;
	buffer_clear(cell);
	switch (column->print) {
	case PRINT_NAME:
		parse_name(layout, row);
		if (points_of(buffer_text(cell), cell->length) >= NAME_CUT) {
			cell->length = bytes_of(cell->data, cell->length, NAME_CUT);
			buffer_puts(cell, "...");
		}
		break;
	case PRINT_TIME: print_time(cell, number); break;
	case PRINT_BYTES: print_bytes(cell, number); break;
	case PRINT_COUNT: buffer_printf(cell, "%.0f", number); break;
	case PRINT_SHARE:
		print_share(cell, number,
			    column->need == DEVICE_TIME ? layout->self_device : layout->self_cpu);
		break;
	case PRINT_TOTAL_SHARE:
		if (key_averages_print_number_of(layout, row, "async") != 0)
			buffer_puts(cell, "0");
		else
			print_share(cell, number, layout->self_cpu);
		break;
	case PRINT_SHAPES:
		parse_shapes(layout, row);
		if (cell->length)
			cell->length = bytes_of(cell->data, cell->length, SHAPES_MAX);
		break;
	case PRINT_STACK: key_averages_print_parse_entry(layout, &stack); break;
	}
}

/* ---- lines ---- */

static void add_blanks(struct buffer *out, size_t count)
{
	buffer_printf(out, "%*s", (int)count, "");
}

/* Right-aligned TEXT; source locations are left-aligned. */
static void add_padded(struct key_averages_print_layout *layout, int column, const char *text,
		       size_t length)
{
	size_t points = points_of(text, length), width = layout->width[column];
	size_t blanks = points < width ? width - points : 0;
	bool left = columns[column].print == PRINT_STACK;
	add_blanks(layout->out, left ? 0 : blanks);
	buffer_add(layout->out, text, length);
	add_blanks(layout->out, (left ? blanks : 0) + GAP);
}

static void key_averages_print_add_line(struct key_averages_print_layout *layout, char fill,
					bool titles)
{
	for (int i = 0; i < COLUMNS; i++) {
		if (!layout->width[i])
			continue;
		if (titles) {
			add_padded(layout, i, columns[i].title, strlen(columns[i].title));
			continue;
		}
		for (size_t n = 0; n < layout->width[i]; n++)
			buffer_putc(layout->out, fill);
		add_blanks(layout->out, GAP);
	}
	buffer_putc(layout->out, '\n');
}

/* A long source location keeps its end. */
static void add_location(struct key_averages_print_layout *layout, int column)
{
	const char *text = buffer_text(&layout->cell);
	size_t points = points_of(text, layout->cell.length), width = layout->width[column];
	if (points <= width) {
		add_padded(layout, column, text, layout->cell.length);
		return;
	}
	size_t cut = bytes_of(text, layout->cell.length, points - width + 3);
	struct buffer tail = { 0 };
	buffer_puts(&tail, "...");
	buffer_add(&tail, text + cut, layout->cell.length - cut);
	add_padded(layout, column, tail.data, tail.length);
	buffer_free(&tail);
}

static void key_averages_print_add_row(struct key_averages_print_layout *layout, uint32_t row)
{
	for (int i = 0; i < COLUMNS; i++) {
		if (!layout->width[i])
			continue;
		parse_cell(layout, row, &columns[i]);
		if (columns[i].print == PRINT_STACK)
			add_location(layout, i);
		else
			add_padded(layout, i, buffer_text(&layout->cell), layout->cell.length);
	}
	buffer_putc(layout->out, '\n');
}

/* Remaining stack entries, one per line, then a blank line. */
static void key_averages_print_add_stack(struct key_averages_print_layout *layout, uint32_t row)
{
	struct value stack = key_averages_print_cell_of(layout, row, "stack");
	bool more = key_averages_print_parse_entry(layout, &stack);
	for (int entry = 1; entry <= STACK_ENTRIES && more; entry++) {
		more = entry < STACK_ENTRIES && key_averages_print_parse_entry(layout, &stack);
		if (!more)
			break;
		for (int i = 0; i < COLUMNS - 1; i++)
			if (layout->width[i])
				add_blanks(layout->out, layout->width[i] + GAP);
		add_location(layout, COLUMNS - 1);
		buffer_putc(layout->out, '\n');
	}
	key_averages_print_add_line(layout, ' ', false);
}

static void add_sums(struct key_averages_print_layout *layout)
{
	buffer_puts(layout->out, "Self CPU time total: ");
	print_time(layout->out, layout->self_cpu);
	buffer_putc(layout->out, '\n');
	for (int i = 0; i < COLUMNS; i++) {
		if (columns[i].need != DEVICE_TIME || !layout->width[i])
			continue;
		buffer_puts(layout->out, "Self CUDA time total: ");
		print_time(layout->out, layout->self_device);
		buffer_putc(layout->out, '\n');
		break;
	}
}

bool key_averages_print(struct output *output, const struct extract *extract,
			const struct style *style, const struct progress *progress,
			struct error *error)
{
	struct key_averages_print_layout layout = { .table = extract->table,
						    .style = style,
						    .out = &output->text };
	bool done = true;
	if (!extract->row_count && !extract->left_out)
		return true;
	key_averages_print_lay_out(&layout, extract);
	key_averages_print_add_line(&layout, '-', false);
	key_averages_print_add_line(&layout, 0, true);
	key_averages_print_add_line(&layout, '-', false);
	for (size_t i = 0; i < extract->row_count && done; i++) {
		done = format_go_on(extract, i, progress, error);
		key_averages_print_add_row(&layout, extract->rows[i]);
		if (layout.width[COLUMNS - 1])
			key_averages_print_add_stack(&layout, extract->rows[i]);
		output_row(output);
	}
	key_averages_print_add_line(&layout, '-', false);
	add_sums(&layout);
	buffer_free(&layout.cell);
	return done;
}
