#include "picture/timeline/timeline.h"
#include "base/any_of.h"
#include "tui/table/table_chart.h"

#include "base/number.h"
#include "views/diff/diff.h"

#include <math.h>

enum {
	GUTTER = PLAN_GUTTER,
	BAR_WIDTH = PLAN_BAR_WIDTH,
	TEXT_MIN = PLAN_TEXT_MIN,
	TOTALS_FROM = 8, /* minimum body rows for totals */
};

/* ---- cells ---- */

/*
 * Column whose total shares refer to. In a tree only totals include subtrees, so self times refer
 * to those.
 */
static int whole_column(const struct table_pane *self, int index)
{
	const char *whole = self->box->table->column[index]->part_of;
	int found = table_is_tree(self) && whole ? table_column(self->box->table, whole) : -1;
	return found >= 0 ? found : index;
}

/* In percent; NaN: the column has no shares here. */
static double share(const struct table_pane *self, size_t position, int index)
{
	const struct table *table = self->box->table;
	const struct column *column = table->column[index];
	struct value value = table_value(table, self->order->rows[position], (size_t)index);
	int whole = whole_column(self, index);
	bool nested = table->nested && !strcmp(table->nested, column->id);
	double total = nested ? table->whole
			      : table_whole(table, (size_t)whole, self->order->sums[whole].total);

	if (nested && !(total > 0))
		return NAN;
	if (value.kind == VALUE_MISSING || !column_has_shares(column) ||
	    (table_is_tree(self) && column->separate))
		return NAN;
	bool of_parent = self->units == UNITS_PARENT && table_is_tree(self);
	size_t parent = of_parent ? tree_parent(self, position) : SIZE_MAX;
	if (parent != SIZE_MAX)
		total = value_number(table_value(table, self->order->rows[parent], (size_t)whole),
				     0);
	return total > 0 ? 100 * value_number(value, 0) / total : 0;
}

void table_cell_text(const struct table_pane *self, size_t position, int index, struct buffer *out)
{
	double percent = table_units_are_shares(self) ? share(self, position, index) : NAN;
	char text[NUMBER_MAX];

	if (!isnan(percent))
		buffer_printf(out, "%s %%", number_percent(text, percent));
	else
		table_format(out, self->box->table, self->order->rows[position], (size_t)index,
			     self->units == UNITS_RAW);
}

/* To the left of AT, where there are only half blocks. */
static void draw_bar_left(struct tui *tui, int row, int at, int cells, double fraction, int role)
{
	struct grid *grid = &tui->grid;
	int filled = (int)(fraction * cells * 2 + 0.999);
	for (int i = 0; 2 * i < filled; i++)
		grid_puts(grid, row, at - 1 - i, 1, role,
			  grid->ascii           ? "#"
			  : filled - 2 * i == 1 ? "▐"
						: "█");
}

/*
 * Better or worse; SAME for no change, for one that the verdict takes for noise, and for that of
 * the time that it does not compare.
 */
static int role_of_change(const struct table *table, size_t row, int index, int same)
{
	struct value change = table_value(table, row, (size_t)index);
	double number = value_number(change, 0);
	bool device = !strcmp(table->column[index]->id, "delta_gpu_ns");
	bool host = !strcmp(table->column[index]->id, "delta_cpu_ns");
	struct value compared = table_cell_or_missing(table, row, "compared");
	if (diff_is_noise(table_cell_or_missing(table, row, "verdict")) ||
	    (device && diff_is_of(compared, "CPU")) || (host && diff_is_of(compared, "GPU")))
		return same;
	return number < 0 ? ROLE_BETTER : number > 0 ? ROLE_WORSE : same;
}

static void draw_row_bar(const struct table_pane *self, struct tui *tui, int screen_row, int at,
			 size_t row, int column, int role)
{
	const struct table *table = self->box->table;
	struct value value = table_value(table, row, (size_t)column);
	double largest = self->order->sums[column].largest;
	double number = value_number(value, 0);
	double fraction = largest > 0 ? fabs(number) / largest : 0;
	bool selected = role == ROLE_SELECTION;
	if (!table->column[column]->change) {
		grid_bar(&tui->grid, screen_row, at, BAR_WIDTH,
			 selected ? role : (int)timeline_role_of_row(table, row, ROLE_BAR),
			 fraction);
		return;
	}
	/* changes: less to the left, more to the right */
	int middle = at + BAR_WIDTH / 2;
	if (!selected)
		role = role_of_change(table, row, column, ROLE_DIM);
	draw_bar_left(tui, screen_row, middle, BAR_WIDTH / 2, number < 0 ? fraction : 0, role);
	grid_bar(&tui->grid, screen_row, middle, BAR_WIDTH / 2, role, number > 0 ? fraction : 0);
}

/* Role of a cell, depending on the row's kind: of its name, which has the color of the category. */
static int cell_role(const struct table_pane *self, size_t row, int index, int base)
{
	const struct table *table = self->box->table;
	int kind = -1;
	if (base != ROLE_TEXT)
		return base;
	if (table->column[index]->change)
		return role_of_change(table, row, index, base);
	int category = table_column_as(table, COLUMN_CATEGORY), name = table_name_column(table);
	if (index == name)
		kind = category;
	else if (table->column[index]->colored && (index != category || name < 0))
		kind = index;
	if (kind < 0)
		return index == name ? (int)timeline_role_of_row(table, row, (enum role)base)
				     : base;
	struct value value = table_value(table, row, (size_t)kind);
	return value.kind == VALUE_TEXT ? (int)role_of_text(value.text, value.length) : base;
}

/* Highlight search matches in a drawn field. */
static void paint_matches(struct tui *tui, int row, int at, int width)
{
	AUTO_BUFFER struct buffer text = { 0 };
	int column_of[512];
	size_t from = 0, start, end;
	for (int i = 0; i < width; i++) {
		const struct cell *cell = grid_cell(&tui->grid, row, at + i);
		if (!cell)
			break;
		for (const char *byte = cell->bytes; *byte && text.length < 500; byte++) {
			column_of[text.length] = i;
			buffer_putc(&text, *byte);
		}
	}
	while (text.length > 0 && from < text.length &&
	       pattern_match(tui->search.pattern, text.data + from, text.length - from, &start,
			     &end) &&
	       end > start) {
		int first = column_of[from + start], last = column_of[from + end - 1];
		grid_paint(&tui->grid, row, at + first, last - first + 1, ROLE_MATCH);
		from += end;
	}
}

int table_indent(const struct table_pane *self, size_t position, int width)
{
	int indent = 2 * (int)table_depth(self->box->table, self->order->rows[position]);
	int max = width - TEXT_MIN - 2;
	return indent <= max ? indent : max > 0 ? max : 0;
}

bool table_on_sign(const struct table_pane *self, size_t line, int column)
{
	size_t position = table_line_position(self, line);
	return table_is_tree(self) && tree_has_children(self, position) &&
	       column == self->branch_at + table_indent(self, position, self->branch_width);
}

/* Tree branch before a name; returns its columns. */
static int draw_branch(struct table_pane *self, struct tui *tui, size_t position, int row,
		       const struct placed *placed, int role)
{
	bool inner = tree_has_children(self, position);
	bool open = inner && self->expanded[self->order->rows[position]];
	int indent = table_indent(self, position, placed->width);
	const char *sign = inner ? grid_fold_sign(&tui->grid, open) : " ";
	self->branch_at = placed->at;
	self->branch_width = placed->width;
	grid_fill(&tui->grid, row, placed->at, indent + 2, role, ' ');
	grid_puts(&tui->grid, row, placed->at + indent, 1, role, sign);
	return indent + 2;
}

/* An amount of zero, which is shown as a dash. */
static bool is_nothing(const struct table_pane *self, const struct column *column,
		       struct value value)
{
	bool amount = column->unit == UNIT_NS || column->unit == UNIT_BYTES ||
		      column->unit == UNIT_COUNT || column->unit == UNIT_FLOP;
	return amount && column->kind != COLUMN_POINT && self->units != UNITS_RAW &&
	       (value.kind == VALUE_INT || value.kind == VALUE_REAL) && value_number(value, 0) == 0;
}

static const char *dash_of(const struct tui *tui)
{
	return tui->grid.ascii ? "-" : "–";
}

/* What a number is followed by is dim: "1.23 ms", "12 %". */
static void paint_unit(struct tui *tui, int row, const struct placed *placed,
		       const struct buffer *text)
{
	const char *blank = strrchr(buffer_text(text), ' ');
	int length = blank ? (int)(text->length - (size_t)(blank - text->data)) : 0;
	if (length > 1 && (int)text->length <= placed->width)
		grid_paint(&tui->grid, row, placed->at + placed->width - length + 1, length - 1,
			   ROLE_DIM);
}

static void draw_number(struct table_pane *self, struct tui *tui, size_t row, int screen_row,
			const struct placed *placed, int role, const struct buffer *text)
{
	const struct table *table = self->box->table;
	bool nothing = is_nothing(self, table->column[placed->index],
				  table_value(table, row, (size_t)placed->index));
	const char *dash = dash_of(tui);
	grid_field(&tui->grid, screen_row, placed->at, placed->width, role, GRID_RIGHT,
		   nothing ? dash : buffer_text(text), nothing ? strlen(dash) : text->length);
	if (nothing && role == ROLE_TEXT)
		grid_paint(&tui->grid, screen_row, placed->at + placed->width - 1, 1, ROLE_DIM);
	else if (role == ROLE_TEXT)
		paint_unit(tui, screen_row, placed, text);
}

/*
 * Does the detail strip have the room to repeat what is elided in any row, so that its entries are
 * those of the row before? Otherwise only what is elided in the selected row.
 */
static bool steady_strip(const struct table_pane *self)
{
	enum { WIDE = 120 };
	return !table_is_tree(self) && self->body.columns >= WIDE;
}

/* In a steady strip it is repeated from now on. */
static void set_elided(struct table_pane *self, int index)
{
	self->whole &= ~((uint64_t)1 << index);
	if (steady_strip(self))
		self->elided |= (uint64_t)1 << index;
}

static void draw_cell(struct table_pane *self, struct tui *tui, size_t position, int screen_row,
		      const struct placed *placed, int base)
{
	const struct table *table = self->box->table;
	size_t row = self->order->rows[position];
	AUTO_BUFFER struct buffer text = { 0 };
	int role = cell_role(self, row, placed->index, base);
	if (role >= ROLE_KERNEL && tui->theme.look[role].background >= 0)
		role = base; /* a box around each name; columns tell their kinds */
	int at = placed->at, width = placed->width;
	table_cell_text(self, position, placed->index, &text);
	if (table_is_tree(self) && placed->index == table_name_column(table)) {
		int used = draw_branch(self, tui, position, screen_row, placed, role);
		at += used;
		width -= used;
	}
	bool wide = grid_width(&tui->grid, BUFFERED(&text)) > width;
	if (placed->index == table_name_column(table))
		distinct_name(self, tui, screen_row - self->first_row, width, &text);
	if (column_is_number(table->column[placed->index]))
		draw_number(self, tui, row, screen_row, placed, role, &text);
	else
		grid_field(&tui->grid, screen_row, at, width, role,
			   table->column[placed->index]->prose ? GRID_PROSE : GRID_LEFT,
			   BUFFERED(&text));
	bool here = position == table_line_position(self, self->cursor);
	if (here && !wide)
		self->here |= (uint64_t)1 << placed->index;
	if ((here || steady_strip(self)) && wide)
		set_elided(self, placed->index);
	if (tui->search.pattern)
		paint_matches(tui, screen_row, at, width);
	if (placed->bar)
		draw_row_bar(self, tui, screen_row, placed->at + placed->width + 1, row,
			     placed->index, base);
}

static struct rect chart_rect(const struct plan *plan, struct rect at)
{
	return (struct rect){ at.row, at.column + at.columns - plan->chart + 1, at.rows,
			      plan->chart - 2 };
}

static void draw_row(struct table_pane *self, struct tui *tui, const struct plan *plan, size_t line,
		     struct rect at)
{
	size_t position = table_line_position(self, line);
	bool marked = table_is_marked(self, self->order->rows[position]);
	bool here = line == self->cursor;
	int base = here ? ROLE_SELECTION : marked ? ROLE_MARK : ROLE_TEXT;
	grid_fill(&tui->grid, at.row, at.column, at.columns, base, ' ');
	grid_puts(&tui->grid, at.row, at.column, 1, base, marked ? "*" : here ? ">" : " ");
	for (int i = 0; i < plan->count; i++)
		draw_cell(self, tui, position, at.row, &plan->column[i], base);
	if (plan->chart)
		chart_draw_row(self, tui, chart_rect(plan, at), position, base);
	if (self->pinned && plan->count > plan->fixed)
		grid_rule(&tui->grid, at.row, plan->column[plan->fixed].at - 1, 1, true);
}

/* ---- whole table ---- */

static void draw_header(const struct table_pane *self, struct tui *tui, const struct plan *plan,
			struct rect at)
{
	struct grid *grid = &tui->grid;
	grid_fill(grid, at.row, at.column, at.columns, ROLE_HEADER, ' ');
	for_each (placed, plan->column, plan->count) {
		const struct column *column = self->box->table->column[placed->index];
		bool sorted = query_text_equal(self->applied.sort, column->id);
		int role = sorted ? ROLE_SORTED : ROLE_HEADER;
		bool number = column_is_number(column);
		int length = (int)strlen(column->title);
		grid_field(grid, at.row, placed->at, placed->width, ROLE_HEADER,
			   number ? GRID_RIGHT : GRID_LEFT, column->title, strlen(column->title));
		if (!sorted)
			continue;
		int used = length < placed->width ? length : placed->width;
		int from = number ? placed->at + placed->width - used : placed->at;
		const char *sign = grid->ascii ? (self->applied.descending ? "v" : "^")
					       : (self->applied.descending ? "▼" : "▲");
		grid_paint(grid, at.row, from, used, role);
		grid_puts(grid, at.row, from + used, 1, ROLE_HEADER, sign);
	}
	if (self->pinned && plan->count > plan->fixed)
		grid_rule(grid, at.row, plan->column[plan->fixed].at - 1, 1, true);
	if (self->scroll > 0 && plan->count > plan->fixed)
		grid_puts(grid, at.row, plan->column[plan->fixed].at - 1, 1, ROLE_HEADER, "<");
	if (plan->chart)
		chart_draw_title(self, tui, chart_rect(plan, at));
	if (plan->more)
		grid_puts(grid, at.row, at.column + at.columns - plan->chart - 1, 1, ROLE_HEADER,
			  ">");
}

static void scroll_to_cursor(struct table_pane *self, int rows)
{
	size_t page = rows > 0 ? (size_t)rows : 1;
	self->page = rows > 0 ? rows : 1;
	if (self->jumped && (self->cursor < self->top || self->cursor >= self->top + page))
		self->top = self->cursor > page / 2 ? self->cursor - page / 2 : 0;
	self->jumped = false;
	lower_to(self->top, self->cursor);
	if (self->cursor >= self->top + page)
		self->top = self->cursor - page + 1;
	if (self->top + page > self->line_count)
		self->top = self->line_count > page ? self->line_count - page : 0;
}

static void draw_empty(const struct table_pane *self, struct tui *tui, struct rect body)
{
	const char *note = self->box->table->note;
	AUTO_BUFFER struct buffer text = { 0 };
	const char *filter = self->applied.filter;
	const char *name = filter ? filter + (*filter == '!') : NULL;
	const char *colon = name ? table_filter_colon(name) : NULL;
	if (filter)
		buffer_printf(&text, "No row matches &%s (:filter shows all).", filter);
	if (colon && table_column_named(self->box->table, name, (size_t)(colon - name)) < 0)
		buffer_printf(&text, " No column is named '%.*s' (c lists them).",
			      (int)(colon - name), name);
	if (!filter)
		buffer_puts(&text, note ? note : "No rows.");
	strip_sentence(&tui->grid, body, buffer_text(&text));
}

/* The view's note and the legend of the chart, below the rows if there is room. */
static void draw_note(struct table_pane *self, struct tui *tui, const struct plan *plan,
		      struct rect body)
{
	const char *note = self->box->table->note;
	int used = (int)(self->line_count - self->top) + 1;
	self->note_left_out = note && self->line_count;
	if (self->line_count == 0 || self->top > 0 || self->line_count + 1 >= (size_t)body.rows)
		return;
	body.row += used;
	body.rows -= used;
	if (plan->chart) {
		chart_draw_legend(self, tui, chart_rect(plan, body));
		body.columns -= plan->chart;
	}
	self->note_left_out = false;
	if (note)
		strip_sentence(&tui->grid, body, note);
}

static bool has_totals(const struct table_pane *self, struct rect body)
{
	if (body.rows < TOTALS_FROM || self->box->table->is_tree || self->line_count < 2)
		return false;
	return any_of(i, self->column_count, columns_adds_up(self, self->columns[i].index));
}

/* Formatted sum of a column; empty if values would be counted twice. */
static void total_text(const struct table_pane *self, const struct tui *tui, int index,
		       struct buffer *out)
{
	const struct column *column = self->box->table->column[index];
	if (!columns_adds_up(self, index))
		return;
	struct value total = value_int((int64_t)self->order->sums[index].total);
	if (is_nothing(self, column, total))
		buffer_puts(out, dash_of(tui));
	else if (table_units_are_shares(self))
		buffer_puts(out, "100.0 %");
	else
		value_format(out, column, total, self->units == UNITS_RAW);
}

static void grow_for_text(struct shown_column *shown, struct tui *tui, const struct buffer *text)
{
	int width = grid_width(&tui->grid, BUFFERED(text));
	raise_to(shown->width, width);
}

/*
 * Widen columns with a visible number wider than the sampled ones, until the units change, since
 * numbers are never truncated.
 */
static void grow_for_rows(struct table_pane *self, struct tui *tui, int rows, bool totals)
{
	AUTO_BUFFER struct buffer text = { 0 };
	for_each_mutable (shown, self->columns, self->column_count) {
		if (!column_is_number(self->box->table->column[shown->index]))
			continue;
		for (int i = 0; i < rows && self->top + (size_t)i < self->line_count; i++) {
			size_t position = table_line_position(self, self->top + (size_t)i);
			buffer_clear(&text);
			table_cell_text(self, position, shown->index, &text);
			grow_for_text(shown, tui, &text);
		}
		buffer_clear(&text);
		if (totals)
			total_text(self, tui, shown->index, &text);
		grow_for_text(shown, tui, &text);
	}
}

/* Columns available for the row count: to the first column that has a sum. */
static int room_before_sums(const struct table_pane *self, const struct tui *tui,
			    const struct plan *plan, struct rect at)
{
	AUTO_BUFFER struct buffer text = { 0 };
	int end = at.column + at.columns + 1;
	for (int i = 1; i < plan->count && !text.length; i++) {
		total_text(self, tui, plan->column[i].index, &text);
		if (text.length)
			end = plan->column[i].at;
	}
	return end - plan->column[0].at - 1;
}

/* Totals of the shown rows, for columns that can be summed. */
static void draw_totals(struct table_pane *self, struct tui *tui, const struct plan *plan,
			struct rect at)
{
	char count[NUMBER_MAX];
	AUTO_BUFFER struct buffer text = { 0 };
	grid_fill(&tui->grid, at.row, at.column, at.columns, ROLE_TOTAL, ' ');
	for (int i = 0; i < plan->count; i++) {
		const struct placed *placed = &plan->column[i];
		buffer_clear(&text);
		total_text(self, tui, placed->index, &text);
		if (text.length > 0) {
			grid_field(&tui->grid, at.row, placed->at, placed->width, ROLE_TOTAL,
				   GRID_RIGHT, text.data, text.length);
		} else if (i == 0) {
			buffer_printf(&text, "%s rows",
				      number_count(count, (int64_t)self->order->count));
			int room = room_before_sums(self, tui, plan, at);
			if (room >= (int)text.length)
				grid_field(&tui->grid, at.row, placed->at, room, ROLE_TOTAL,
					   GRID_LEFT, text.data, text.length);
		}
	}
}

/* The columns that hold their contents, or most of them, whole. */
static void find_whole(struct table_pane *self, const struct plan *plan)
{
	for (int i = 0; i < plan->count; i++)
		self->whole |= (uint64_t)1 << plan->column[i].index;
	self->whole &= ~self->elided;
	for (int i = 0; i < plan->count && steady_strip(self); i++)
		if (table_wanted_width(self, plan->column[i].index) > plan->column[i].width)
			set_elided(self, plan->column[i].index);
}

void table_draw(struct pane *pane, struct tui *tui, struct rect body)
{
	struct table_pane *self = table_pane_of(pane);
	struct plan plan;
	if (body.columns != self->body.columns)
		self->elided = 0;
	self->body = body;
	self->whole = self->here = 0;
	if (!self->box)
		return;
	if (cards_shown(self)) {
		cards_draw(self, tui, body);
		return;
	}
	struct rect totals = body;
	totals.row += body.rows - 1;
	bool summed = has_totals(self, body);
	body.rows -= summed;
	scroll_to_cursor(self, body.rows > 1 ? body.rows - 1 : body.rows);
	grow_for_rows(self, tui, body.rows, summed);
	table_plan(self, &plan, body);
	if (body.rows > 1) {
		draw_header(self, tui, &plan, body);
		body.row++;
		body.rows--;
	}
	if (self->line_count == 0)
		draw_empty(self, tui, body);
	self->first_row = body.row;
	find_whole(self, &plan);
	distinct_find(self, tui, &plan, body.rows);
	for (int i = 0; i < body.rows && self->top + (size_t)i < self->line_count; i++) {
		struct rect at = { body.row + i, body.column, 1, body.columns };
		draw_row(self, tui, &plan, self->top + (size_t)i, at);
	}
	draw_note(self, tui, &plan, body);
	tui->grid.cursor_row = body.row + (int)(self->cursor - self->top);
	tui->grid.cursor_column = body.column;
	if (plan.chart && shares_shown(self))
		shares_draw(self, tui, chart_rect(&plan, body));
	if (summed)
		draw_totals(self, tui, &plan, totals);
}

bool table_no_strip(const struct pane *pane)
{
	const struct table_pane *self = (const struct table_pane *)pane;
	return cards_shown(self) || (self->order && self->order->count == 0);
}

enum strip_shown table_shows(const struct pane *pane, const char *title, size_t length)
{
	const struct table_pane *self = (const struct table_pane *)pane;
	for (size_t i = 0; self->box && i < self->box->table->columns; i++) {
		const char *own = self->box->table->column[i]->title;
		if (strlen(own) == length && !strncmp(own, title, length))
			return self->whole >> i & 1  ? SHOWN_EVERYWHERE
			       : self->here >> i & 1 ? SHOWN_HERE
						     : SHOWN_NOWHERE;
	}
	return SHOWN_NOWHERE;
}
