/*
 * Tables that nsys prints after a recording, or nsys stats: text or CSV, of any version.
 *
 *    ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):
 *
 *    Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  ...  StdDev (ns)  Name
 *    --------  ---------------  ---------  --------  --------       -----------  ------
 *        60.0           60,000          3  20,000.0  20,000.0           1,000.0  kernel
 *
 * Of several tables of one kind the first is read: others repeat it, split another way.
 */
#include "input/csv.h"
#include "input/text_format.h"
#include "model/python_stats.h"

#include <ctype.h>
#include <math.h>

enum nsys_printed_column { OTHER, TOTAL, COUNT, MIN, MAX, DEVIATION, STYLE, CATEGORY, PLACE, NAME };
enum nsys_printed_kind { KERNELS, COPIES, CALLS, RANGES, KINDS };

enum { COLUMNS_MAX = 16, TITLES_MAX = 16 };

static const struct {
	const char *title;
	enum nsys_printed_column column;
} titles[] = { NSYS_TITLE_ROWS };

struct tables {
	struct text_reading text;
	bool csv; /* the current table, as below */
	enum nsys_printed_column columns[COLUMNS_MAX];
	size_t count; /* 0: outside of a table */
	enum nsys_printed_kind kind;
	bool skipped; /* repeats another */
	uint32_t section;
	struct text_slice title;          /* the last line that may name a table */
	uint32_t read[KINDS][TITLES_MAX]; /* sections of tables read */
	size_t reads[KINDS];
	uint64_t repeats;
	struct buffer plain;
};

/* ---- cells ---- */

/* The cells of a line of CSV, valid until the next one is read. */
static size_t csv_cells(struct tables *tables, struct text_slice line,
			struct text_slice cells[COLUMNS_MAX])
{
	size_t count = 0;
	buffer_clear(&tables->plain);
	buffer_add(&tables->plain, line.text, line.length);
	AUTO(csv_close)
	struct csv csv = csv_open(tables->plain.data, tables->plain.length, NULL, NULL);
	for (; count < csv.header_count && count < COLUMNS_MAX; count++)
		cells[count] = (struct text_slice){ csv.header[count], strlen(csv.header[count]) };
	return count;
}

/* The numbers of a row of text are single words; the name is the rest. */
static size_t text_cells(const struct tables *tables, struct text_slice line,
			 struct text_slice cells[COLUMNS_MAX])
{
	size_t count = 0;
	while (count + 1 < tables->count) {
		bool text = tables->columns[count] >= STYLE;
		cells[count++] = text ? slice_cell(&line) : slice_next(&line);
	}
	cells[count] = slice_trim(line);
	return tables->count;
}

/* ---- rows ---- */

static enum nsys_printed_kind kind_of_row(const struct tables *tables, struct text_slice category)
{
	return slice_is(category, "CUDA_KERNEL")   ? KERNELS
	       : slice_is(category, "MEMORY_OPER") ? COPIES
	       : slice_is(category, "CUDA_API")    ? CALLS
						   : tables->kind;
}

static void keep_row(struct tables *tables, enum nsys_printed_kind kind, struct text_slice name,
		     const double values[NAME])
{
	struct python_operator *row = python_operator_add(tables->text.profile->python);
	row->name = text_intern(&tables->text, name);
	row->section = tables->section;
	row->calls = values[COUNT] >= 0 && values[COUNT] < 9e15 ? (int64_t)values[COUNT] : NO_VALUE;
	row->kind = kind == KERNELS ? ROW_KERNEL : kind == COPIES ? ROW_COPY : ROW_OPERATOR;
	if (kind == KERNELS || kind == COPIES) {
		row->gpu_self_s = row->gpu_total_s = values[TOTAL] * 1e-9;
		row->gpu_min_s = values[MIN] * 1e-9;
		row->gpu_max_s = values[MAX] * 1e-9;
		row->gpu_deviation_s = values[DEVIATION] * 1e-9;
	} else {
		row->cpu_total_s = values[TOTAL] * 1e-9;
	}
	tables->text.rows++;
}

/* False when LINE is none: the table ended before it. */
static bool nsys_printed_add_row(struct tables *tables, struct text_slice line)
{
	struct text_slice cells[COLUMNS_MAX] = { { 0 } }, category = { 0 };
	double values[NAME];
	size_t count =
		tables->csv ? csv_cells(tables, line, cells) : text_cells(tables, line, cells);
	if (count != tables->count || !cells[0].length || !isdigit((unsigned char)cells[0].text[0]))
		return false;
	for (size_t i = 0; i < NAME; i++)
		values[i] = NAN;
	for (size_t i = 0; i + 1 < count; i++) {
		enum nsys_printed_column column = tables->columns[i];
		if (column == CATEGORY)
			category = cells[i];
		else if (column < STYLE && !slice_commas(cells[i], &values[column]))
			return false;
	}
	if (!(values[TOTAL] >= 0 && values[TOTAL] < 9e18) || !cells[count - 1].length)
		text_damage(&tables->text, "row without a time or name");
	else if (!tables->skipped)
		keep_row(tables, kind_of_row(tables, category), cells[count - 1], values);
	return true;
}

/* ---- headings ---- */

/* "** CUDA API Summary (cuda_api_sum):" is "CUDA API Summary". */
static uint32_t section_of(const struct tables *tables)
{
	static const char *const otherwise[KINDS] = { "kernels", "copies", "calls", "ranges" };
	struct text_slice title = tables->title;
	const char *bracket = slice_find(title, " (");
	slice_skip(&title, "**");
	title = slice_trim(title);
	if (bracket && bracket > title.text)
		title = slice_until(title, bracket);
	while (title.length && title.text[title.length - 1] == ':')
		title.length--;
	if (!title.length)
		title = (struct text_slice){ otherwise[tables->kind],
					     strlen(otherwise[tables->kind]) };
	return text_intern(&tables->text, title);
}

/* Calls of CUDA and of the operating system are of one kind, under titles of their own. */
static bool is_repeated(struct tables *tables)
{
	size_t *reads = &tables->reads[tables->kind];
	bool again = *reads == TITLES_MAX || (*reads && tables->kind != CALLS);
	for (size_t i = 0; i < *reads && !again; i++)
		again = tables->read[tables->kind][i] == tables->section;
	if (!again)
		tables->read[tables->kind][(*reads)++] = tables->section;
	return again;
}

static bool begin_table(struct tables *tables, struct text_slice line)
{
	struct text_slice cells[COLUMNS_MAX], rest = line;
	bool has[NAME + 1] = { false };
	if (!slice_begins(line, "Time (%)") && !slice_begins(line, "Time(%)"))
		return false;
	size_t count = 0;
	tables->count = 0;
	tables->csv = memchr(line.text, ',', line.length) != NULL;
	if (tables->csv)
		count = csv_cells(tables, line, cells);
	else
		while (rest.length && count < COLUMNS_MAX &&
		       (cells[count] = slice_cell(&rest)).length)
			count++;
	for (size_t i = 0; i < count; i++) {
		tables->columns[i] = OTHER;
		for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
			if (slice_is(cells[i], titles[k].title))
				tables->columns[i] = titles[k].column;
		has[tables->columns[i]] = true;
	}
	if (!has[TOTAL] || !has[COUNT] || !count || tables->columns[count - 1] != NAME)
		return false;
	tables->kind = slice_is(cells[count - 1], "Range") ? RANGES
		       : slice_is(cells[count - 1], "Operation") || slice_find(line, "Operations")
			       ? COPIES
		       : slice_find(line, "Instances") ? KERNELS
						       : CALLS;
	if (has[CATEGORY])
		tables->kind = KERNELS;
	tables->count = count;
	tables->section = section_of(tables);
	tables->skipped = (has[PLACE] && !tables->csv) || is_repeated(tables);
	tables->repeats += tables->skipped;
	return true;
}

static void nsys_printed_take_line(void *state, struct text_slice line)
{
	struct tables *tables = state;
	line = slice_trim(line);
	bool rule = slice_begins(line, "---");
	if (tables->count && (rule || nsys_printed_add_row(tables, line)))
		return;
	if (begin_table(tables, line))
		return;
	tables->count = line.length ? 0 : tables->count;
	if (line.length && (slice_begins(line, "**") || slice_find(line, "Statistics") ||
			    slice_find(line, "Summary")))
		tables->title = line;
}

static void nsys_printed_end(void *state)
{
	struct tables *tables = state;
	if (tables->repeats)
		python_fact_number(tables->text.profile->python, "tables",
				   "repeat others, not loaded", (int64_t)tables->repeats, "count");
	buffer_free(&tables->plain);
}

static const struct text_format nsys_printed_format = {
	.marks = { NSYS_MARK_ROWS },
	.empty =
		"is text of nsys without tables of kernels, copies, calls or ranges; open the report it is of, or its export: nsys export -t sqlite REPORT",
	.result = TEXT_SUMS,
	.state = sizeof(struct tables),
	.line = nsys_printed_take_line,
	.end = nsys_printed_end,
};

const struct reader nsys_printed_reader = { .format = "nsys stats output",
					    .text = &nsys_printed_format,
					    .in_log = true };
