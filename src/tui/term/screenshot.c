#include "tui/term/screenshot.h"

#include "base/buffer.h"
#include "picture/grid.h"
#include "tui/term/theme.h"

static void add_color(struct buffer *out, int color, int plain, int bright)
{
	if (color < 0)
		return;
	if (color < 8)
		buffer_printf(out, ";%d", plain + color);
	else if (color < 16)
		buffer_printf(out, ";%d", bright + color - 8);
	else
		buffer_printf(out, ";%d;5;%d", plain + 8, color);
}

static void add_look(struct buffer *out, const struct look *look)
{
	static const struct {
		unsigned attribute;
		int code;
	} codes[] = { { STYLE_BOLD, 1 },
		      { STYLE_DIM, 2 },
		      { STYLE_ITALIC, 3 },
		      { STYLE_UNDERLINE, 4 },
		      { STYLE_REVERSE, 7 } };
	buffer_puts(out, "\033[0");
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
		if (look->attributes & codes[i].attribute)
			buffer_printf(out, ";%d", codes[i].code);
	}
	add_color(out, look->foreground, 30, 90);
	add_color(out, look->background, 40, 100);
	buffer_putc(out, 'm');
}

void screenshot_ansi(const struct grid *grid, const struct theme *theme, struct buffer *out)
{
	for (int row = 0; row < grid->rows; row++) {
		int role = -1;
		for (int column = 0; column < grid->columns; column++) {
			const struct cell *cell = grid_cell(grid, row, column);
			if (cell->width == 0)
				continue;
			if (cell->role != role)
				add_look(out, &theme->look[cell->role]);
			role = cell->role;
			buffer_puts(out, cell->bytes);
		}
		buffer_puts(out, "\033[0m\n");
	}
}
