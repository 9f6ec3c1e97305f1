#include "tui/table/table_chart.h"

#include "picture/plot/time_parts.h"

#include <limits.h>
#include <math.h>

enum { CHART_LAYOUT_ROWS(_) };

/* The parts that rows of VIEW are drawn by; of ranks those of communication, sorted by one of them.
 */
static const struct time_part *parts_in(const struct view *view, const char *sort)
{
	bool waits = sort && (!strcmp(sort, "transfer_ns") || !strcmp(sort, "sync_ns"));
	const char *set =
		!view || (waits && !strcmp(view->name, "ranks")) ? "collectives" : view->name;
	return view ? time_parts(set) : NULL;
}

static const struct time_part *parts_of(const struct table_pane *self)
{
	return parts_in(self->view, self->applied.sort);
}

/* GPU time if any differs, else CPU time; -1: no comparison. */
static int delta_column(const struct table *table, const struct column_sums *sums)
{
	int gpu = table_column(table, "delta_gpu_ns");
	return gpu >= 0 && sums[gpu].largest > 0 ? gpu : table_column(table, "delta_cpu_ns");
}

bool chart_has_bar(const struct table_pane *self)
{
	const struct time_part *parts = parts_of(self);
	return parts && strcmp(parts->set, "steps") != 0;
}

/* Columns that the table needs, or wants; texts may be elided. */
static int columns_used(const struct table_pane *self, int text_max)
{
	int used = PLAN_GUTTER + (chart_has_bar(self) ? 1 : PLAN_BAR_WIDTH + 2);
	for_each (shown, self->columns, self->column_count) {
		bool text = !column_is_number(self->box->table->column[shown->index]);
		used += (text && shown->width > text_max ? text_max : shown->width) + 2;
	}
	return used;
}

/* Names give way to a point; where a chart was asked for, columns do, too. */
static int shares_reserved(const struct table_pane *self, int columns)
{
	int left = columns - columns_used(self, SHARES_TEXT_MAX);
	if (left < SHARES_MIN)
		return self->slices > 0 && columns >= 2 * SHARES_MIN ? SHARES_MIN : 0;
	return left > CHART_MAX ? CHART_MAX : left;
}

int chart_reserved(const struct table_pane *self, int columns)
{
	if (shares_shown(self) && (columns >= CHART_FROM || self->slices > 0))
		return shares_reserved(self, columns);
	if (columns < CHART_FROM || !self->order || !(self->order->chart_largest > 0))
		return 0;
	int least = parts_of(self) ? CHART_MIN : SUMS_WIDTH;
	int left = columns - columns_used(self, INT_MAX);
	if (left < least && parts_of(self) && columns - columns_used(self, TEXT_MAX) < least)
		return 0;
	int most = parts_of(self) ? PARTS_MAX : CHART_MAX;
	return left < least ? least : left > most ? most : left;
}

static bool sum_differences(struct table_order *order, const struct table *table, int column,
			    const struct progress *progress)
{
	double sum = 0;
	size_t tops = 0;
	order->running = mem_alloc((order->count + 1) * sizeof *order->running);
	for (size_t i = 0; i < order->count; i++) {
		struct value value = table_value(table, order->rows[i], (size_t)column);
		bool top = !table->is_tree || table_depth(table, order->rows[i]) == 0;
		tops += top;
		if (top && value.kind == VALUE_INT)
			sum += (double)value.integer;
		order->running[i] = sum;
		order->chart_largest = fmax(order->chart_largest, fabs(sum));
		order->lowest = fmin(order->lowest, sum);
		order->highest = fmax(order->highest, sum);
		if (!progress_row(progress, "adding up", i, order->count))
			return false;
	}
	if (tops < 2) /* what is inside of a row is in its sum */
		order->chart_largest = 0;
	return true;
}

bool chart_measure(struct table_order *order, const struct table *table, const struct view *view,
		   const char *sort, const struct progress *progress)
{
	const struct time_part *parts = parts_in(view, sort);
	if (view && !strcmp(view->name, "diff") && delta_column(table, order->sums) >= 0)
		return sum_differences(order, table, delta_column(table, order->sums), progress);
	for (size_t i = 0; parts && i < order->count; i++) {
		double sum = 0;
		for (size_t part = 0; parts[part].column; part++)
			sum += time_part_value(table, &parts[part], order->rows[i]);
		order->chart_largest = fmax(order->chart_largest, sum);
		if (!progress_row(progress, "adding up", i, order->count))
			return false;
	}
	return true;
}

/* ---- drawing ---- */

static const char *table_chart_title_of(const struct table_pane *self)
{
	const struct time_part *parts = parts_of(self);
	return !parts                               ? "Cumulative Difference"
	       : !strcmp(parts->set, "collectives") ? "Transfer, Wait"
	       : !strcmp(parts->set, "steps")       ? "TC and Input"
						    : "Time by Part";
}

void chart_draw_title(const struct table_pane *self, struct tui *tui, struct rect at)
{
	AUTO_BUFFER struct buffer title = { 0 };
	if (shares_shown(self))
		shares_title(self, &title);
	else
		buffer_puts(&title, table_chart_title_of(self));
	grid_field(&tui->grid, at.row, at.column, at.columns, ROLE_HEADER, GRID_LEFT,
		   BUFFERED(&title));
}

/* Each part ends at the cell that its share of the largest row rounds to. */
static void draw_parts(const struct table_pane *self, struct tui *tui, struct rect at, size_t row,
		       int base)
{
	const struct time_part *parts = parts_of(self);
	double sum = 0;
	int column = 0;
	for (size_t i = 0; parts[i].column; i++) {
		sum += time_part_value(self->box->table, &parts[i], row);
		int end = (int)lround(sum / self->order->chart_largest * at.columns);
		for (; column < end && column < at.columns; column++)
			time_part_draw(&parts[i], &tui->grid, at.row, at.column + column,
				       base == ROLE_SELECTION ? base : (int)parts[i].role);
	}
}

/* What a cell of the curve shows; the first of the two is ASCII. */
enum table_chart_curve { CURVE_GLYPH_ROWS(LISTED) };

static void put_curve(struct tui *tui, struct rect at, int cell, int role,
		      enum table_chart_curve curve)
{
	static const char *const glyphs[][2] = { CURVE_GLYPH_ROWS(LISTED_ROW) };
	grid_puts(&tui->grid, at.row, at.column + cell, 1, role, glyphs[curve][!tui->grid.ascii]);
}

/* Cell of a sum on the axis from the lowest to the highest. */
static int curve_cell(const struct table_order *order, double sum, int cells)
{
	return (int)lround((sum - order->lowest) / (order->highest - order->lowest) * (cells - 1));
}

/* The curve of the sum comes down from the row above, and goes aside by the row's difference. */
static void draw_curve(const struct table_order *order, struct tui *tui, struct rect at,
		       size_t position, int base)
{
	double before = position ? order->running[position - 1] : 0, sum = order->running[position];
	int from = curve_cell(order, before, at.columns), to = curve_cell(order, sum, at.columns);
	int step = to > from ? 1 : -1, line = base == ROLE_SELECTION ? base : ROLE_ACCENT;
	int role = base == ROLE_SELECTION ? base : sum < before ? ROLE_BETTER : ROLE_WORSE;
	put_curve(tui, at, curve_cell(order, 0, at.columns),
		  base == ROLE_SELECTION ? base : ROLE_BORDER, CURVE_ZERO);
	if (from == to) {
		put_curve(tui, at, to, line, CURVE_DOWN);
		return;
	}
	put_curve(tui, at, from, role, step > 0 ? CURVE_FROM_LEFT : CURVE_FROM_RIGHT);
	for (int cell = from + step; cell != to; cell += step)
		put_curve(tui, at, cell, role, CURVE_ACROSS);
	put_curve(tui, at, to, role, CURVE_TO);
}

/* The sum as a number, and as a point of the curve down the rows. */
static void draw_sum(const struct table_pane *self, struct tui *tui, struct rect at,
		     size_t position, int base)
{
	const struct table *table = self->box->table;
	const struct column *column = table->column[delta_column(table, self->order->sums)];
	AUTO_BUFFER struct buffer text = { 0 };
	struct rect axis = { at.row, at.column + NUMBER_WIDTH + 2, 1,
			     at.columns - NUMBER_WIDTH - 2 };
	value_format(&text, column, value_int((int64_t)self->order->running[position]), false);
	grid_field(&tui->grid, at.row, at.column, NUMBER_WIDTH, base, GRID_RIGHT, BUFFERED(&text));
	draw_curve(self->order, tui, axis, position, base);
}

void chart_draw_row(const struct table_pane *self, struct tui *tui, struct rect at, size_t position,
		    int base)
{
	if (parts_of(self))
		draw_parts(self, tui, at, self->order->rows[position], base);
	else if (self->order->running)
		draw_sum(self, tui, at, position, base);
}

/* The titles of the columns that the parts are from. */
void chart_draw_legend(const struct table_pane *self, struct tui *tui, struct rect rest)
{
	const struct time_part *parts = parts_of(self);
	for (int i = 0; parts && parts[i].column && i < rest.rows; i++) {
		time_part_draw(&parts[i], &tui->grid, rest.row + i, rest.column,
			       (int)parts[i].role);
		grid_puts(&tui->grid, rest.row + i, rest.column + 2, rest.columns - 2, ROLE_LABEL,
			  parts[i].name);
	}
}
