/*
 * Draws findings as cards: title and gain, evidence, action.
 */
#include "tui/table/table_pane.h"

#include "base/number.h"
#include "picture/severity.h"

enum { CARD_SIGN = 2, CARD_INDENT = 4, CARD_MARGIN = 1, CARD_SPACE = 1 };

bool cards_shown(const struct table_pane *self)
{
	return self->view && self->view->cards && !self->columns_wanted && self->box &&
	       self->line_count > 0;
}

/* ---- what a card says ---- */

static struct value card_cell(const struct table_pane *self, size_t line, const char *column)
{
	return table_cell_or_missing(self->box->table, table_line_row(self, line), column);
}

static enum severity severity_of_line(const struct table_pane *self, size_t line)
{
	return severity_at(self->box->table, table_line_row(self, line));
}

/* Checks that passed or did not run are folded to a line. */
static bool is_folded(const struct table_pane *self, size_t line)
{
	enum severity severity = severity_of_line(self, line);
	return severity == SEVERITY_UNKNOWN || severity == SEVERITY_SILENT;
}

/* "at most 36.2 %, 427.00 ms", BRIEF "36.2 %"; else where it is from. */
static void gain_text(const struct table_pane *self, size_t line, bool brief, struct buffer *out)
{
	struct value gain = card_cell(self, line, "gain_pct"),
		     cost = card_cell(self, line, "cost_ns");
	struct value source = card_cell(self, line, "source");
	if (gain.kind == VALUE_REAL && cost.kind == VALUE_INT && brief)
		buffer_puts(out, number_gain((char[NUMBER_MAX]){ 0 }, gain.real));
	else if (gain.kind == VALUE_REAL && cost.kind == VALUE_INT)
		buffer_printf(out, "at most %s, %s",
			      number_gain((char[NUMBER_MAX]){ 0 }, gain.real),
			      number_duration((char[NUMBER_MAX]){ 0 }, cost.integer));
	else if (severity_of_line(self, line) == SEVERITY_HEADLINE)
		buffer_puts(out, "headline");
	else if (severity_of_line(self, line) == SEVERITY_STORED && source.kind == VALUE_TEXT)
		buffer_add(out, source.text, source.length);
}

/* ---- lines ---- */

/* Draw a text over several lines, at most the rows of AT; ROLE -1: measure. The lines needed. */
static int put_wrapped(struct tui *tui, struct rect at, int role, struct value text)
{
	int room = at.columns - CARD_INDENT - CARD_MARGIN, lines = 0;
	if (text.kind != VALUE_TEXT)
		return 0;
	room = room > CARD_INDENT ? room : CARD_INDENT;
	while (text.length) {
		size_t fits = grid_wrap(&tui->grid, text.text, text.length, room);
		fits = fits ? fits : text.length;
		if (role >= 0 && lines < at.rows) {
			bool cut = lines == at.rows - 1 && fits < text.length; /* has a mark */
			int used = grid_put(&tui->grid, at.row + lines, at.column + CARD_INDENT,
					    room - cut, role, text.text, fits);
			grid_puts(&tui->grid, at.row + lines, at.column + CARD_INDENT + used, cut,
				  role, tui->grid.ascii ? "~" : "…");
		}
		text.text += fits;
		text.length -= fits;
		lines++;
	}
	return lines;
}

static int put_prediction(const struct table_pane *self, struct tui *tui, size_t line,
			  struct rect at, int role)
{
	AUTO_BUFFER struct buffer text = { 0 };
	finding_prediction(&text, self->box->table, table_line_row(self, line));
	return put_wrapped(tui, at, role, value_text(buffer_text(&text)));
}

static int card_lines(const struct table_pane *self, struct tui *tui, size_t line, int columns)
{
	struct rect at = { 0, 0, 0, columns };
	if (is_folded(self, line))
		return 1;
	return 1 + put_prediction(self, tui, line, at, -1) +
	       put_wrapped(tui, at, -1, card_cell(self, line, "evidence")) +
	       put_wrapped(tui, at, -1, card_cell(self, line, "recommendation")) + CARD_SPACE;
}

static struct rect below_lines(struct rect at, int lines)
{
	return (struct rect){ at.row + lines, at.column, at.rows - lines, at.columns };
}

/* Columns of the title beside a gain of WIDTH. */
static int title_room(struct rect at, int width)
{
	return at.columns - CARD_MARGIN - (width ? width + CARD_MARGIN + 1 : 0) - CARD_INDENT;
}

static void draw_title(const struct table_pane *self, struct tui *tui, size_t line, struct rect at)
{
	struct grid *grid = &tui->grid;
	struct value title = card_cell(self, line, "problem");
	enum severity severity = severity_of_line(self, line);
	AUTO_BUFFER struct buffer gain = { 0 };
	bool marked = table_is_marked(self, table_line_row(self, line));
	int base = line == self->cursor ? ROLE_SELECTION : marked ? ROLE_MARK : ROLE_TEXT;
	const char *sign = " ";
	int role = base;
	if (severity != SEVERITIES)
		role = (int)severity_role(severity, &sign);
	int title_role = base != ROLE_TEXT ? base : is_folded(self, line) ? ROLE_DIM : ROLE_TOTAL;
	gain_text(self, line, false, &gain);
	int width = grid_width(grid, BUFFERED(&gain));
	if (title.kind == VALUE_TEXT &&
	    grid_width(grid, title.text, title.length) > title_room(at, width)) {
		buffer_clear(&gain);
		gain_text(self, line, true, &gain);
		width = grid_width(grid, BUFFERED(&gain));
	}
	grid_fill(grid, at.row, at.column, at.columns, base, ' ');
	grid_fill(grid, at.row, at.column, 1, base,
		  marked                 ? '*'
		  : line == self->cursor ? '>'
					 : ' ');
	grid_puts(grid, at.row, at.column + CARD_SIGN, 1, base == ROLE_SELECTION ? base : role,
		  sign);
	if (title.kind == VALUE_TEXT)
		grid_field(grid, at.row, at.column + CARD_INDENT, title_room(at, width), title_role,
			   GRID_PROSE, title.text, title.length);
	if (width && width < at.columns)
		grid_put(grid, at.row, at.column + at.columns - CARD_MARGIN - width, width, base,
			 gain.data, gain.length);
}

/* A check that passed or did not run: its title, and why in what is left of the line. */
static void draw_folded(const struct table_pane *self, struct tui *tui, size_t line, struct rect at)
{
	struct value title = card_cell(self, line, "problem"),
		     why = card_cell(self, line, "evidence");
	draw_title(self, tui, line, at);
	if (title.kind != VALUE_TEXT || why.kind != VALUE_TEXT)
		return;
	int used = 2 * CARD_INDENT - CARD_SIGN + grid_width(&tui->grid, title.text, title.length);
	int role = line == self->cursor ? ROLE_SELECTION : ROLE_DIM;
	if (used + CARD_INDENT < at.columns)
		grid_field(&tui->grid, at.row, at.column + used, at.columns - used - CARD_MARGIN,
			   role, GRID_PROSE, why.text, why.length);
}

static void draw_card(const struct table_pane *self, struct tui *tui, size_t line, struct rect at)
{
	if (is_folded(self, line)) {
		draw_folded(self, tui, line, at);
		return;
	}
	draw_title(self, tui, line, at);
	at = below_lines(at, 1);
	at = below_lines(at, put_prediction(self, tui, line, at, ROLE_TEXT));
	at = below_lines(at, put_wrapped(tui, at, ROLE_TEXT, card_cell(self, line, "evidence")));
	put_wrapped(tui, at, ROLE_LABEL, card_cell(self, line, "recommendation"));
}

/* ---- all of them ---- */

/* The card of the cursor is shown whole. */
static void scroll(struct table_pane *self, struct tui *tui, struct rect body)
{
	int used = card_lines(self, tui, self->cursor, body.columns) - CARD_SPACE;
	size_t first = self->cursor;
	while (first > 0 && used < body.rows) {
		used += card_lines(self, tui, first - 1, body.columns);
		if (used <= body.rows)
			first--;
	}
	if (self->top < first || self->jumped)
		self->top = first;
	if (self->top > self->cursor)
		self->top = self->cursor;
	self->jumped = false;
}

void cards_draw(struct table_pane *self, struct tui *tui, struct rect body)
{
	int row = 0;
	size_t line;
	scroll(self, tui, body);
	self->first_row = body.row;
	for (line = self->top; line < self->line_count && row < body.rows; line++) {
		if (line == self->cursor) {
			tui->grid.cursor_row = body.row + row;
			tui->grid.cursor_column = body.column;
		}
		draw_card(self, tui, line, below_lines(body, row));
		row += card_lines(self, tui, line, body.columns);
	}
	self->page = line > self->top + 1 ? (int)(line - self->top) - (row > body.rows) : 1;
}

size_t cards_line_at(const struct table_pane *self, struct tui *tui, int row)
{
	int end = self->body.row;
	for (size_t line = self->top;
	     line < self->line_count && end < self->body.row + self->body.rows; line++) {
		end += card_lines(self, tui, line, self->body.columns);
		if (row < end)
			return line;
	}
	return SIZE_MAX;
}
