#include "picture/dashboard/panel_label.h"

#include "base/buffer.h"
#include "base/text.h"

#include <string.h>

/* Another name of the panel that reads like this one in COLUMNS; NULL: none does. */
static const char *find_alike(const struct panel *panel, size_t line, const struct grid *grid,
			      size_t columns)
{
	const char *own = panel->lines[line].label, *found = NULL;
	struct buffer shown = { 0 }, other = { 0 };
	text_elide(&shown, own, strlen(own), columns, !grid->ascii);
	for (size_t i = 0; i < panel->count && !found; i++) {
		const char *label = panel->lines[i].label;
		buffer_clear(&other);
		text_elide(&other, label, strlen(label), columns, !grid->ascii);
		if (!strcmp(buffer_text(&shown), buffer_text(&other)) && strcmp(own, label) != 0)
			found = label;
	}
	buffer_free(&shown);
	buffer_free(&other);
	return found;
}

static void draw_name(const struct panel *panel, size_t line, struct grid *grid, int row,
		      int column, int columns)
{
	struct buffer apart = { 0 };
	const char *label = panel->lines[line].label;
	const char *alike = find_alike(panel, line, grid, (size_t)columns);
	if (alike && text_elide_apart(&apart, label, strlen(label), alike, strlen(alike),
				      (size_t)columns, !grid->ascii))
		label = buffer_text(&apart);
	grid_field(grid, row, column, columns, ROLE_TEXT, GRID_LEFT, label, strlen(label));
	buffer_free(&apart);
}

void panel_label_draw(const struct panel *panel, size_t line, struct grid *grid, int row,
		      int column, int columns)
{
	enum { REST_MIN = 6 };
	const char *label = panel->lines[line].label, *rest = strstr(label, ": ");
	int head = rest ? grid_width(grid, label, (size_t)(rest + 2 - label)) : 0;
	bool wide = grid_width(grid, label, strlen(label)) > columns;
	if (wide && !rest) {
		draw_name(panel, line, grid, row, column, columns);
		return;
	}
	if (rest && wide && head <= columns + 2) {
		bool both = columns - head >= REST_MIN;
		int width = both ? head : columns;
		grid_put(grid, row, column, width, ROLE_TEXT, label,
			 (size_t)(rest - label) + (both ? 2 : 0));
		label = both ? rest + 2 : "";
		column += width;
		columns -= width;
	}
	grid_field(grid, row, column, columns, ROLE_TEXT, GRID_LEFT, label, strlen(label));
}
