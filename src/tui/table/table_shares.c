#include "tui/table/table_chart.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>

enum { SLICES_DEFAULT = 10, COLUMN_WIDTH = 3, LABEL_AT = COLUMN_WIDTH + 1 };

static int sorted_column(const struct table_pane *self)
{
	return self->applied.sort && self->applied.descending
		       ? table_column(self->box->table, self->applied.sort)
		       : -1;
}

bool shares_shown(const struct table_pane *self)
{
	if (!self->view || !text_is_listed("operators kernels python memory", self->view->name) ||
	    !self->order || !self->order->sums || self->order->count < 2 ||
	    self->box->table->is_tree)
		return false;
	int column = sorted_column(self);
	const struct table *table = self->box->table;
	return column >= 0 && self->slices >= 0 && column_has_shares(table->column[column]) &&
	       (!table->nested || strcmp(table->nested, table->column[column]->id) != 0) &&
	       self->order->sums[column].total > 0;
}

void shares_title(const struct table_pane *self, struct buffer *out)
{
	buffer_printf(out, "Share of %s", self->box->table->column[sorted_column(self)]->title);
}

/* ---- drawing ---- */

static const struct {
	enum role role;
	const char *ascii, *unicode;
} slice_looks[] = { SLICE_LOOKS };

/* Rows FROM to TO of AT; "63.9 % NAME" at the first of them. */
static void draw_slice(struct tui *tui, struct rect at, int from, int to, enum role role,
		       const char *glyph, double share, const char *name, size_t length)
{
	AUTO_BUFFER struct buffer text = { 0 };
	char percent[NUMBER_MAX];
	for (int row = from; row < to; row++)
		for (int i = 0; i < COLUMN_WIDTH; i++)
			grid_puts(&tui->grid, at.row + row, at.column + i, 1, role, glyph);
	buffer_printf(&text, "%4s %% ", number_percent(percent, 100 * share));
	int width = at.columns - LABEL_AT - (int)text.length, column = at.column + LABEL_AT;
	bool here = at.row + from == tui->grid.cursor_row; /* whose line is as wide as the table */
	grid_puts(&tui->grid, at.row + from, column, at.columns - LABEL_AT,
		  here ? ROLE_SELECTION : ROLE_LABEL, buffer_text(&text));
	if (width > 0)
		grid_field(&tui->grid, at.row + from, column + (int)text.length, width,
			   here ? ROLE_SELECTION : ROLE_TEXT, GRID_LEFT, name, length);
}

void shares_draw(const struct table_pane *self, struct tui *tui, struct rect at)
{
	const struct table *table = self->box->table;
	int column = sorted_column(self), name = table_column_as(table, COLUMN_NAME), end = 0;
	double listed = self->order->sums[column].total, sum = 0;
	double total = table_whole(table, (size_t)column, listed);
	static const char others[] = "others", overlap[] = "totals overlap";
	size_t slice = 0, slices = self->slices ? (size_t)self->slices : SLICES_DEFAULT;
	if (!columns_adds_up(self, column) && at.rows > 1)
		grid_field(&tui->grid, at.row + --at.rows, at.column, at.columns, ROLE_DIM,
			   GRID_LEFT, overlap, sizeof overlap - 1);
	for (; slice < self->order->count && slice < slices; slice++) {
		struct value value = table_value(table, self->order->rows[slice], (size_t)column);
		struct value text =
			name < 0 ? value_missing()
				 : table_value(table, self->order->rows[slice], (size_t)name);
		double amount = value_number(value, 0);
		int next = (int)lround((sum + amount) / total * at.rows);
		if (!(amount > 0) || next <= end || next > at.rows)
			break;
		size_t look = slice % (sizeof slice_looks / sizeof *slice_looks);
		draw_slice(tui, at, end, next, slice_looks[look].role,
			   tui->grid.ascii ? slice_looks[look].ascii : slice_looks[look].unicode,
			   amount / total, text.kind == VALUE_TEXT ? text.text : "",
			   text.kind == VALUE_TEXT ? text.length : 0);
		sum += amount;
		end = next;
	}
	if (end < at.rows && (slice < self->order->count || listed < total))
		draw_slice(tui, at, end, at.rows, ROLE_DIM, tui->grid.ascii ? "." : "░",
			   1 - sum / total, others, sizeof others - 1);
}
