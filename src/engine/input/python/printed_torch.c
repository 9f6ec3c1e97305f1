/*
 * The tables of torch.autograd.profiler and torch.profiler: key_averages().table().
 */
#include "input/python/printed_private.h"

#include <math.h>

enum {
	TORCH_NUMBER_ROWS(LISTED) COLUMN_UNUSED,
	COLUMN_OPERATOR,
	COLUMN_COUNT,
	COLUMN_SHAPES,
	COLUMN_FLOPS,
	COLUMN_STACK
};

static const struct {
	const char *title;
	uint8_t meaning;
} titles[] = { TORCH_TITLE_ROWS };

/* As torch names them, bytes in lower case before 2.9, and the factor. */
static const struct text_unit scales[] = { PRINTED_TORCH_UNIT_ROWS{ NULL, 0 } };

/* "GPU total", of whichever device, with or without "Self". */
static uint8_t device_meaning(struct text_slice title)
{
	bool self = slice_begins(title, "Self ");
	if (slice_ends(title, " Mem"))
		return self ? COLUMN_GPU_SELF_BYTES : COLUMN_GPU_BYTES;
	if (slice_ends(title, " %"))
		return COLUMN_UNUSED;
	return self                          ? COLUMN_GPU_SELF
	       : slice_ends(title, " total") ? COLUMN_GPU_TOTAL
					     : COLUMN_UNUSED;
}

static uint8_t meaning_of(struct text_slice title)
{
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (slice_is(title, titles[i].title))
			return titles[i].meaning;
	if (slice_begins(title, "Total ") && slice_ends(title, "FLOPs"))
		return COLUMN_FLOPS;
	return slice_find(title, "CPU") ? COLUMN_UNUSED : device_meaning(title);
}

static double flops_scale(struct text_slice title)
{
	char prefix = title.length > 6 ? title.text[6] : 'F';
	return prefix == 'K'   ? 1e3
	       : prefix == 'M' ? 1e6
	       : prefix == 'G' ? 1e9
	       : prefix == 'T' ? 1e12
			       : 1;
}

/* ---- cells ---- */

/* The cells that lie below those of the rule, whose last one may be longer; in code points. */
static size_t cells_by_rule(const struct printed *printed, struct text_slice line,
			    struct text_slice *cells)
{
	size_t point = 0, column = 0;
	for (size_t i = 0; i < printed->ruled; i++)
		cells[i] = (struct text_slice){ line.text, 0 };
	for (size_t i = 0; i < line.length && column < printed->ruled; i++) {
		if ((line.text[i] & 0xc0) == 0x80)
			continue;
		if (point == printed->from[column])
			cells[column].text = line.text + i;
		if (point == printed->to[column] && column + 1 < printed->ruled) {
			cells[column].length = (size_t)(line.text + i - cells[column].text);
			column++;
		}
		point++;
	}
	if (column < printed->ruled && point > printed->from[column])
		cells[column].length = (size_t)(line.text + line.length - cells[column].text);
	for (size_t i = 0; i < printed->ruled; i++)
		cells[i] = slice_trim(cells[i]);
	return printed->ruled;
}

static size_t cells_of(const struct printed *printed, struct text_slice whole,
		       struct text_slice *cells)
{
	struct text_slice rest = whole;
	size_t count = 0;
	while (count < PRINTED_COLUMNS_MAX && (cells[count] = slice_cell(&rest)).length)
		count++;
	if (printed->columns && count != printed->columns && printed->ruled == printed->columns)
		return cells_by_rule(printed, whole, cells);
	return count;
}

/* ---- rows ---- */

static bool set_cell(struct printed *printed, struct python_operator *row, uint8_t meaning,
		     struct text_slice cell)
{
	double *const numbers[] = { TORCH_NUMBER_ROWS(LISTED_NAME) };
	if (!cell.length && meaning != COLUMN_OPERATOR)
		return true; /* blank */
	switch (meaning) {
	case COLUMN_UNUSED: return true;
	case COLUMN_STACK: row->stack = text_intern(&printed->text, cell); return true;
	case COLUMN_OPERATOR: row->name = text_intern(&printed->text, cell); return cell.length > 0;
	case COLUMN_COUNT: return slice_count(cell, &row->calls);
	case COLUMN_SHAPES: row->shapes = text_intern(&printed->text, cell); return true;
	case COLUMN_FLOPS: return slice_is(cell, "--") || slice_real(cell, &row->flops);
	default: return slice_is(cell, "--") || slice_scaled(cell, scales, numbers[meaning]);
	}
}

/* With both columns PyTorch prints the FLOPs below "Source Location", and the source below FLOPs.
 */
static void order_cells(const struct printed *printed, struct text_slice *cells, size_t count)
{
	size_t flops = SIZE_MAX, stack = SIZE_MAX;
	double number;
	for (size_t i = 0; i < count && i < printed->columns; i++)
		if (printed->meaning[i] == COLUMN_FLOPS)
			flops = i;
		else if (printed->meaning[i] == COLUMN_STACK)
			stack = i;
	if (flops == SIZE_MAX || stack == SIZE_MAX ||
	    !(slice_is(cells[stack], "--") || slice_real(cells[stack], &number)))
		return;
	struct text_slice cell = cells[flops];
	cells[flops] = cells[stack];
	cells[stack] = cell;
}

static void printed_torch_add_row(struct printed *printed, struct text_slice whole)
{
	struct text_slice cells[PRINTED_COLUMNS_MAX] = { { 0 } };
	size_t count = cells_of(printed, whole, cells);
	struct python_operator *row = python_operator_add(printed->stats);
	bool good = count == printed->columns;
	order_cells(printed, cells, count);
	row->section = printed->section;
	for (size_t i = 0; i < count && good; i++)
		good = set_cell(printed, row, printed->meaning[i], cells[i]);
	row->flops *= printed->flops_scale;
	if (good) {
		printed->text.rows++;
	} else {
		printed->stats->operator_count--;
		printed_damage(printed);
	}
	printed->row_read = good;
}

/* The source of a call continues on lines with only one cell, the last. */
static bool continues(const struct printed *printed, struct text_slice line,
		      struct text_slice whole)
{
	struct text_slice rest = line;
	return printed->columns > 2 && slice_cell(&rest).length && !slice_trim(rest).length &&
	       line.text > whole.text + whole.length / 2;
}

/* The next frame of the last row. */
static void add_frame(struct printed *printed, struct text_slice frame)
{
	enum { STACK_MAX = 4096 }; /* limit: bytes of a stack in a table of key_averages */
	struct python_stats *stats = printed->stats;
	if (!printed->row_read || !printed->stacked || !stats->operator_count)
		return;
	struct python_operator *row = &stats->operators[stats->operator_count - 1];
	struct profile *profile = printed->text.profile;
	if (!row->stack)
		row->stack = text_intern(&printed->text, frame);
	else if (intern_length(profile->strings, row->stack) + frame.length < STACK_MAX)
		row->stack = profile_print(profile, "%s;%.*s", profile_string(profile, row->stack),
					   (int)frame.length, frame.text);
}

static bool operator_row(struct printed *printed, struct text_slice line, struct text_slice whole)
{
	if (printed_rule(line)) {
		bool more = !printed->after_heading;
		printed->after_heading = true;
		return more;
	}
	if (!line.length)
		return printed->stacked; /* a blank line after each stack */
	if (continues(printed, line, whole))
		add_frame(printed, line);
	else
		printed_torch_add_row(printed, whole);
	return true;
}

/* ---- headings ---- */

/* Where the dashes of a rule are; a table's heading follows it. */
static void parse_rule(struct printed *printed, struct text_slice whole)
{
	printed->ruled = 0;
	for (size_t i = 0; i < whole.length; i++) {
		bool dash = whole.text[i] == '-', before = i && whole.text[i - 1] == '-';
		if (dash && !before && printed->ruled == PRINTED_COLUMNS_MAX)
			return;
		if (dash && !before)
			printed->from[printed->ruled++] = i;
		if (dash)
			printed->to[printed->ruled - 1] = i + 1;
	}
}

/* "Self CPU time total: 159.144ms", "CUDA time total: 1.146s" of old versions; below a table */
static bool parse_total(struct printed *printed, struct text_slice line)
{
	static const char mark[] = " time total: ";
	const char *at = slice_find(line, mark);
	double seconds;
	bool self = slice_begins(line, "Self ");
	if (!at || (!self && !slice_begins(line, "CUDA time")))
		return false;
	const char *device = line.text + (self ? 5 : 0);
	if (!slice_scaled(slice_from(line, at + sizeof mark - 1), scales, &seconds) ||
	    fabs(seconds) > 1e9 || at < device)
		return false;
	struct text_slice word = { device, (size_t)(at - device) };
	if (!slice_is(word, "CPU") && !slice_is(word, "CUDA"))
		printed->device = text_intern(&printed->text, word);
	enum torch_total total = !self                           ? TORCH_GPU_TOTAL
				 : memcmp(device, "CPU", 3) == 0 ? TORCH_CPU_SELF
								 : TORCH_GPU_SELF;
	if (!printed->torch_count)
		torch_table_add(printed, false);
	printed->torch[printed->torch_count - 1].totals_s[total] = seconds;
	return true;
}

static bool printed_torch_parse_heading(struct printed *printed, struct text_slice whole)
{
	struct text_slice cells[PRINTED_COLUMNS_MAX];
	bool timed = false, named = false, shaped = false;
	printed->columns = 0;
	printed->stacked = false;
	printed->flops_scale = 1;
	size_t count = cells_of(printed, whole, cells);
	for (size_t i = 0; i < count; i++) {
		uint8_t meaning = printed->meaning[i] = meaning_of(cells[i]);
		timed |= meaning == COLUMN_CPU_SELF || meaning == COLUMN_CPU_TOTAL;
		named |= meaning == COLUMN_OPERATOR;
		shaped |= meaning == COLUMN_SHAPES;
		printed->stacked |= meaning == COLUMN_STACK;
		if (meaning == COLUMN_FLOPS)
			printed->flops_scale = flops_scale(cells[i]);
	}
	printed->columns = count;
	printed->after_heading = false;
	if (timed && named)
		torch_table_add(printed, shaped);
	return timed && named;
}

static bool begin_operators(struct printed *printed, struct text_slice line,
			    struct text_slice whole)
{
	if (parse_total(printed, line)) {
		printed->seen[PRINTED_TORCH] = true;
		return true;
	}
	if (printed_rule(line))
		parse_rule(printed, whole);
	if (!slice_begins(line, "Name ") || !slice_find(line, "CPU") ||
	    !printed_torch_parse_heading(printed, whole))
		return false;
	printed->table = &torch_operators;
	printed->seen[PRINTED_TORCH] = true;
	return true;
}

const struct printed_table torch_operators = { begin_operators, operator_row };
