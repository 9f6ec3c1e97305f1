#include "picture/grid.h"

#include "base/any_of.h"
#include "picture/role.h"

#include "base/text.h"

#include <ctype.h>

enum {
	TEXT_MAX = 8192, /* limit: bytes of a text on screen; longer ones lose their middle */
};

void grid_resize(struct grid *grid, int rows, int columns)
{
	grid->rows = rows > 0 ? rows : 0;
	grid->columns = columns > 0 ? columns : 0;
	mem_replace(grid->cells, mem_zalloc((size_t)grid->rows * (size_t)grid->columns + 1,
					    sizeof *grid->cells));
	grid_clear(grid);
}

CLEAR_MEMBERS(grid_free, struct grid,
	      OWN(cells) OWN_IN(buffer_free, safe) OWN_IN(buffer_free, shorter)
		      OWN_IN(buffer_free, cut))

static const struct cell blank = { .bytes = " ", .width = 1 };

void grid_clear(struct grid *grid)
{
	size_t count = (size_t)grid->rows * (size_t)grid->columns;

	for (size_t i = 0; i < count; i++)
		grid->cells[i] = blank;
	grid->show_cursor = false;
	grid->cursor_row = grid->cursor_column = 0;
}

struct cell *grid_cell(const struct grid *grid, int row, int column)
{
	if (row < 0 || row >= grid->rows || column < 0 || column >= grid->columns)
		return NULL;
	return &grid->cells[(size_t)row * (size_t)grid->columns + (size_t)column];
}

/* Overwriting one half of a wide cell blanks the other half. */
static void split_wide(struct grid *grid, int row, int column)
{
	struct cell *cell = grid_cell(grid, row, column);

	if (!cell || cell->width == 1)
		return;
	struct cell *other = grid_cell(grid, row, column + (cell->width ? 1 : -1));
	memcpy(other->bytes, " ", 2);
	other->width = 1;
}

static void set_cell(struct grid *grid, int row, int column, int width, int role, const char *bytes,
		     size_t length)
{
	struct cell *cell = grid_cell(grid, row, column);

	if (!cell || length >= sizeof cell->bytes)
		return;
	split_wide(grid, row, column);
	*cell = (struct cell){ .width = (uint8_t)width, .role = (uint8_t)role };
	memcpy(cell->bytes, bytes, length);
	if (width == 2) {
		split_wide(grid, row, column + 1);
		*grid_cell(grid, row, column + 1) = (struct cell){ .role = (uint8_t)role };
	}
}

/* Combining marks are appended to the preceding cell if they fit. */
static void join_cell(struct grid *grid, int row, int column, const char *bytes, size_t length)
{
	struct cell *cell = grid_cell(grid, row, column);

	if (cell && cell->width == 0)
		cell = grid_cell(grid, row, column - 1);
	if (!cell)
		return;
	size_t have = strlen(cell->bytes);
	if (have + length < sizeof cell->bytes) {
		memcpy(cell->bytes + have, bytes, length);
		cell->bytes[have + length] = '\0';
	}
}

/* Write text that is already escaped. */
static int put_safe(struct grid *grid, int row, int column, int columns, int role, const char *text,
		    size_t length)
{
	int used = 0;

	lower_to(columns, grid->columns - column);
	for (size_t at = 0; at < length;) {
		int32_t point;
		size_t size = text_decode(text + at, length - at, &point);
		int width = text_point_width(point);
		if (width == 0) {
			if (used > 0)
				join_cell(grid, row, column + used - 1, text + at, size);
		} else {
			if (used + width > columns)
				break;
			set_cell(grid, row, column + used, width, role, text + at, size);
			used += width;
		}
		at += size;
	}
	return used;
}

/* Non-ASCII characters become \u escapes, but for the signs of a number of times and of a cut. */
static void to_ascii(struct buffer *out, const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		int32_t point;
		size_t size = text_decode(text + at, length - at, &point);
		int32_t plain = point == 0xd7 ? 'x' : point == 0x2026 ? '~' : point;
		if (plain >= 0 && plain < 0x80)
			buffer_putc(out, (char)plain);
		else
			buffer_printf(out, point > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)point);
		at += size;
	}
}

/* Drop the middle of a text longer than any screen. */
static const char *shorten(struct grid *grid, const char *text, size_t *length)
{
	size_t head = TEXT_MAX / 2, tail = *length - TEXT_MAX / 2;

	while (head > 0 && (text[head] & 0xc0) == 0x80)
		head--;
	while (tail < *length && (text[tail] & 0xc0) == 0x80)
		tail++;
	buffer_clear(&grid->shorter);
	buffer_add(&grid->shorter, text, head);
	buffer_puts(&grid->shorter, "...");
	buffer_add(&grid->shorter, text + tail, *length - tail);
	*length = grid->shorter.length;
	return buffer_text(&grid->shorter);
}

/* The escaped form of TEXT: itself, or a buffer of the grid. */
static const char *make_safe(struct grid *grid, const char *text, size_t *length)
{
	if (*length > TEXT_MAX)
		text = shorten(grid, text, length);
	if (!any_of(i, *length, text[i] < 0x20 || text[i] > 0x7e))
		return text;
	buffer_clear(&grid->safe);
	text_escape(&grid->safe, text, *length);
	if (grid->ascii) {
		buffer_clear(&grid->cut);
		to_ascii(&grid->cut, BUFFERED(&grid->safe));
		buffer_clear(&grid->safe);
		buffer_add(&grid->safe, BUFFERED(&grid->cut));
	}
	*length = grid->safe.length;
	return buffer_text(&grid->safe);
}

int grid_put(struct grid *grid, int row, int column, int columns, int role, const char *text,
	     size_t length)
{
	const char *safe = make_safe(grid, text, &length);

	return put_safe(grid, row, column, columns, role, safe, length);
}

int grid_puts(struct grid *grid, int row, int column, int columns, int role, const char *text)
{
	return grid_put(grid, row, column, columns, role, text, strlen(text));
}

const char *grid_fold_sign(const struct grid *grid, bool open)
{
	if (grid->ascii)
		return open ? "v" : ">";
	return open ? "▾" : "▸";
}

int grid_width(struct grid *grid, const char *text, size_t length)
{
	const char *safe = make_safe(grid, text, &length);

	return (int)text_width(safe, length);
}

size_t grid_wrap(struct grid *grid, const char *text, size_t length, int columns)
{
	size_t fits = 0;
	for (int used = 0; columns > 0 && fits < length;) {
		int32_t point;
		size_t size = text_decode(text + fits, length - fits, &point);
		used += point >= 0x20 && point < 0x7f ? 1 : grid_width(grid, text + fits, size);
		if (used > columns && fits > 0)
			break;
		fits += size;
	}
	return fits ? text_wrap(text, length, fits, false) : 0;
}

void grid_field(struct grid *grid, int row, int column, int columns, int role,
		enum grid_align align, const char *text, size_t length)
{
	const char *safe = make_safe(grid, text, &length);

	if (columns <= 0)
		return;
	int width = (int)text_width(safe, length);
	if (width > columns || text_is_symbol(safe, length)) {
		buffer_clear(&grid->cut);
		width = (int)(align == GRID_PROSE ? text_cut : text_elide)(
			&grid->cut, safe, length, (size_t)columns, !grid->ascii);
		safe = buffer_text(&grid->cut);
		length = grid->cut.length;
	}
	grid_fill(grid, row, column, columns, role, ' ');
	if (align == GRID_RIGHT)
		column += columns - width;
	put_safe(grid, row, column, width, role, safe, length);
}

int grid_cut(struct grid *grid, int row, int column, int columns, int role, const char *text)
{
	size_t length = strlen(text);
	const char *safe = make_safe(grid, text, &length);
	AUTO_BUFFER struct buffer cut = { 0 };
	text_cut(&cut, safe, length, columns > 0 ? (size_t)columns : 0, !grid->ascii);
	return put_safe(grid, row, column, columns, role, BUFFERED(&cut));
}

void grid_fill(struct grid *grid, int row, int column, int columns, int role, char c)
{
	for (int i = 0; i < columns; i++)
		set_cell(grid, row, column + i, 1, role, &c, 1);
}

void grid_bar(struct grid *grid, int row, int column, int cells, int role, double share)
{
	static const char *const eighths[] = { "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
	int filled = share > 0 ? (int)((share < 1 ? share : 1) * cells * 8 + 0.5) : 0;
	for (int i = 0; i < cells && 8 * i < filled; i++) {
		int part = filled - 8 * i < 8 ? filled - 8 * i : 8;
		const char *glyph = !grid->ascii ? eighths[part - 1] : part >= 4 ? "#" : " ";
		grid_puts(grid, row, column + i, 1, role, glyph);
	}
}

void grid_rule(struct grid *grid, int row, int column, int count, bool vertical)
{
	const char *glyph = vertical ? (grid->ascii ? "|" : "│") : grid->ascii ? "-" : "─";
	for (int i = 0; i < count; i++)
		grid_puts(grid, row + (vertical ? i : 0), column + (vertical ? 0 : i), 1,
			  ROLE_BORDER, glyph);
}

void grid_frame(struct grid *grid, int row, int column, int rows, int columns)
{
	static const char *const corners[] = { "┌", "┐", "└", "┘" };
	int right = column + columns - 1, below = row + rows - 1;
	grid_rule(grid, row, column, columns, false);
	grid_rule(grid, below, column, columns, false);
	grid_rule(grid, row, column, rows, true);
	grid_rule(grid, row, right, rows, true);
	for (int i = 0; i < 4; i++)
		grid_puts(grid, i < 2 ? row : below, i % 2 ? right : column, 1, ROLE_BORDER,
			  grid->ascii ? "+" : corners[i]);
}

void grid_paint(struct grid *grid, int row, int column, int columns, int role)
{
	for (int i = 0; i < columns; i++) {
		struct cell *cell = grid_cell(grid, row, column + i);
		if (!cell)
			continue;
		cell->role = (uint8_t)role;
		cell->filled = 0;
	}
}

void grid_reverse(struct grid *grid, int row, int column, int columns)
{
	for (int i = 0; i < columns; i++) {
		struct cell *cell = grid_cell(grid, row, column + i);
		if (cell)
			cell->filled = 1;
	}
}

void grid_part(struct grid *grid, int row, int column, int role, const char *glyph)
{
	struct cell *cell = grid_cell(grid, row, column);
	grid_puts(grid, row, column, 1, role, glyph);
	if (cell && isalpha((unsigned char)*glyph))
		cell->filled = FILLED_LETTER;
}

void grid_repaint(struct grid *grid, int row, int column, int columns, int from, int role)
{
	for (int i = 0; i < columns; i++) {
		struct cell *cell = grid_cell(grid, row, column + i);
		if (cell && cell->role == from)
			cell->role = (uint8_t)role;
	}
}

/* End the colors of the cell BEFORE (NULL: none), and start those of CELL (likewise). */
static void change_color(struct buffer *out, const struct cell *before, const struct cell *cell)
{
	static const struct cell plain = { .role = ROLE_TEXT };
	before = before ? before : &plain;
	cell = cell ? cell : &plain;
	if (before->role == cell->role && before->filled == cell->filled)
		return;
	if (before->filled || role_info(before->role)->start)
		buffer_puts(out, ROLE_END);
	role_start(cell->role, out);
	if (cell->filled)
		buffer_puts(out, "\033[7m");
}

/* The column after the last cell that is no plain blank. */
static int end_of_row(const struct grid *grid, int row)
{
	int end = grid->columns;
	for (const struct cell *cell; end > 0; end--) {
		cell = grid_cell(grid, row, end - 1);
		if (cell->filled || (cell->bytes[0] && strcmp(cell->bytes, " ") != 0))
			break;
	}
	return end;
}

static void add_colored_row(const struct grid *grid, int row, struct buffer *out)
{
	const struct cell *before = NULL;
	int end = end_of_row(grid, row);
	for (int column = 0; column < end; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		change_color(out, before, cell);
		buffer_puts(out, cell->bytes);
		before = cell;
	}
	change_color(out, before, NULL);
}

void grid_row_text(const struct grid *grid, int row, struct buffer *out)
{
	size_t end = out->length; /* end of the last non-blank character */

	if (grid->color) {
		add_colored_row(grid, row, out);
		return;
	}
	for (int column = 0; column < grid->columns; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		buffer_puts(out, cell->bytes);
		if (cell->bytes[0] != '\0' && strcmp(cell->bytes, " ") != 0)
			end = out->length;
	}
	if (out->data) {
		out->length = end;
		out->data[end] = '\0';
	}
}

void grid_dump(const struct grid *grid, struct buffer *out)
{
	for (int row = 0; row < grid->rows; row++) {
		grid_row_text(grid, row, out);
		buffer_putc(out, '\n');
	}
}
