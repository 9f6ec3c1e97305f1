#include "tui/term/terminal.h"

#include "picture/grid_svg.h"

static void add_color(struct buffer *out, int color, int plain, int bright)
{
	if (color < 0)
		return;
	if (color < 8)
		buffer_printf(out, ";%d", plain + color);
	else if (color < 16)
		buffer_printf(out, ";%d", bright + color - 8);
	else if (color >= COLOR_RGB)
		buffer_printf(out, ";%d;2;%d;%d;%d", plain + 8, color >> 16 & 255, color >> 8 & 255,
			      color & 255);
	else
		buffer_printf(out, ";%d;5;%d", plain + 8, color);
}

void look_start(struct buffer *out, const struct look *look)
{
	static const struct {
		unsigned attribute;
		int code;
	} codes[] = { STYLE_CODES };
	buffer_puts(out, "\033[0");
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (look->attributes & codes[i].attribute)
			buffer_printf(out, ";%d", codes[i].code);
	add_color(out, look->foreground, 30, 90);
	add_color(out, look->background, 40, 100);
	buffer_putc(out, 'm');
}

void screenshot_ansi(const struct grid *grid, const struct theme *theme, struct buffer *out)
{
	for (int row = 0; row < grid->rows; row++) {
		int role = -1, filled = 0;
		for (int column = 0; column < grid->columns; column++) {
			const struct cell *cell = grid_cell(grid, row, column);
			if (cell->width == 0)
				continue;
			if (cell->role != role || cell->filled != filled) {
				struct look look = theme->look[cell->role];
				look.attributes ^= cell->filled ? STYLE_REVERSE : 0;
				look_start(out, &look);
			}
			role = cell->role;
			filled = cell->filled;
			buffer_puts(out, cell->bytes);
		}
		buffer_puts(out, "\033[0m\n");
	}
}

/* ---- SVG ---- */

/* 0xRRGGBB of a color of xterm's palette. */
static int color_of(int color)
{
	static const int basic[16] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x5c8fff, 0xcd00cd,
				       0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff5c5c, 0x00ff00, 0xffff00,
				       0x8cb0ff, 0xff66ff, 0x00ffff, 0xffffff };
	if (color < 0)
		return INK_PAGE;
	return color < 16 ? basic[color] : theme_color_rgb(color);
}

void screenshot_svg(const struct grid *grid, const struct theme *theme, struct buffer *out)
{
	bool light = theme->background == BACKGROUND_LIGHT;
	struct grid_inks inks = { .color = light ? 0x1c1c1c : 0xd8d8d8,
				  .background = light ? 0xffffff : 0x121212 };
	for (int role = 0; role < ROLE_COUNT; role++)
		inks.role[role] = (struct ink){ color_of(theme->look[role].foreground),
						color_of(theme->look[role].background),
						theme->look[role].attributes };
	grid_svg(grid, &inks, out);
}
