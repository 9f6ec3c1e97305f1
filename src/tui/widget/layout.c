#include "tui/widget/layout.h"

#include "text_tables.h"

enum { BODY_LAYOUT_ROWS(_) };

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

void layout_compute(struct layout *layout, int rows, int columns, bool detail)
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
	layout->footer = take_bottom(&rest, rows >= ROWS_FOR_FOOTER);
	if (detail && rows >= ROWS_FOR_DETAIL) {
		int lines = (rows - 3) / ROWS_PER_DETAIL_LINE;
		layout->detail =
			take_bottom(&rest, lines < DETAIL_LINES_MAX ? lines : DETAIL_LINES_MAX);
		layout->rule = take_bottom(&rest, rows >= ROWS_FOR_RULE);
	}
	layout->body = rest;
}

struct rect layout_take_panel(struct layout *layout, int rows)
{
	int room = layout->body.rows - 2;
	return take_bottom(&layout->body, rows < room ? rows : room > 0 ? room : 0);
}
