/*
 * What is painted on lanes: the selected event, matches, ends of links.
 */
#include "tui/timeline/timeline_pane.h"

#include <stdlib.h>

bool timeline_event_columns(const struct timeline_pane *self, const struct lane *lane,
			    uint32_t event, int *from, int *to)
{
	int64_t start = lane_start(lane, event), end = lane_end(lane, event);
	if (start >= self->window.to || end < self->window.from ||
	    (end == self->window.from && end > start))
		return false;
	*from = timeline_column(&self->window, start);
	*to = timeline_column(&self->window, end > start ? end - 1 : start);
	return true;
}

/* Reversing a full block would make it invisible. */
static void paint_cell(struct grid *grid, int row, int column)
{
	const struct cell *cell = grid_cell(grid, row, column);
	if (cell && !strcmp(cell->bytes, "█"))
		grid_puts(grid, row, column, 1, ROLE_SELECTION, "░");
	else if (cell)
		grid_paint(grid, row, column, 1, ROLE_SELECTION);
}

/*
 * Of a wide event its ends, in the row with names; AWAY: rows from there. A terminal is sent what
 * changes.
 */
static void paint_selected(struct grid *grid, int row, int away, int from, int to)
{
	enum { WIDE = 6, START = 2, REACH = 1 };
	bool wide = to - from >= WIDE;
	if (abs(away) > (wide ? 0 : REACH))
		return;
	for (int column = from; column <= to; column++)
		if (!wide || column < from + START || column == to)
			paint_cell(grid, row, column);
}

void timeline_paint_end(struct grid *grid, int row, int from, int to)
{
	grid_puts(grid, row, from, 1, ROLE_MARK, from == to ? "*" : "<");
	if (to > from)
		grid_puts(grid, row, to, 1, ROLE_MARK, ">");
}

/* In the color of a match, with the heights of the cells: of blocks that is the color they have. */
static void paint_hit(struct grid *grid, int row, int from, int to, bool colors)
{
	for (int column = from; column <= to; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		grid_paint(grid, row, column, 1, ROLE_MATCH);
		if (cell && !colors && !strcmp(cell->bytes, "█"))
			grid_puts(grid, row, column, 1, ROLE_MATCH, "▒");
		else if (cell && !strncmp(cell->bytes, "\xe2\x96", 2))
			grid_reverse(grid, row, column, 1);
	}
}

/* After a match, the next one in a later cell. */
static void paint_hits(const struct timeline_pane *self, struct grid *grid, int row, uint32_t index,
		       bool colors)
{
	const struct timeline_window *window = &self->window;
	const struct lane *lane = &self->box->timeline->lanes->lane[index];
	const struct timeline_hits *hits = &self->hits[index];
	uint32_t at = timeline_hit_from(self, index, lane_events_before(lane, window->from));
	int from, to;
	if (at > 0 && timeline_event_columns(self, lane, hits->event[at - 1], &from, &to))
		paint_hit(grid, row, from, to, colors);
	while (at < hits->count &&
	       timeline_event_columns(self, lane, hits->event[at], &from, &to)) {
		int cell = from - window->column;
		paint_hit(grid, row, from, to, colors);
		int64_t end = lane_edge(window->from, window->to, window->columns, cell + 1);
		at = timeline_hit_from(self, index, lane_events_before(lane, end));
	}
}

void timeline_paint_lane(const struct timeline_pane *self, struct tui *tui, int row, int away,
			 size_t line)
{
	struct grid *grid = &tui->grid;
	uint32_t index = self->lines[line].lane;
	const struct lane *lane = &self->box->timeline->lanes->lane[index];
	int from, to;
	if (self->hits_serial && self->hits_serial == tui->search.serial &&
	    index < self->hits_lanes)
		paint_hits(self, grid, row, index, tui->colors > 0);
	if (line == self->line && self->event != NO_ROW &&
	    timeline_event_columns(self, lane, self->event, &from, &to))
		paint_selected(grid, row, away, from, to);
}
