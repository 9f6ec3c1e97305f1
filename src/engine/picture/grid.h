/*
 * A screen in memory: a grid of cells, each with one grapheme, its width and a role (role.h). All
 * text from files is made safe here: it is escaped, measured and truncated, so that no name can
 * move the cursor or shift a column.
 */
#pragma once

#include "base/buffer.h"

struct cell {
	char bytes[14]; /* UTF-8, NUL-terminated */
	uint8_t width;  /* 1 or 2; 0: right half of a wide cell */
	uint8_t role;   /* enum role */
	uint8_t filled; /* 1: in reverse video, a block of the role's color; 0; FILLED_LETTER */
};

enum { FILLED_LETTER = 2 }; /* likewise; the letter is for screens without color */

struct grid {
	int rows, columns;
	struct cell *cells;            /* rows * columns */
	bool ascii;                    /* write non-ASCII characters as escapes */
	bool color;                    /* of the text of rows, for a terminal */
	int cursor_row, cursor_column; /* terminal cursor */
	bool show_cursor;
	int later_row, later_rows; /* a terminal shows these as they are until they are none */
	struct buffer shorter, safe, cut; /* scratch */
};

enum grid_align { GRID_LEFT, GRID_RIGHT, GRID_PROSE }; /* prose: left, cut at its end */

void grid_resize(struct grid *grid, int rows, int columns);
void grid_free(struct grid *grid);
void grid_clear(struct grid *grid);
struct cell *grid_cell(const struct grid *grid, int row, int column);

/*
 * Write TEXT at (ROW, COLUMN), truncated to COLUMNS columns. Returns the columns used. Here and
 * below, cells outside the grid are ignored.
 */
int grid_put(struct grid *grid, int row, int column, int columns, int role, const char *text,
	     size_t length);
int grid_puts(struct grid *grid, int row, int column, int columns, int role, const char *text);

/* Write TEXT into a field of exactly COLUMNS columns, elided in the middle, padded with blanks. */
void grid_field(struct grid *grid, int row, int column, int columns, int role,
		enum grid_align align, const char *text, size_t length);

/* As grid_puts; a text that does not fit has a mark at its end. */
int grid_cut(struct grid *grid, int row, int column, int columns, int role, const char *text);

void grid_fill(struct grid *grid, int row, int column, int columns, int role, char c);
/* A horizontal or vertical rule of COUNT cells, down or to the right. */
void grid_rule(struct grid *grid, int row, int column, int count, bool vertical);
/* Lines around this many cells, with corners. */
void grid_frame(struct grid *grid, int row, int column, int rows, int columns);
/* A bar without ends, of this SHARE of CELLS, to an eighth of a cell; none if it is 0 or NaN. */
void grid_bar(struct grid *grid, int row, int column, int cells, int role, double share);
/* A cell of a part of a whole; a letter that tells parts is in reverse video. */
void grid_part(struct grid *grid, int row, int column, int role, const char *glyph);
/* Change the role of cells, keeping their text; no longer in reverse video. */
void grid_paint(struct grid *grid, int row, int column, int columns, int role);
/* Show cells in reverse video, until they are written again. */
void grid_reverse(struct grid *grid, int row, int column, int columns);
/* Change the role of the cells in the range that have role FROM. */
void grid_repaint(struct grid *grid, int row, int column, int columns, int from, int role);

/* One-column sign of an expandable row. */
const char *grid_fold_sign(const struct grid *grid, bool open);

/* Columns of TEXT once escaped. */
int grid_width(struct grid *grid, const char *text, size_t length);

/* As text_wrap, of a line of COLUMNS; at least one character unless that is 0. */
size_t grid_wrap(struct grid *grid, const char *text, size_t length, int columns);

/* Text of a row, or of all rows, one a line; trailing blanks trimmed. */
void grid_row_text(const struct grid *grid, int row, struct buffer *out);
void grid_dump(const struct grid *grid, struct buffer *out);
