#include "tui/table/table_pane.h"

#include <string.h>

/* ---- sections: runs of rows that have the same in this column ---- */

/* Columns that make sections, those first whose sections are larger. */
static const char *const section_columns[] = { "section", "severity", "rank",
					       "device",  "step",     "kind" };

static bool is_same(const struct table *table, size_t a, size_t b, int column)
{
	return value_compare(table_value(table, a, (size_t)column),
			     table_value(table, b, (size_t)column)) == 0;
}

/* Do the rows at both ends of what is shown, or some beside them, differ in it?  A look is enough.
 */
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

static int section_column(const struct table_pane *self)
{
	for (size_t i = 0; i < sizeof section_columns / sizeof section_columns[0]; i++) {
		int column = table_column(self->box->table, section_columns[i]);
		if (column >= 0 && makes_sections(self, column))
			return column;
	}
	return -1;
}

/* Does a section begin on this line?  In a tree: does a layer? */
static bool begins_section(const struct table_pane *self, size_t line, int column)
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
	return table_is_tree(self) ? table_column(self->box->table, "kind") : section_column(self);
}

static void go_to_section(struct table_pane *self, struct tui *tui, int direction)
{
	int column = boundary_column(self);
	size_t line = self->cursor;
	while (column >= 0 && (direction > 0 ? line + 1 < self->line_count : line > 0)) {
		line += (size_t)direction;
		if (begins_section(self, line, column)) {
			table_select_line(self, line);
			return;
		}
	}
	tui_say(tui, MESSAGE_INFO, "there is no section %s",
		direction > 0 ? "after this" : "before this");
}

/* ---- lanes: what ran on the same stream or thread, by time ---- */

struct lane {
	int start, columns[3], count;
};

static bool find_lane(const struct table *table, struct lane *lane)
{
	static const char *const ids[] = { "device", "stream", "thread" };
	bool told = false;
	*lane = (struct lane){ .start = table_column(table, "start_ns") };
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		int column = table_column(table, ids[i]);
		if (column < 0)
			continue;
		lane->columns[lane->count++] = column;
		told |= i > 0;
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

/* -1, 0, 1: row A begins before, with or after row B; rows that begin together are told apart. */
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
		tui_say(tui, MESSAGE_INFO, "these rows are on no stream or thread");
		return;
	}
	for (size_t i = 0; i < self->order_count; i++) {
		size_t row = self->order[i];
		if (compare_starts(table, &lane, row, here) * direction > 0 &&
		    (best == SIZE_MAX || compare_starts(table, &lane, row, best) * direction < 0) &&
		    on_lane(table, &lane, row, here))
			best = row;
	}
	if (best == SIZE_MAX)
		tui_say(tui, MESSAGE_INFO, "nothing is %s this here",
			direction > 0 ? "after" : "before");
	else
		table_select_row(self, best);
}

/* The next line of the same depth before one that is less deep. */
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
	tui_say(tui, MESSAGE_INFO, "this is the %s of its parent",
		direction > 0 ? "last" : "first");
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
		tui_say(tui, MESSAGE_INFO, "there is no row here");
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
