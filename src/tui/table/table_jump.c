/*
 * Jumps from the selected row to related ones. The worker searches tables; trees, which have a row
 * per layer instead of one per call, are searched at once.
 */
#include "tui/table/table_pane.h"

#include "base/any_of.h"

static const char looking[] = "looking for the row";

static void say_none(struct tui *tui, enum jump_kind kind, int direction)
{
	const char *which = direction > 0 ? "later" : "earlier";
	if (kind == JUMP_SECTION)
		tui_say(tui, MESSAGE_INFO, "no %s section", which);
	else
		tui_say(tui, MESSAGE_INFO, "no %s row on this lane", which);
}

/* ---- sections: runs of rows with equal values in a column ---- */

static bool same_value(const struct table *table, size_t a, size_t b, int column)
{
	return value_compare(table_value(table, a, (size_t)column),
			     table_value(table, b, (size_t)column)) == 0;
}

/* Rows examined at both ends to see whether a column varies. */
enum { LOOK = 1000 };

static bool makes_sections(const struct table *table, const struct table_order *order, int column)
{
	size_t step = order->count / LOOK + 1;
	const uint32_t *rows = order->rows;
	for (size_t i = 0; i < order->count; i += step)
		if (!same_value(table, rows[0], rows[i], column))
			return true;
	return !same_value(table, rows[0], rows[order->count - 1], column);
}

/* Column with the largest sections; -1: none. */
static int section_column(const struct table *table, const struct table_order *order)
{
	for (int size = 1; size <= SECTION_SIZES; size++) {
		for (size_t i = 0; i < table->columns; i++)
			if (table->column[i]->section == size &&
			    makes_sections(table, order, (int)i))
				return (int)i;
	}
	return -1;
}

static bool find_section(struct jump *jump, const struct table *table,
			 const struct table_order *order, const struct progress *progress)
{
	int column = section_column(table, order);
	size_t at = jump->position, looked = 0;
	const uint32_t *rows = order->rows;
	while (column >= 0 && (jump->direction > 0 ? at + 1 < order->count : at > 0)) {
		if (!progress_heavy_row(progress, looking, looked++, order->count, 8))
			return false;
		at += (size_t)jump->direction;
		if (at == 0 || !same_value(table, rows[at - 1], rows[at], column)) {
			jump->row = rows[at];
			return true;
		}
	}
	return true;
}

static void go_to_layer(struct table_pane *self, struct tui *tui, int direction)
{
	int column = table_column_as(self->box->table, COLUMN_CATEGORY);
	size_t line = self->cursor;
	while (column >= 0 && (direction > 0 ? line + 1 < self->line_count : line > 0)) {
		line += (size_t)direction;
		size_t row = table_line_row(self, line);
		if (value_is(table_value(self->box->table, row, (size_t)column), "module")) {
			table_select_line(self, line);
			return;
		}
	}
	say_none(tui, JUMP_SECTION, direction);
}

/* ---- lanes: events of one stream or thread, by time ---- */

enum { LANE_COLUMNS_MAX = 3 }; /* device, stream, thread */

struct row_lane {
	int start, columns[LANE_COLUMNS_MAX], count;
};

static bool find_lane(const struct table *table, struct row_lane *lane)
{
	bool told = false;
	*lane = (struct row_lane){ .start = table_column_as(table, COLUMN_START) };
	for (size_t i = 0; i < table->columns && lane->count < LANE_COLUMNS_MAX; i++) {
		enum column_role role = table->column[i]->role;
		if (role == COLUMN_DEVICE || role == COLUMN_LANE)
			lane->columns[lane->count++] = (int)i;
		told |= role == COLUMN_LANE;
	}
	return lane->start >= 0 && told;
}

/* -1, 0, 1: total order by start time. */
static int compare_row_starts(const struct table *table, const struct row_lane *lane, size_t a,
			      size_t b)
{
	int order = value_compare(table_value(table, a, (size_t)lane->start),
				  table_value(table, b, (size_t)lane->start));
	return order != 0 ? order : a < b ? -1 : a > b;
}

static bool find_along_lane(struct jump *jump, const struct table *table,
			    const struct table_order *order, const struct progress *progress)
{
	size_t here = order->rows[jump->position];
	struct row_lane lane;
	if (!find_lane(table, &lane))
		return true;
	bool ok = true;
	for_heavy_rows (ok, i, order->count, progress, looking, 8) {
		size_t row = order->rows[i], best = jump->row;
		if (compare_row_starts(table, &lane, row, here) * jump->direction > 0 &&
		    (best == SIZE_MAX ||
		     compare_row_starts(table, &lane, row, best) * jump->direction < 0) &&
		    !any_of(c, lane.count, !same_value(table, row, here, lane.columns[c])))
			jump->row = row;
	}
	return ok;
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

/* ---- worker thread ---- */

/* The row of REF, else the first of equal kind and number, such as the kernel of any operator. */
static bool find_ref(struct jump *jump, const struct table *table, const struct progress *progress)
{
	size_t like = SIZE_MAX;
	for (size_t row = 0; row < table->rows && jump->row == SIZE_MAX; row++) {
		struct ref ref = table_ref(table, row);
		if (!progress_row(progress, looking, row, table->rows))
			return false;
		if (ref_equal(ref, jump->ref))
			jump->row = row;
		else if (like == SIZE_MAX && ref.kind == jump->ref.kind && ref.a == jump->ref.a)
			like = row;
	}
	if (jump->row == SIZE_MAX)
		jump->row = like;
	return true;
}

/* The target, and its row if the table is of its view. */
static bool find_link(struct jump *jump, const struct table *table, const struct table_order *order,
		      const struct run *run, const struct scope *scope,
		      const struct progress *progress)
{
	if (!view_follow(run, scope, &jump->link, progress) || table->view != jump->link.view ||
	    jump->elsewhere || jump->link.rank != scope->rank)
		return progress_update(progress, looking, 0, 0, 0);
	jump->ref = jump->link.target;
	if (!find_ref(jump, table, progress))
		return false;
	if (jump->row != SIZE_MAX && order->positions && order->positions[jump->row] == NO_ROW)
		jump->row = SIZE_MAX; /* filtered out: show it elsewhere */
	return true;
}

bool jump_find(struct jump *jump, const struct table *table, const struct table_order *order,
	       const struct run *run, const struct scope *scope, const struct progress *progress)
{
	jump->row = SIZE_MAX;
	switch (jump->kind) {
	case JUMP_REF: return find_ref(jump, table, progress);
	case JUMP_LINK: return find_link(jump, table, order, run, scope, progress);
	case JUMP_SECTION: return find_section(jump, table, order, progress);
	case JUMP_LANE: return find_along_lane(jump, table, order, progress);
	}
	return true;
}

/* ---- UI thread ---- */

static void follow_arrived(struct table_pane *self, struct tui *tui, const struct jump *jump)
{
	const struct view_link *link = &jump->link;
	if (!link->count || jump->row == SIZE_MAX) {
		nav_follow_to(tui, link);
		return;
	}
	nav_followed(tui, link, true);
	nav_record(tui);
	table_select_row(self, jump->row);
	nav_say_link(tui, link);
}

void jump_arrived(struct table_pane *self, struct tui *tui, const struct jump *jump)
{
	if (jump->kind == JUMP_LINK)
		follow_arrived(self, tui, jump);
	else if (jump->row != SIZE_MAX)
		table_select_row(self, jump->row);
	else if (jump->kind != JUMP_REF)
		say_none(tui, jump->kind, jump->direction);
}

static void begin_jump(struct table_pane *self, struct tui *tui, enum jump_kind kind, int direction)
{
	struct jump jump = { .kind = kind,
			     .direction = direction,
			     .position = table_line_position(self, self->cursor) };
	table_jump(self, tui, &jump);
}

void jump_follow(struct table_pane *self, struct tui *tui, bool forward)
{
	if (!forward && nav_return(tui))
		return;
	struct jump jump = { .kind = JUMP_LINK,
			     .link = nav_follow(&tui->nav, pane_ref(&self->pane, tui), forward),
			     .elsewhere = table_is_stale(self, tui) };
	if (!jump.link.in)
		jump.link.in = self->view;
	table_jump(self, tui, &jump);
}

bool jump_act(struct table_pane *self, struct tui *tui, enum action action)
{
	bool section = action == ACTION_SECTION_NEXT || action == ACTION_SECTION_PREVIOUS;
	bool lane = action == ACTION_LANE_NEXT || action == ACTION_LANE_PREVIOUS;
	int direction = action == ACTION_SECTION_NEXT || action == ACTION_LANE_NEXT ? 1 : -1;
	if (!section && !lane)
		return false;
	if (self->line_count == 0)
		tui_say(tui, MESSAGE_INFO, "no row here");
	else if (!jump_can(self, action))
		tui_say(tui, MESSAGE_INFO,
			section ? "no sections in this table"
				: "these rows have no stream or thread");
	else if (!table_is_tree(self))
		begin_jump(self, tui, section ? JUMP_SECTION : JUMP_LANE, direction);
	else if (section)
		go_to_layer(self, tui, direction);
	else
		go_to_sibling(self, tui, direction);
	return true;
}

bool jump_can(const struct table_pane *self, enum action action)
{
	const struct table *table = self->box->table;
	struct row_lane lane;
	if (action == ACTION_LANE_NEXT || action == ACTION_LANE_PREVIOUS)
		return table_is_tree(self) || find_lane(table, &lane);
	return table_is_tree(self) ? table_column_as(table, COLUMN_CATEGORY) >= 0
				   : section_column(table, self->order) >= 0;
}
