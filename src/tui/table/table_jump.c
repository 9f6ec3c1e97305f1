#include "tui/table/table_pane.h"

#include <string.h>

/* ---- sections: runs of rows with equal values in a column ---- */

static bool is_same(const struct table *table, size_t a, size_t b, int column)
{
	return value_compare(table_value(table, a, (size_t)column),
			     table_value(table, b, (size_t)column)) == 0;
}

/* Rows examined at both ends to see whether a column varies. */
enum { LOOK = 1000 };

static bool makes_sections(const struct table_pane *self, int column)
{
	const struct table *table = self->box->table;
	size_t step = self->line_count / LOOK + 1, first = table_line_row(self, 0);
	for (size_t line = 0; line < self->line_count; line += step) {
		if (!is_same(table, first, table_line_row(self, line), column))
			return true;
	}
	return !is_same(table, first, table_line_row(self, self->line_count - 1), column);
}

/* Column with the largest sections; -1: none. */
static int section_column(const struct table_pane *self)
{
	const struct table *table = self->box->table;
	for (int size = 1; size <= SECTION_SIZES; size++) {
		for (size_t i = 0; i < table->columns; i++) {
			if (table->column[i]->section == size && makes_sections(self, (int)i))
				return (int)i;
		}
	}
	return -1;
}

/* True if a section starts at this line; in a tree, a layer. */
static bool starts_section(const struct table_pane *self, size_t line, int column)
{
	const struct table *table = self->box->table;
	if (table_is_tree(self)) {
		struct value kind = table_value(table, table_line_row(self, line), (size_t)column);
		return kind.kind == VALUE_TEXT && kind.length == 6 &&
		       !memcmp(kind.text, "module", 6);
	}
	return line == 0 ||
	       !is_same(table, table_line_row(self, line - 1), table_line_row(self, line), column);
}

static int boundary_column(const struct table_pane *self)
{
	return table_is_tree(self) ? table_column_as(self->box->table, COLUMN_CATEGORY)
				   : section_column(self);
}

static void go_to_section(struct table_pane *self, struct tui *tui, int direction)
{
	int column = boundary_column(self);
	size_t line = self->cursor;
	while (column >= 0 && (direction > 0 ? line + 1 < self->line_count : line > 0)) {
		line += (size_t)direction;
		if (starts_section(self, line, column)) {
			table_select_line(self, line);
			return;
		}
	}
	tui_say(tui, MESSAGE_INFO, "no %s section", direction > 0 ? "later" : "earlier");
}

/* ---- lanes: events of one stream or thread, by time ---- */

enum { LANE_COLUMNS_MAX = 3 }; /* device, stream, thread */

struct lane {
	int start, columns[LANE_COLUMNS_MAX], count;
};

static bool find_lane(const struct table *table, struct lane *lane)
{
	bool told = false;
	*lane = (struct lane){ .start = table_column_as(table, COLUMN_START) };
	for (size_t i = 0; i < table->columns && lane->count < LANE_COLUMNS_MAX; i++) {
		enum column_role role = table->column[i]->role;
		if (role == COLUMN_DEVICE || role == COLUMN_LANE)
			lane->columns[lane->count++] = (int)i;
		told |= role == COLUMN_LANE;
	}
	return lane->start >= 0 && told;
}

static bool on_lane(const struct table *table, const struct lane *lane, size_t a, size_t b)
{
	for (int i = 0; i < lane->count; i++) {
		if (!is_same(table, a, b, lane->columns[i]))
			return false;
	}
	return true;
}

/* -1, 0, 1: total order by start time. */
static int compare_starts(const struct table *table, const struct lane *lane, size_t a, size_t b)
{
	int order = value_compare(table_value(table, a, (size_t)lane->start),
				  table_value(table, b, (size_t)lane->start));
	return order != 0 ? order : a < b ? -1 : a > b;
}

static void go_along_lane(struct table_pane *self, struct tui *tui, int direction)
{
	const struct table *table = self->box->table;
	size_t here = table_selected(self), best = SIZE_MAX;
	struct lane lane;
	if (!find_lane(table, &lane)) {
		tui_say(tui, MESSAGE_INFO, "these rows have no stream or thread");
		return;
	}
	for (size_t i = 0; i < self->order->count; i++) {
		size_t row = self->order->rows[i];
		if (compare_starts(table, &lane, row, here) * direction > 0 &&
		    (best == SIZE_MAX || compare_starts(table, &lane, row, best) * direction < 0) &&
		    on_lane(table, &lane, row, here))
			best = row;
	}
	if (best == SIZE_MAX)
		tui_say(tui, MESSAGE_INFO, "no %s row on this lane",
			direction > 0 ? "later" : "earlier");
	else
		table_select_row(self, best);
}

/* Next line of equal depth, before a shallower one. */
static void go_to_sibling(struct table_pane *self, struct tui *tui, int direction)
{
	const struct table *table = self->box->table;
	uint32_t depth = table_depth(table, table_selected(self));
	size_t line = self->cursor;
	while (direction > 0 ? line + 1 < self->line_count : line > 0) {
		line += (size_t)direction;
		uint32_t there = table_depth(table, table_line_row(self, line));
		if (there < depth)
			break;
		if (there == depth) {
			table_select_line(self, line);
			return;
		}
	}
	tui_say(tui, MESSAGE_INFO, "already at the %s child", direction > 0 ? "last" : "first");
}

/* ---- actions ---- */

bool jump_act(struct table_pane *self, struct tui *tui, enum action action)
{
	bool section = action == ACTION_SECTION_NEXT || action == ACTION_SECTION_PREVIOUS;
	bool lane = action == ACTION_LANE_NEXT || action == ACTION_LANE_PREVIOUS;
	int direction = action == ACTION_SECTION_NEXT || action == ACTION_LANE_NEXT ? 1 : -1;
	if (!section && !lane)
		return false;
	if (self->line_count == 0)
		tui_say(tui, MESSAGE_INFO, "no row here");
	else if (section)
		go_to_section(self, tui, direction);
	else if (table_is_tree(self))
		go_to_sibling(self, tui, direction);
	else
		go_along_lane(self, tui, direction);
	return true;
}

bool jump_can(const struct table_pane *self, enum action action)
{
	struct lane lane;
	if (action == ACTION_SECTION_NEXT || action == ACTION_SECTION_PREVIOUS)
		return boundary_column(self) >= 0;
	return table_is_tree(self) || find_lane(self->box->table, &lane);
}
