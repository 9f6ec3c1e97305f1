#include "picture/grid_svg.h"

#include <string.h>

enum { CELL_WIDTH = 8, CELL_HEIGHT = 17, BASELINE = 13, MARGIN = 8 };

#define PLAIN                                                                                      \
	{                                                                                          \
		INK_PAGE, INK_PAGE, 0                                                              \
	}
#define INK(color)                                                                                 \
	{                                                                                          \
		color, INK_PAGE, 0                                                                 \
	}

const struct grid_inks grid_inks_report = {
	.color = 0x202020,
	.background = 0xffffff,
	.role = {
		[ROLE_TEXT] = PLAIN,
		[ROLE_DIM] = INK(0x6a6a6a),
		[ROLE_ACCENT] = { 0x005f87, INK_PAGE, STYLE_BOLD },
		[ROLE_SELECTION] = { INK_PAGE, INK_PAGE, STYLE_REVERSE },
		[ROLE_HEADER] = { 0x202020, 0xdde6ee, STYLE_BOLD },
		[ROLE_SORTED] = { 0x202020, 0xdde6ee, STYLE_BOLD },
		[ROLE_BAR] = INK(0x2f6fab),
		[ROLE_TOTAL] = { INK_PAGE, INK_PAGE, STYLE_BOLD },
		[ROLE_MATCH] = { 0x202020, 0xffe27a, 0 },
		[ROLE_MARK] = { 0xa03000, INK_PAGE, STYLE_BOLD },
		[ROLE_TITLE] = { INK_PAGE, INK_PAGE, STYLE_BOLD },
		[ROLE_TAB] = PLAIN,
		[ROLE_TAB_ACTIVE] = { INK_PAGE, INK_PAGE, STYLE_REVERSE },
		[ROLE_BREADCRUMB] = { INK_PAGE, INK_PAGE, STYLE_BOLD },
		[ROLE_FILTER] = INK(0x7a5200),
		[ROLE_BORDER] = INK(0x8a8a8a),
		[ROLE_LABEL] = INK(0x3a5a70),
		[ROLE_FOOTER] = PLAIN,
		[ROLE_KEY] = { 0x005f87, INK_PAGE, STYLE_BOLD },
		[ROLE_PROMPT] = PLAIN,
		[ROLE_MESSAGE] = PLAIN,
		[ROLE_WARNING] = { 0xa04800, INK_PAGE, STYLE_BOLD },
		[ROLE_ERROR] = { 0xb00020, INK_PAGE, STYLE_BOLD },
		[ROLE_MENU] = PLAIN,
		[ROLE_KERNEL] = INK(0x2e7d32),
		[ROLE_MEMCPY] = INK(0x8a6500),
		[ROLE_COMMUNICATION] = INK(0x8e3b8e),
		[ROLE_OPERATOR] = INK(0x2f6fab),
		[ROLE_MODULE] = INK(0x4454a0),
		[ROLE_ANNOTATION] = INK(0x2f7070),
		[ROLE_RUNTIME] = INK(0x9c4f2e),
		[ROLE_PYTHON] = INK(0x6a6a9f),
		[ROLE_FORWARD] = INK(0x2f7f7f),
		[ROLE_BACKWARD] = INK(0x8e3b8e),
		[ROLE_BETTER] = INK(0x2e7d32),
		[ROLE_WORSE] = { 0xb00020, INK_PAGE, STYLE_BOLD },
	},
};

/* With the page's colors filled in, and swapped where reversed. */
static struct ink resolve(const struct grid_inks *inks, const struct cell *cell)
{
	struct ink ink = inks->role[cell->role < ROLE_COUNT ? cell->role : ROLE_TEXT];
	int color = ink.color == INK_PAGE ? inks->color : ink.color;
	int background = ink.background == INK_PAGE ? inks->background : ink.background;
	bool reverse = !(ink.attributes & STYLE_REVERSE) != !cell->filled;
	ink.color = reverse ? background : color;
	ink.background = reverse ? color : background;
	return ink;
}

static void add_text(struct buffer *out, const char *text)
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

static void add_rect(struct buffer *out, double x, double y, double width, double height, int color,
		     double opacity)
{
	buffer_printf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"", x,
		      y, width, height, (unsigned)color);
	if (opacity < 1)
		buffer_printf(out, " fill-opacity=\"%g\"", opacity);
	buffer_puts(out, "/>\n");
}

/* A block element (U+2581 to U+2593): the part of the cell it fills; false: another glyph. */
static bool block_of(const struct cell *cell, double *width, double *height, double *opacity)
{
	const unsigned char *bytes = (const unsigned char *)cell->bytes;
	*width = *height = *opacity = 1;
	if (bytes[0] != 0xe2 || bytes[1] != 0x96 || bytes[2] < 0x81 || bytes[2] > 0x93 ||
	    bytes[2] == 0x90)
		return false;
	if (bytes[2] < 0x88)
		*height = (bytes[2] - 0x80) / 8.0;
	else if (bytes[2] < 0x90)
		*width = (0x90 - bytes[2]) / 8.0;
	else
		*opacity = (bytes[2] - 0x90) / 4.0;
	return true;
}

/* Equal block elements from column FROM: drawn as one, as glyphs of fonts leave gaps. Their end. */
static int add_blocks(const struct grid *grid, int row, int from, int to, int color,
		      struct buffer *out)
{
	const struct cell *first = grid_cell(grid, row, from);
	double width, height, opacity;
	int end = from + 1;
	if (!block_of(first, &width, &height, &opacity))
		return from;
	while (width == 1 && end < to && !strcmp(grid_cell(grid, row, end)->bytes, first->bytes))
		end++;
	add_rect(out, MARGIN + from * CELL_WIDTH,
		 MARGIN + row * CELL_HEIGHT + (1 - height) * CELL_HEIGHT,
		 (end - from - 1 + width) * CELL_WIDTH, height * CELL_HEIGHT, color, opacity);
	return end;
}

static bool is_blank(const struct grid *grid, int row, int column)
{
	const struct cell *cell = grid_cell(grid, row, column);
	return cell->width && (!cell->bytes[0] || !strcmp(cell->bytes, " "));
}

/* The end of the words from column FROM: up to two blanks, which viewers would join, or a block. */
static int end_of_words(const struct grid *grid, int row, int from, int to)
{
	double width, height, opacity;
	int end = from;
	for (int column = from; column < to && !is_blank(grid, row, from); column++) {
		if (block_of(grid_cell(grid, row, column), &width, &height, &opacity) ||
		    (is_blank(grid, row, column) && column > end))
			break;
		if (!is_blank(grid, row, column))
			end = column + 1;
	}
	return end;
}

static void add_words(const struct grid *grid, int row, int from, int to, const struct ink *ink,
		      struct buffer *out)
{
	buffer_printf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>",
		      MARGIN + from * CELL_WIDTH, MARGIN + row * CELL_HEIGHT + BASELINE,
		      (to - from) * CELL_WIDTH, (unsigned)ink->color,
		      ink->attributes & STYLE_BOLD ? " font-weight=\"bold\"" : "",
		      ink->attributes & STYLE_DIM ? " fill-opacity=\"0.7\"" : "");
	for (int column = from; column < to; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		if (cell->width)
			add_text(out, cell->bytes[0] ? cell->bytes : " ");
	}
	buffer_puts(out, "</text>\n");
}

/* Cells FROM to TO of a row, all of one role. */
static void add_run(const struct grid *grid, const struct grid_inks *inks, int row, int from,
		    int to, struct buffer *out)
{
	const struct ink ink = resolve(inks, grid_cell(grid, row, from));
	if (ink.background != inks->background)
		add_rect(out, MARGIN + from * CELL_WIDTH, MARGIN + row * CELL_HEIGHT,
			 (to - from) * CELL_WIDTH, CELL_HEIGHT, ink.background, 1);
	for (int column = from, end; column < to; column = end) {
		end = add_blocks(grid, row, column, to, ink.color, out);
		if (end > column)
			continue;
		end = end_of_words(grid, row, column, to);
		if (end > column)
			add_words(grid, row, column, end, &ink, out);
		else
			end++; /* a blank */
	}
}

/* Is NEXT drawn with CELL? */
static bool same_look(const struct cell *cell, const struct cell *next)
{
	return !next->width || (next->role == cell->role && next->filled == cell->filled);
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
			for (to = from + 1; to < grid->columns; to++)
				if (!same_look(grid_cell(grid, row, from),
					       grid_cell(grid, row, to)))
					break;
			add_run(grid, inks, row, from, to, out);
		}
	buffer_puts(out, "</svg>\n");
}
