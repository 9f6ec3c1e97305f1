/*
 * The screen as a value: a grid of cells in memory, each with one grapheme, its width and a role
 * (role.h).  This is the one place where text from files is made safe: whatever is written here is
 * escaped, measured and cut, so that no name can move the cursor or shift a column.
 */
#ifndef STRATA_PICTURE_GRID_H
#define STRATA_PICTURE_GRID_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell {
	char bytes[14]; /* UTF-8, NUL-terminated */
	uint8_t width;  /* 1 or 2; 0: the right half of the wide cell before it */
	uint8_t role;   /* enum role */
};

struct grid {
	int rows, columns;
	struct cell *cells;            /* rows * columns */
	bool ascii;                    /* other characters are written as escapes */
	int cursor_row, cursor_column; /* where the terminal's cursor shall be */
	bool show_cursor;
	struct buffer shorter, safe, cut; /* scratch */
};

enum grid_align { GRID_LEFT, GRID_RIGHT };

void grid_resize(struct grid *grid, int rows, int columns);
void grid_free(struct grid *grid);
void grid_clear(struct grid *grid);
struct cell *grid_cell(const struct grid *grid, int row, int column);

/*
 * Write at most COLUMNS columns of TEXT from (ROW, COLUMN) on, what is too long cut at its end.
 * Returns the columns used.  Cells outside of the grid are ignored here and everywhere below.
 */
int grid_put(struct grid *grid, int row, int column, int columns, int role, const char *text,
	     size_t length);
int grid_puts(struct grid *grid, int row, int column, int columns, int role, const char *text);

/* Write TEXT into a field of exactly COLUMNS columns: elided in the middle, padded with blanks. */
void grid_field(struct grid *grid, int row, int column, int columns, int role,
		enum grid_align align, const char *text, size_t length);

void grid_fill(struct grid *grid, int row, int column, int columns, int role, char c);
/* Change the role of cells and keep their text. */
void grid_paint(struct grid *grid, int row, int column, int columns, int role);
/* Change the role of every cell in this stretch that has role FROM. */
void grid_repaint(struct grid *grid, int row, int column, int columns, int from, int role);

/* The sign, a column wide, before what can be folded: is it open? */
const char *grid_fold_sign(const struct grid *grid, bool open);

/* Columns that TEXT takes once it is safe. */
int grid_width(struct grid *grid, const char *text, size_t length);

/* The text of a row, or of the whole grid a line a row; trailing blanks trimmed. */
void grid_row_text(const struct grid *grid, int row, struct buffer *out);
void grid_dump(const struct grid *grid, struct buffer *out);

#endif
