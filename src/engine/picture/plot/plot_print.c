#include "picture/plot/plot_print.h"

#include "picture/plot/flame.h"

enum { WIDTH = 160, WIDTH_MAX = 4096, PANEL_ROWS = 16, CHART_ROWS = 28, HEIGHT_MAX = 4096 };

static int rows_of(const struct plot *plot)
{
	if (plot->flame)
		return (int)(plot->flame->deepest < 200 ? plot->flame->deepest : 200) + 1;
	return plot->panel_count > 1 ? (int)plot->panel_count * PANEL_ROWS + 2 : CHART_ROWS;
}

static void add_safe(struct buffer *out, const char *text, bool ascii)
{
	AUTO(grid_free) struct grid grid = { .ascii = ascii };
	int width = grid_width(&grid, text, strlen(text));
	grid_resize(&grid, 1, width > 0 ? width : 1);
	grid_puts(&grid, 0, 0, width, 0, text);
	grid_row_text(&grid, 0, out);
}

static void print_flame(const struct plot *plot, const struct plot_print *print, struct grid *grid,
			int64_t *matched)
{
	struct flame_look look = { .marks = print->marks };
	AUTO_FREE uint8_t *matches =
		print->search ? flame_match(plot->flame, print->search, matched) : NULL;
	look.matched = matches;
	flame_draw(plot->flame, &look, grid, (struct plot_rect){ 0, 0, grid->rows, grid->columns });
}

static void print_facts(const struct plot *plot, bool ascii, struct buffer *out)
{
	int width = 0;
	for (size_t i = 0; i < plot->fact_count; i++) {
		int length = (int)strlen(plot->derived[i].label);
		width = length > width ? length : width;
	}
	for (size_t i = 0; i < plot->fact_count; i++) {
		buffer_printf(out, "%-*s  ", width, plot->derived[i].label);
		add_safe(out, plot->derived[i].text, ascii);
		buffer_putc(out, '\n');
	}
	if (plot->note) {
		add_safe(out, plot->note, ascii);
		buffer_putc(out, '\n');
	}
}

void plot_print(const struct plot *plot, const struct plot_print *print, struct buffer *out)
{
	bool ascii = print->marks == PLOT_ASCII;
	AUTO(grid_free) struct grid grid = { .ascii = ascii, .color = print->color };
	int width = print->width > 0 ? print->width : WIDTH;
	int height = print->height > 0 ? print->height : rows_of(plot);
	int64_t matched = 0;
	buffer_printf(out, "%s\n", plot->group->title);
	if (!plot_is_empty(plot)) {
		grid_resize(&grid, height < HEIGHT_MAX ? height : HEIGHT_MAX,
			    width < WIDTH_MAX ? width : WIDTH_MAX);
		if (plot->flame)
			print_flame(plot, print, &grid, &matched);
		else
			plot_draw(plot, &(struct plot_look){ .marks = print->marks }, &grid,
				  (struct plot_rect){ 0, 0, grid.rows, grid.columns });
		grid_dump(&grid, out);
		if (plot->flame && (int)plot->flame->deepest >= grid.rows)
			buffer_printf(out, "(%d more levels)\n",
				      (int)plot->flame->deepest + 1 - grid.rows);
		if (plot->flame && print->search)
			buffer_printf(out, "Match %.1f %%\n",
				      100.0 * (double)matched /
					      (double)plot->flame->nodes[0].value);
	}
	print_facts(plot, ascii, out);
}
