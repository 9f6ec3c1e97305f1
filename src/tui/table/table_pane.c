#include "tui/table/table_pane.h"

#include "base/compare.h"
#include "base/text.h"
#include "table/remap_rows.h"

#include <assert.h>
#include <stdlib.h>

/* ---- boxes ---- */

void table_box_drop(struct table_box *box)
{
	if (!box || --box->references > 0)
		return;
	table_free(box->table);
	shared_run_drop(box->shared);
	mem_free(box);
}

void table_order_drop(struct table_order *order)
{
	if (!order || --order->references > 0)
		return;
	mem_free_all(order->rows, order->positions, order->sums, order->running, order);
}

/* ---- creation ---- */

static const struct pane_ops table_pane_ops;

struct pane *table_pane_new(const struct pane_subject *subject)
{
	const char *name = subject->view ? subject->view->name : "sql";
	struct table_pane *self = pane_new(sizeof *self, &table_pane_ops, name);
	self->pane.places = &self->places;
	self->page = 1;
	self->selected_before = SIZE_MAX;
	self->view = subject->view;
	self->sql = subject->sql ? mem_strdup(subject->sql) : NULL;
	self->target = subject->target;
	query_begin(self, subject);
	return &self->pane;
}

struct table_pane *table_pane_of(const struct pane *pane)
{
	assert(pane->ops == &table_pane_ops);
	return (struct table_pane *)pane;
}

static void table_pane_free(struct pane *pane)
{
	AUTO_FREE struct table_pane *self = table_pane_of(pane);
	query_clear(&self->applied);
	query_clear(&self->wanted);
	table_box_drop(self->box);
	mem_free(self->sql);
	table_order_drop(self->order);
	mem_free_all(self->columns_wanted, self->pinned, self->columns, self->expanded, self->lines,
		     self->alike, self->marked, self->hits);
	strip_places_free(&self->places);
}

/* ---- rows ---- */

bool table_is_tree(const struct table_pane *self)
{
	return self->box && self->box->table->is_tree && !self->applied.flat;
}

size_t table_line_position(const struct table_pane *self, size_t line)
{
	return self->lines ? self->lines[line] : line;
}

size_t table_line_row(const struct table_pane *self, size_t line)
{
	return self->order->rows[table_line_position(self, line)];
}

size_t table_selected(const struct table_pane *self)
{
	return self->cursor < self->line_count ? table_line_row(self, self->cursor) : SIZE_MAX;
}

struct ref table_selected_ref(const struct table_pane *self)
{
	size_t row = table_selected(self);
	return row == SIZE_MAX ? NO_REF : table_ref(self->box->table, row);
}

bool table_is_stale(const struct table_pane *self, const struct tui *tui)
{
	return self->box && self->box->shared != tui->shared;
}

struct value table_selected_name(const struct table_pane *self)
{
	size_t row = table_selected(self);
	int column = row == SIZE_MAX ? -1 : table_name_column(self->box->table);
	return column < 0 ? value_missing() : table_value(self->box->table, row, (size_t)column);
}

void table_select_line(struct table_pane *self, size_t line)
{
	if (self->line_count == 0)
		line = 0;
	else if (line >= self->line_count)
		line = self->line_count - 1;
	self->cursor = line;
}

void table_select_position(struct table_pane *self, size_t position)
{
	if (table_is_tree(self))
		tree_reveal(self, position);
	table_select_line(
		self, self->lines ? search_first(i, 0, self->line_count, self->lines[i] >= position)
				  : position);
	self->jumped = true;
}

/* Position of a row; SIZE_MAX: filtered out. */
static size_t row_position(const struct table_pane *self, size_t row)
{
	const struct table_order *order = self->order;
	if (row >= self->box->table->rows)
		return SIZE_MAX;
	if (!order->positions)
		return row;
	return order->positions[row] == NO_ROW ? SIZE_MAX : order->positions[row];
}

void table_select_row(struct table_pane *self, size_t row)
{
	size_t position = row_position(self, row);
	if (position == SIZE_MAX)
		table_select_line(self, self->cursor);
	else
		table_select_position(self, position);
}

/* ---- marks ---- */

/* Number of marked rows before ROW. */
static size_t marks_before(const struct table_pane *self, size_t row)
{
	return search_first(i, 0, self->marked_count, self->marked[i] >= row);
}

bool table_is_marked(const struct table_pane *self, size_t row)
{
	size_t at = marks_before(self, row);
	return at < self->marked_count && self->marked[at] == row;
}

void table_toggle_mark(struct table_pane *self, size_t row)
{
	size_t at = marks_before(self, row), size = sizeof *self->marked;
	if (table_is_marked(self, row)) {
		self->marked_count--;
		memmove(self->marked + at, self->marked + at + 1, (self->marked_count - at) * size);
		return;
	}
	mem_grow(self->marked, self->marked_count + 1);
	memmove(self->marked + at + 1, self->marked + at, (self->marked_count - at) * size);
	self->marked[at] = (uint32_t)row;
	self->marked_count++;
}

/* ---- pane_ops ---- */

/* "3 marked, Total 148.23 ms (25.1 %)": the sum of the sort column, if it adds up. */
static void add_marked(const struct table_pane *self, struct buffer *out)
{
	const struct table *table = self->box ? self->box->table : NULL;
	int index = table && self->applied.sort ? table_column(table, self->applied.sort) : -1;
	if (self->marked_count == 0)
		return;
	buffer_printf(out, "  %zu marked", self->marked_count);
	if (index < 0 || table->is_tree || !columns_adds_up(self, index))
		return;
	double all = self->order->sums[index].total;
	int64_t sum = 0;
	for (size_t i = 0; i < self->marked_count; i++) {
		struct value value = table_value(table, self->marked[i], (size_t)index);
		sum += value.kind == VALUE_INT ? value.integer : 0;
	}
	buffer_printf(out, ", %s ", table->column[index]->title);
	value_format(out, table->column[index], value_int(sum), self->units == UNITS_RAW);
	if (all > 0 && !self->applied.filter) /* which hides marked rows, too */
		buffer_printf(out, " (%.1f %%)", 100 * (double)sum / all);
}

/* That for a name is plain: without the marks of pattern_quote. */
static void add_filter(const char *filter, struct buffer *out)
{
	bool plain = strstr(filter, "(?-i)");
	buffer_puts(out, plain ? "  " : "  &");
	for (; *filter; filter++)
		if (plain && !strncmp(filter, "(?-i)", 5))
			filter += 4;
		else if (plain && *filter == '\\' && filter[1])
			buffer_putc(out, *++filter);
		else if (!plain || *filter != '$')
			buffer_putc(out, plain && *filter == '^' ? ' ' : *filter);
}

static void table_state(struct pane *pane, struct buffer *out)
{
	const struct table_pane *self = table_pane_of(pane);
	static const char *const units[UNITS_COUNT] = { UNITS_TITLE_ROWS };
	if (self->sql)
		buffer_printf(out, "  %s", self->sql);
	if (self->view && self->applied.group &&
	    self->applied.group != view_first_group(self->view))
		buffer_printf(out, "  by %s", self->applied.group);
	if (self->applied.flat)
		buffer_puts(out, "  flat");
	if (units[self->units])
		buffer_printf(out, "  %s", units[self->units]);
	if (self->applied.filter) {
		add_filter(self->applied.filter, out);
		buffer_printf(out, " (%zu of %zu)", self->order->count,
			      self->box ? self->box->table->rows : 0);
	}
	add_marked(self, out);
}

static void table_position(struct pane *pane, struct buffer *out)
{
	const struct table_pane *self = table_pane_of(pane);
	if (self->box)
		pane_position(out, self->cursor, self->line_count);
}

static const struct table *table_shown_table(const struct pane *pane)
{
	const struct table_pane *self = table_pane_of(pane);
	return self->box ? self->box->table : NULL;
}

static size_t table_marked(const struct pane *pane, size_t index)
{
	const struct table_pane *self = table_pane_of(pane);
	return index < self->marked_count ? self->marked[index] : SIZE_MAX;
}

static size_t table_row(const struct pane *pane)
{
	return table_selected(table_pane_of(pane));
}

static void table_go(struct pane *pane, size_t row)
{
	struct table_pane *self = table_pane_of(pane);
	if (self->box && row != SIZE_MAX)
		table_select_row(self, row);
}

/* In the current run, which may be newer than the table's. */
static struct ref table_place_ref(const struct pane *pane, const struct tui *tui, size_t row)
{
	const struct table_pane *self = table_pane_of(pane);
	struct ref ref = { .kind = REF_NONE };
	if (self->box && row < self->box->table->rows)
		ref = table_ref(self->box->table, row);
	return table_is_stale(self, tui)
		       ? carry_ref(self->box->shared->run, tui->run, pane->level->scope.rank, ref)
		       : ref;
}

static void table_go_ref(struct pane *pane, struct tui *tui, struct ref ref)
{
	struct table_pane *self = table_pane_of(pane);
	const struct jump jump = { .kind = JUMP_REF, .ref = ref };
	if (!self->box || table_is_stale(self, tui))
		self->target = ref;
	else if (ref.kind != REF_NONE)
		table_jump(self, tui, &jump);
}

static void table_go_line(struct pane *pane, size_t line)
{
	table_select_line(table_pane_of(pane), line);
}

static void copy_row(const struct table_pane *self, size_t position, bool whole, struct buffer *out)
{
	const struct table *table = self->box->table;
	int name = table_name_column(table);
	AUTO_BUFFER struct buffer cell = { 0 };
	for (int i = 0; i < (whole ? self->column_count : 1); i++) {
		buffer_clear(&cell);
		if (whole || name < 0)
			table_cell_text(self, position, self->columns[i].index, &cell);
		else
			table_format(&cell, table, self->order->rows[position], (size_t)name,
				     false);
		if (i > 0)
			buffer_putc(out, '\t');
		text_escape(out, BUFFERED(&cell));
	}
	buffer_putc(out, '\n');
}

static void copy_heads(const struct table_pane *self, struct buffer *out)
{
	for (int i = 0; i < self->column_count; i++)
		buffer_printf(out, "%s%s", i > 0 ? "\t" : "",
			      self->box->table->column[self->columns[i].index]->title);
	buffer_putc(out, '\n');
}

/* Positions of the visible marked rows, in order. */
static size_t *marked_positions(const struct table_pane *self, size_t *count)
{
	size_t *positions = mem_alloc(self->marked_count * sizeof *positions);
	*count = 0;
	for (size_t i = 0; i < self->marked_count; i++) {
		size_t position = row_position(self, self->marked[i]);
		if (position != SIZE_MAX)
			positions[(*count)++] = position;
	}
	qsort(positions, *count, sizeof *positions, compare_size);
	return positions;
}

/* Several rows are copied with column headings. */
static size_t table_copy(struct pane *pane, struct tui *tui, bool whole, struct buffer *out)
{
	const struct table_pane *self = table_pane_of(pane);
	if (table_selected(self) == SIZE_MAX || self->column_count == 0)
		return 0;
	if (self->marked_count == 0) {
		copy_row(self, table_line_position(self, self->cursor), whole, out);
		return 1;
	}
	size_t count;
	AUTO_FREE size_t *positions = marked_positions(self, &count);
	if (whole && self->marked_count > 1)
		copy_heads(self, out);
	for (size_t i = 0; i < count; i++)
		copy_row(self, positions[i], whole, out);
	return count;
}

static void table_search(struct pane *pane, struct tui *tui, size_t origin, int direction)
{
	struct table_pane *self = table_pane_of(pane);
	size_t position = self->box ? row_position(self, origin) : SIZE_MAX;
	if (direction)
		table_find_move(self, tui, direction);
	else
		table_find_from(self, tui, position == SIZE_MAX ? 0 : position);
}

static void table_shown(struct pane *pane, struct tui *tui)
{
	struct table_pane *self = table_pane_of(pane);
	if (pane == tui_pane(tui))
		pane->beside = false;
	/* its table is neither there nor coming, or of a run that is no longer the explorer's */
	if (!pane->job && (!self->box || table_is_stale(self, tui)))
		table_request(self, tui, TABLE_BUILD);
}

/* The pane stays, with its old table until the table of the new run is built. */
static struct pane *table_carry(struct pane *pane, struct tui *tui, const struct run *from)
{
	struct table_pane *self = table_pane_of(pane);
	self->target = carry_ref(from, tui->run, pane->level->scope.rank, self->target);
	return pane;
}

static const struct pane_ops table_pane_ops = { TABLE_PANE_OPS };
