#include "tui/table/table_pane.h"

#include "table/remap_rows.h"

#include <math.h>

static uint32_t depth_at(const struct table_pane *self, size_t position)
{
	return table_depth(self->box->table, self->order->rows[position]);
}

bool tree_has_children(const struct table_pane *self, size_t position)
{
	return position + 1 < self->order->count &&
	       depth_at(self, position + 1) > depth_at(self, position);
}

size_t tree_parent(const struct table_pane *self, size_t position)
{
	uint32_t depth = depth_at(self, position);
	while (depth > 0 && position-- > 0)
		if (depth_at(self, position) < depth)
			return position;
	return SIZE_MAX;
}

/* Position after the subtree. */
static size_t subtree_end(const struct table_pane *self, size_t position)
{
	size_t end = position + 1;
	while (end < self->order->count && depth_at(self, end) > depth_at(self, position))
		end++;
	return end;
}

/* A new tree is open where this share of the whole is spent, if that many lines hold it. */
enum { OPEN_PCT = 5, OPEN_LINES = 40 };

/* By row what rows are ordered by, from OPEN_PCT on, else how near the root it is; 0: stays closed.
 */
static double *opening_weights(const struct table_pane *self)
{
	const struct table *table = self->box->table;
	const char *sort = self->applied.sort ?: table_default_sort(table);
	int column = table_column_named(table, sort, strcspn(sort, ":"));
	double *weights = mem_zalloc(table->rows + 1, sizeof *weights), whole = 0;
	for (size_t row = 0; row < table->rows; row++) {
		weights[row] = fmax(fabs(table_amount(table, row, column)), 0);
		whole += table_depth(table, row) == 0 ? weights[row] : 0;
	}
	for (size_t row = 0; row < table->rows; row++) {
		if (table_ref(table, row).kind == REF_REPEAT)
			weights[row] = 0;
		else if (!(whole > 0))
			weights[row] = 1 / (1.0 + table_depth(table, row));
		else if (100 * weights[row] < OPEN_PCT * whole)
			weights[row] = 0;
	}
	return weights;
}

/* The visible closed row of most weight; SIZE_MAX: none has any. */
static size_t find_heaviest(const struct table_pane *self, const double *weights)
{
	const struct table *table = self->box->table;
	uint32_t hidden_below = UINT32_MAX;
	size_t best = SIZE_MAX;
	for (size_t row = 0; row < table->rows; row++) {
		if (table_depth(table, row) > hidden_below)
			continue;
		hidden_below = self->expanded[row] ? UINT32_MAX : table_depth(table, row);
		if (!self->expanded[row] && weights[row] > (best == SIZE_MAX ? 0 : weights[best]))
			best = row;
	}
	return best;
}

static size_t count_children(const struct table *table, size_t row)
{
	uint32_t depth = table_depth(table, row);
	size_t count = 0;
	for (size_t i = row + 1; i < table->rows && table_depth(table, i) > depth; i++)
		count += table_depth(table, i) == depth + 1;
	return count;
}

void tree_reset(struct table_pane *self)
{
	const struct table *table = self->box->table;
	mem_free(self->expanded);
	self->expanded = NULL;
	if (!table->is_tree)
		return;
	self->expanded = mem_zalloc(table->rows + 1, 1);
	AUTO_FREE double *weights = opening_weights(self);
	size_t shown = 0, path = 0; /* the next row of the heaviest path */
	for (size_t row = 0; row < table->rows; row++)
		shown += table_depth(table, row) == 0;
	for (size_t row; (row = find_heaviest(self, weights)) != SIZE_MAX; weights[row] = 0) {
		size_t children = count_children(table, row);
		self->expanded[row] = row == path || shown + children <= OPEN_LINES;
		shown += self->expanded[row] ? children : 0;
		path += row == path;
	}
}

/* By layer node: its row, or NO_ROW. *COUNT: number of nodes. */
static uint32_t *rows_of_layers(const struct table *table, uint32_t *count)
{
	*count = 0;
	for (size_t row = 0; row < table->rows; row++) {
		struct ref ref = table_ref(table, row);
		if (ref.kind == REF_LAYER && ref.a >= *count)
			*count = ref.a + 1;
	}
	uint32_t *rows = mem_no_rows(*count + 1);
	for (size_t row = 0; row < table->rows; row++) {
		struct ref ref = table_ref(table, row);
		if (ref.kind == REF_LAYER)
			rows[ref.a] = (uint32_t)row;
	}
	return rows;
}

void tree_carry(struct table_pane *self, const struct table_box *before, const uint8_t *expanded)
{
	const struct table *old = before->table;
	const struct run *from = before->shared->run, *to = self->box->shared->run;
	uint32_t count;
	if (!old->is_tree || !self->box->table->is_tree || !expanded)
		return;
	AUTO_FREE uint32_t *rows = rows_of_layers(self->box->table, &count);
	for (size_t row = 0; row + 1 < old->rows; row++) {
		struct ref ref = table_ref(old, row);
		if (ref.kind != REF_LAYER || table_depth(old, row + 1) <= table_depth(old, row))
			continue;
		ref = carry_ref(from, to, self->pane.level->scope.rank, ref);
		if (ref.kind == REF_LAYER && ref.a < count && rows[ref.a] != NO_ROW)
			self->expanded[rows[ref.a]] = expanded[row];
	}
}

void tree_update(struct table_pane *self)
{
	size_t position = self->cursor < self->line_count && self->lines ? self->lines[self->cursor]
									 : self->cursor;
	uint32_t hidden_below = UINT32_MAX;
	mem_free(self->lines);
	self->lines = NULL;
	self->line_count = self->order->count;
	if (!table_is_tree(self)) {
		table_select_line(self, position);
		return;
	}
	self->lines = mem_alloc((self->order->count + 1) * sizeof *self->lines);
	self->line_count = 0;
	size_t cursor = 0;
	for (size_t i = 0; i < self->order->count; i++) {
		uint32_t depth = depth_at(self, i);
		if (depth > hidden_below)
			continue;
		hidden_below = self->expanded[self->order->rows[i]] ? UINT32_MAX : depth;
		if (i <= position)
			cursor = self->line_count;
		self->lines[self->line_count++] = (uint32_t)i;
	}
	table_select_line(self, cursor);
}

void tree_reveal(struct table_pane *self, size_t position)
{
	bool changed = false;
	for (size_t up = tree_parent(self, position); up != SIZE_MAX; up = tree_parent(self, up)) {
		changed |= !self->expanded[self->order->rows[up]];
		self->expanded[self->order->rows[up]] = 1;
	}
	if (changed)
		tree_update(self);
}

static void set_expanded(struct table_pane *self, size_t position, bool expanded)
{
	self->expanded[self->order->rows[position]] = expanded;
	tree_update(self);
}

static void expand_below(struct table_pane *self, size_t position)
{
	size_t end = subtree_end(self, position);
	for (size_t i = position; i < end; i++)
		self->expanded[self->order->rows[i]] = 1;
	tree_update(self);
}

static void collapse_all(struct table_pane *self)
{
	size_t position = table_line_position(self, self->cursor);
	for (size_t up; (up = tree_parent(self, position)) != SIZE_MAX;)
		position = up;
	memset(self->expanded, 0, self->box->table->rows);
	tree_update(self);
	table_select_position(self, position);
}

bool tree_act(struct table_pane *self, enum action action)
{
	if (!tree_can(self, action))
		return action == ACTION_TREE_IN || action == ACTION_TREE_OUT ||
		       action == ACTION_EXPAND || action == ACTION_COLLAPSE ||
		       action == ACTION_EXPAND_TOGGLE;
	size_t position = table_line_position(self, self->cursor);
	bool open =
		self->expanded[self->order->rows[position]] && tree_has_children(self, position);

	switch (action) {
	case ACTION_TREE_IN:
		if (open)
			table_select_line(self, self->cursor + 1);
		else
			set_expanded(self, position, true);
		return true;
	case ACTION_TREE_OUT:
		if (open)
			set_expanded(self, position, false);
		else
			table_select_position(self, tree_parent(self, position));
		return true;
	case ACTION_EXPAND:
	case ACTION_COLLAPSE: set_expanded(self, position, action == ACTION_EXPAND); return true;
	case ACTION_EXPAND_TOGGLE: set_expanded(self, position, !open); return true;
	case ACTION_EXPAND_ALL: expand_below(self, position); return true;
	case ACTION_COLLAPSE_ALL: collapse_all(self); return true;
	default: return false;
	}
}

bool tree_can(const struct table_pane *self, enum action action)
{
	if (!table_is_tree(self) || self->cursor >= self->line_count)
		return false;
	size_t position = table_line_position(self, self->cursor);
	bool inner = tree_has_children(self, position);
	bool open = inner && self->expanded[self->order->rows[position]];

	switch (action) {
	case ACTION_TREE_IN:
	case ACTION_EXPAND_ALL:
	case ACTION_EXPAND_TOGGLE: return inner;
	case ACTION_TREE_OUT: return open || tree_parent(self, position) != SIZE_MAX;
	case ACTION_EXPAND: return inner && !open;
	case ACTION_COLLAPSE: return open;
	case ACTION_COLLAPSE_ALL: return true;
	default: return false;
	}
}
