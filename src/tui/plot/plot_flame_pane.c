/*
 * Flame graphs: the cursor is on a visible frame.
 */
#include "base/any_of.h"
#include "picture/lane_role.h"
#include "tui/plot/plot_pane.h"

#include <stdlib.h>

static const struct flame *flame_of(const struct plot_pane *self)
{
	return self->plot->flame;
}

static bool is_seen(const struct plot_pane *self, uint32_t node)
{
	int from, to, columns = self->rect.columns > 0 ? self->rect.columns : 1;
	return flame_span(flame_of(self), self->flame.zoom, node, columns, &from, &to);
}

/* ---- moving ---- */

static void inwards(struct plot_pane *self)
{
	const struct flame *flame = flame_of(self);
	uint32_t node = self->flame.node, zoom = self->flame.zoom;
	/* above the zoomed frame there is a single path */
	if (node < zoom && zoom < node + flame->nodes[node].size) {
		for (uint32_t at = zoom; at != node; at = flame->nodes[at].parent)
			self->flame.node = at;
		return;
	}
	if (flame->nodes[node].size > 1 && is_seen(self, node + 1))
		self->flame.node = node + 1;
}

static void outwards(struct plot_pane *self)
{
	uint32_t parent = flame_of(self)->nodes[self->flame.node].parent;
	if (parent != NO_ROW)
		self->flame.node = parent;
}

/* The visible frame at this depth to the right or left. */
static void to_side(struct plot_pane *self, bool right)
{
	const struct flame *flame = flame_of(self);
	uint32_t zoom = self->flame.zoom, here = self->flame.node;
	uint32_t end = right ? zoom + flame->nodes[zoom].size : here;
	uint32_t depth = flame->nodes[here].depth;
	for (uint32_t i = zoom; i < end && here >= zoom;) {
		bool seen = is_seen(self, i);
		if (seen && flame->nodes[i].depth == depth && (i > here || !right)) {
			self->flame.node = i; /* to the left, the last of them */
			end = right ? i : end;
		}
		i += seen && flame->nodes[i].depth < depth ? 1 : flame->nodes[i].size;
	}
}

/* Follow the widest frames. */
static void to_hottest(struct plot_pane *self)
{
	const struct flame *flame = flame_of(self);
	raise_to(self->flame.node, self->flame.zoom);
	while (flame->nodes[self->flame.node].size > 1 && is_seen(self, self->flame.node + 1))
		self->flame.node++;
}

static bool zoom_in(struct plot_pane *self)
{
	uint32_t node = self->flame.node;
	if (node == self->flame.zoom || flame_of(self)->nodes[node].size == 1)
		return false;
	if (self->zoom_count == FLAME_ZOOMS)
		memmove(self->zooms, self->zooms + 1,
			(size_t)--self->zoom_count * sizeof self->zooms[0]);
	self->zooms[self->zoom_count++] = self->flame.zoom;
	self->flame.zoom = node;
	return true;
}

static void zoom_out(struct plot_pane *self, bool all)
{
	uint32_t parent = flame_of(self)->nodes[self->flame.zoom].parent;
	self->zoom_count = 0;
	self->flame.zoom = all || parent == NO_ROW ? 0 : parent;
}

/* Frames have as many rows as there is room for. */
void flame_share_room(struct plot_pane *self, bool ascii)
{
	enum { HEIGHT_MAX = 3 };
	uint32_t levels = flame_of(self)->deepest + 1, rows = (uint32_t)self->rect.rows;
	int height = self->rect.rows < 1 || levels > rows ? 1 : (int)(rows / levels);
	self->flame.height = ascii ? 1 : height < HEIGHT_MAX ? height : HEIGHT_MAX;
}

/* Levels on the screen. */
static uint32_t levels_shown(const struct plot_pane *self)
{
	int height = self->flame.height > 1 ? self->flame.height : 1;
	return self->rect.rows > height ? (uint32_t)(self->rect.rows / height) : 1;
}

bool flame_has_kinds(const struct plot_pane *self)
{
	return !strcmp(self->plot->group->view, "layers");
}

/* What the colors on the screen mean, where the graph leaves a row. */
void flame_draw_legend(const struct plot_pane *self, struct grid *grid)
{
	const struct plot_rect *at = &self->rect;
	int column = at->column + 1, row = at->row + (self->flame.inverted ? 0 : at->rows - 1);
	uint64_t seen = 0;
	if (!flame_has_kinds(self) ||
	    any_of(k, at->columns, grid_cell(grid, row, at->column + k)->role != ROLE_TEXT))
		return;
	for (int i = 0; i < at->rows * at->columns; i++)
		seen |= UINT64_C(1)
			<< grid_cell(grid, at->row + i / at->columns, at->column + i % at->columns)
				   ->role;
	for (int role = ROLE_KERNEL; role < ROLE_COUNT; role++) {
		const char *name = role_info((enum role)role)->name;
		enum lane_group group = group_of_role(role);
		char letter[] = { self->flame.letters ? letter_of_role(role) : '\0', '\0' };
		if (group != GROUPS_PLAIN)
			name = lane_group_name(group);
		if (!(seen >> role & 1) || column + 2 + (int)strlen(name) > at->columns)
			continue;
		grid_puts(grid, row, column, 1, role, *letter ? letter : grid->ascii ? "@" : "█");
		column += 4 + grid_puts(grid, row, column + 2, at->columns, ROLE_DIM, name);
	}
}

void flame_keep_in_sight(struct plot_pane *self)
{
	uint32_t depth = flame_of(self)->nodes[self->flame.node].depth;
	uint32_t rows = levels_shown(self);
	uint32_t max = flame_of(self)->deepest + 1;
	lower_to(self->flame.top, depth);
	if (depth >= self->flame.top + rows)
		self->flame.top = depth - rows + 1;
	if (max <= rows)
		self->flame.top = 0;
}

static bool plot_flame_pane_move(struct plot_pane *self, enum action action)
{
	int rows = action_rows(action, (int)levels_shown(self));
	for (int i = 0; i < abs(rows); i++)
		((rows > 0) != self->flame.inverted ? inwards : outwards)(self);
	switch (action) {
	case ACTION_CURSOR_RIGHT:
	case ACTION_CURSOR_LEFT: to_side(self, action == ACTION_CURSOR_RIGHT); return true;
	case ACTION_FIRST: self->flame.node = self->flame.zoom; return true;
	case ACTION_LAST: to_hottest(self); return true;
	default: return rows != 0;
	}
}

bool flame_act(struct plot_pane *self, struct tui *tui, enum action action)
{
	switch (action) {
	case ACTION_DRILL: return zoom_in(self);
	case ACTION_ZOOM_IN: zoom_in(self); return true;
	case ACTION_ZOOM_OUT:
	case ACTION_FIT_ALL: zoom_out(self, action == ACTION_FIT_ALL); return true;
	case ACTION_SORT_INVERT: self->flame.inverted ^= true; return true;
	default: return plot_flame_pane_move(self, action);
	}
}

void flame_click(struct plot_pane *self, int row, int column)
{
	const struct flame *flame = flame_of(self);
	int line = row - self->rect.row, at = column - self->rect.column, from, to;
	if (line < 0 || line >= self->rect.rows)
		return;
	if (self->flame.inverted)
		line = self->rect.rows - 1 - line;
	uint32_t depth = self->flame.top +
			 (uint32_t)(line / (self->flame.height > 1 ? self->flame.height : 1));
	for (uint32_t i = 0; i < flame->count;) {
		bool seen =
			flame_span(flame, self->flame.zoom, i, self->rect.columns, &from, &to) &&
			at >= from && at < to;
		if (seen && flame->nodes[i].depth == depth) {
			self->flame.node = i;
			return;
		}
		i += seen ? 1 : flame->nodes[i].size;
	}
}

/* ---- initial position ---- */

void flame_reset(struct plot_pane *self)
{
	bool inverted = self->flame.inverted;
	self->flame =
		(struct flame_look){ .has_cursor = true, .inverted = inverted, .filled = true };
	self->zoom_count = 0;
	mem_free(self->matched);
	self->matched = NULL;
	self->matched_serial = 0;
	for (uint32_t i = 0; self->target.kind != REF_NONE && i < flame_of(self)->count; i++) {
		struct ref ref = plot_ref(self->plot, flame_of(self)->nodes[i].row);
		bool unfolded = self->target.kind == REF_REPEAT && ref.kind == REF_LAYER;
		if ((ref.kind == self->target.kind || unfolded) && ref.a == self->target.a) {
			self->flame.node = i;
			if (unfolded)
				self->flame.zoom = flame_of(self)->nodes[i].parent;
			/* frames too narrow to be visible are represented by an ancestor */
			for (uint32_t at = i; !is_seen(self, i) && at != 0;) {
				at = flame_of(self)->nodes[at].parent;
				self->flame.zoom = at;
			}
			return;
		}
	}
}

/* ---- reading and searching ---- */

void flame_detail(struct plot_pane *self, struct buffer *out)
{
	const struct flame_node *node = &flame_of(self)->nodes[self->flame.node];
	double whole = (double)flame_of(self)->nodes[0].value;
	buffer_printf(out, "Frame\t%s\nTime\t", flame_name(flame_of(self), self->flame.node));
	plot_number(out, flame_of(self)->unit, (double)node->value);
	buffer_printf(out, ", %.1f%%\nSelf\t", 100 * (double)node->value / whole);
	plot_number(out, flame_of(self)->unit, (double)node->self);
	buffer_printf(out, ", %.1f%%\n", 100 * (double)node->self / whole);
	if (self->matched) {
		buffer_puts(out, "Matched\t");
		plot_number(out, flame_of(self)->unit, (double)self->matched_ns);
		buffer_printf(out, ", %.1f%%\n", 100 * (double)self->matched_ns / whole);
	}
}

void flame_search_again(struct plot_pane *self, struct tui *tui)
{
	unsigned serial = tui->search.pattern ? tui->search.serial : 0;
	if (serial == self->matched_serial)
		return;
	mem_replace(self->matched,
		    serial ? flame_match(flame_of(self), tui->search.pattern, &self->matched_ns)
			   : NULL);
	self->flame.matched = self->matched;
	self->matched_serial = serial;
	struct error error;
	if (serial && !pattern_completed(tui->search.pattern, &error))
		tui_say_error(tui, &error);
}

/* Zooms in on frames that are too narrow. */
void flame_find(struct plot_pane *self, struct tui *tui, int direction, bool here)
{
	const struct flame *flame = flame_of(self);
	uint32_t count = flame->count, at = self->flame.node;
	flame_search_again(self, tui);
	if (!self->matched)
		return;
	for (uint32_t i = 0; i <= count; i++, at = (at + (direction > 0 ? 1 : count - 1)) % count) {
		if (!self->matched[at] || (i == 0 && !here))
			continue;
		self->flame.node = at;
		if (!is_seen(self, at)) {
			self->zoom_count = 0;
			self->flame.zoom = flame->nodes[at].parent;
		}
		tui_say(tui, MESSAGE_INFO, "Match %.1f %%",
			100 * (double)self->matched_ns / (double)flame->nodes[0].value);
		return;
	}
	tui_say(tui, MESSAGE_WARNING, "no match for '%s'", tui->search.text);
}
