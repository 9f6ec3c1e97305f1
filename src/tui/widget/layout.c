#include "tui/widget/layout.h"

/* Minimum screen rows for each part. */
enum {
	ROWS_FOR_FOOTER = 3,
	ROWS_FOR_BREADCRUMB = 6,
	ROWS_FOR_TABS = 8,
	ROWS_FOR_DETAIL = 12,
	ROWS_FOR_TITLE = 14,
	ROWS_FOR_RULE = 18,
	ROWS_FOR_ALL_RULES = 30,
	ROWS_PER_DETAIL_LINE = 6,
	DETAIL_LINES_MAX = 8,
	SPARE_LINES_MAX = 12,
};

static struct rect take_top(struct rect *from, int rows)
{
	struct rect part = *from;
	part.rows = rows;
	from->row += rows;
	from->rows -= rows;
	return part;
}

static struct rect take_bottom(struct rect *from, int rows)
{
	struct rect part = *from;
	part.row = from->row + from->rows - rows;
	part.rows = rows;
	from->rows -= rows;
	return part;
}

/* Unused body rows go to the detail strip. */
static int detail_lines(int rows, int rest, int lines)
{
	int least = rows / ROWS_PER_DETAIL_LINE, spare = rest - lines;
	least = least < DETAIL_LINES_MAX ? least : DETAIL_LINES_MAX;
	spare = spare < SPARE_LINES_MAX ? spare : SPARE_LINES_MAX;
	spare = spare < rows / 2 ? spare : rows / 2;
	return lines > 0 && spare > least ? spare : least;
}

void layout_compute(struct layout *layout, int rows, int columns, bool detail, int lines)
{
	struct rect rest = { 0, 0, rows, columns };
	*layout = (struct layout){ 0 };
	if (rows < LAYOUT_MIN_ROWS || columns < LAYOUT_MIN_COLUMNS) {
		layout->too_small = true;
		return;
	}
	layout->title = take_top(&rest, rows >= ROWS_FOR_TITLE);
	layout->tabs = take_top(&rest, rows >= ROWS_FOR_TABS);
	layout->breadcrumb = take_top(&rest, rows >= ROWS_FOR_BREADCRUMB);
	layout->rule[0] = take_top(&rest, rows >= ROWS_FOR_ALL_RULES);
	layout->footer = take_bottom(&rest, rows >= ROWS_FOR_FOOTER);
	layout->rule[2] = take_bottom(&rest, rows >= ROWS_FOR_ALL_RULES);
	if (detail && rows >= ROWS_FOR_DETAIL) {
		int rule = rows >= ROWS_FOR_RULE;
		layout->detail = take_bottom(&rest, detail_lines(rows, rest.rows - rule, lines));
		layout->rule[1] = take_bottom(&rest, rule);
	}
	layout->body = rest;
}
