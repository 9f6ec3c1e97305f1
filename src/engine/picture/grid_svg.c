#include "picture/grid_svg.h"

#include <stdlib.h>

enum { CELL_WIDTH = 8, CELL_HEIGHT = 17, BASELINE = 13, MARGIN = 8 };

static int report_ink(const char *color)
{
	return color ? (int)strtol(color, NULL, 16) : INK_PAGE;
}

struct grid_inks grid_inks_of_report(void)
{
	struct grid_inks inks = { .color = 0x202020, .background = 0xffffff };
	for (int role = 0; role < ROLE_COUNT; role++) {
		const struct role_info *info = role_info((enum role)role);
		struct ink *ink = &inks.role[role];
		*ink = (struct ink){ report_ink(info->color), report_ink(info->background), 0 };
		role_attributes(info->attributes, &ink->attributes);
	}
	return inks;
}

/* With the page's colors filled in, and swapped where reversed. */
static struct ink resolve(const struct grid_inks *inks, const struct cell *cell)
{
	struct ink ink = inks->role[cell->role < ROLE_COUNT ? cell->role : ROLE_TEXT];
	int color = ink.color == INK_PAGE ? inks->color : ink.color;
	int background = ink.background == INK_PAGE ? inks->background : ink.background;
	for (int i = 0; ink.attributes & STYLE_DIM && i < 24; i += 8) /* as terminals draw it */
		color += ((background >> i & 255) - (color >> i & 255)) / 3 * (1 << i);
	bool reverse = !(ink.attributes & STYLE_REVERSE) != !cell->filled;
	ink.color = reverse ? background : color;
	ink.background = reverse ? color : background;
	return ink;
}

static void add_escaped(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			buffer_puts(out, "&lt;");
		else if (*text == '&')
			buffer_puts(out, "&amp;");
		else
			buffer_putc(out, *text);
	}
}

static bool is_blank_cell(const struct cell *cell)
{
	return cell->width && (!cell->bytes[0] || strcmp(cell->bytes, " ") == 0);
}

/*
 * Block elements as shapes, of the same size and color whatever fonts there are: the part of the
 * cell that U+2580 to U+2595 fills, from X, Y, of WIDTH and HEIGHT, all in eighths, and how
 * densely.
 */
struct cell_block {
	int x, y, width, height;
	double density;
};

static bool as_block(const struct cell *cell, struct cell_block *block)
{
	const unsigned char *bytes = (const unsigned char *)cell->bytes;
	if (bytes[0] != 0xe2 || bytes[1] != 0x96 || bytes[2] < 0x80 || bytes[2] > 0x93 || bytes[3])
		return false;
	int code = bytes[2] - 0x80; /* after U+2580 */
	*block = (struct cell_block){ 0, 0, 8, 8, 1 };
	if (code == 0) {
		block->height = 4;
	} else if (code <= 8) {
		block->y = 8 - code;
		block->height = code;
	} else if (code < 16) {
		block->width = 16 - code;
	} else if (code == 16) {
		block->x = 4;
		block->width = 4;
	} else {
		block->density = 0.25 * (code - 16);
	}
	return true;
}

/* The blocks from FROM on; returns the column after them. Equal ones are one shape if they touch.
 */
static int add_blocks(const struct grid *grid, int row, int from, int to, unsigned color,
		      struct buffer *out)
{
	struct cell_block block, next;
	as_block(grid_cell(grid, row, from), &block);
	int end = from + 1;
	while (block.width == 8 && end < to && as_block(grid_cell(grid, row, end), &next) &&
	       block.x == next.x && block.y == next.y && block.width == next.width &&
	       block.height == next.height && block.density == next.density)
		end++;
	buffer_printf(out, "<rect x=\"%d\" y=\"%.4g\" width=\"%d\" height=\"%.4g\" fill=\"#%06x\"",
		      MARGIN + from * CELL_WIDTH + block.x * CELL_WIDTH / 8,
		      MARGIN + row * CELL_HEIGHT + block.y * CELL_HEIGHT / 8.0,
		      (end - from - 1) * CELL_WIDTH + block.width * CELL_WIDTH / 8,
		      block.height * CELL_HEIGHT / 8.0, color);
	if (block.density < 1)
		buffer_printf(out, " fill-opacity=\"%.4g\"", block.density);
	buffer_puts(out, "/>\n");
	return end;
}

static void add_words(const struct grid *grid, int row, int from, int to, const struct ink *ink,
		      struct buffer *out)
{
	buffer_printf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s>",
		      MARGIN + from * CELL_WIDTH, MARGIN + row * CELL_HEIGHT + BASELINE,
		      (to - from) * CELL_WIDTH, (unsigned)ink->color,
		      ink->attributes & STYLE_BOLD ? " font-weight=\"bold\"" : "");
	for (int column = from; column < to; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		if (cell->width)
			add_escaped(out, cell->bytes[0] ? cell->bytes : " ");
	}
	buffer_puts(out, "</text>\n");
}

/*
 * The words from FROM on, to a block element or two blanks; returns the column after them. Browsers
 * collapse blanks and drop those at the ends.
 */
static int add_phrase(const struct grid *grid, int row, int from, int to, const struct ink *ink,
		      struct buffer *out)
{
	struct cell_block block;
	int end = from, words = from;
	for (; end < to && end - words < 2 && !as_block(grid_cell(grid, row, end), &block); end++)
		if (!is_blank_cell(grid_cell(grid, row, end)))
			words = end + 1;
	if (words > from)
		add_words(grid, row, from, words, ink, out);
	return end;
}

/* Cells FROM to TO of a row, all of one role. */
static void add_role_run(const struct grid *grid, const struct grid_inks *inks, int row, int from,
			 int to, struct buffer *out)
{
	const struct ink ink = resolve(inks, grid_cell(grid, row, from));
	struct cell_block block;
	if (ink.background != inks->background)
		buffer_printf(
			out,
			"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
			MARGIN + from * CELL_WIDTH, MARGIN + row * CELL_HEIGHT,
			(to - from) * CELL_WIDTH, CELL_HEIGHT, (unsigned)ink.background);
	while (from < to)
		if (as_block(grid_cell(grid, row, from), &block))
			from = add_blocks(grid, row, from, to, (unsigned)ink.color, out);
		else if (is_blank_cell(grid_cell(grid, row, from)))
			from++;
		else
			from = add_phrase(grid, row, from, to, &ink, out);
}

void grid_svg(const struct grid *grid, const struct grid_inks *inks, struct buffer *out)
{
	int width = 2 * MARGIN + grid->columns * CELL_WIDTH;
	int height = 2 * MARGIN + grid->rows * CELL_HEIGHT;
	buffer_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		      "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono,Menlo,Consolas,"
		      "monospace\" font-size=\"13\">\n"
		      "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
		      width, height, width, height, (unsigned)inks->background);
	for (int row = 0; row < grid->rows; row++)
		for (int from = 0, to; from < grid->columns; from = to) {
			const struct cell *cell = grid_cell(grid, row, from), *next;
			for (to = from + 1; to < grid->columns; to++) {
				next = grid_cell(grid, row, to);
				if (next->width &&
				    (next->role != cell->role || next->filled != cell->filled))
					break;
			}
			add_role_run(grid, inks, row, from, to, out);
		}
	buffer_puts(out, "</svg>\n");
}
