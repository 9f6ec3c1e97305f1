#include "picture/dashboard/panel_label.h"

#include "base/buffer.h"
#include "base/text.h"

#include <string.h>

enum { WHOLE = 1 << 13 }; /* columns, more than any label has */

static void fit(struct buffer *out, const char *label, size_t columns, const struct grid *grid)
{
	struct buffer safe = { 0 };
	text_escape(&safe, label, strlen(label));
	buffer_clear(out);
	text_elide(out, buffer_text(&safe), safe.length, columns, !grid->ascii);
	buffer_free(&safe);
}

/* The template argument of LABEL in which it begins to differ from OTHER, as an offset; 0: none. */
static size_t difference(const char *label, const char *other)
{
	size_t at = 0;
	while (label[at] && label[at] == other[at])
		at++;
	while (at && !strchr(" ,<", label[at - 1]))
		at--;
	return at;
}

/* Names that lose their ends read alike only if they are of one template. */
static bool same_template(const char *label, const char *other)
{
	size_t name = strcspn(label, "<");
	return label[name] && !strncmp(label, other, name + 1);
}

/* Where the label begins to differ from those that read alike in COLUMNS; 0 if none does. */
static size_t find_difference(const struct panel *panel, size_t line, const struct grid *grid,
			      size_t columns, const struct buffer *shown, const char *whole)
{
	struct buffer other = { 0 };
	const char *own = panel->lines[line].label;
	size_t first = 0;
	for (size_t i = 0; i < panel->count; i++) {
		const char *label = panel->lines[i].label;
		if (!same_template(own, label) || !strcmp(own, label))
			continue;
		fit(&other, label, columns, grid);
		if (strcmp(buffer_text(&other), buffer_text(shown)) != 0)
			continue;
		fit(&other, label, WHOLE, grid);
		size_t at = difference(whole, buffer_text(&other));
		first = at && (!first || at < first) ? at : first;
	}
	buffer_free(&other);
	return first;
}

static const char *mark_of(const struct grid *grid)
{
	return grid->ascii ? "~" : "…";
}

/* The start of SHOWN, and TAIL. */
static void draw_parts(struct grid *grid, int row, int column, int columns, const char *shown,
		       const char *tail)
{
	const char *mark = mark_of(grid), *end = strstr(shown, mark);
	size_t length = end ? (size_t)(end - shown) : strlen(shown);
	int width = grid_width(grid, shown, length), rest = grid_width(grid, tail, strlen(tail));
	int head = width < columns / 2 ? width : columns / 2;
	int room = columns - head - 1, kept = rest > room ? room - 1 : rest;
	grid_put(grid, row, column, head, ROLE_TEXT, shown, length);
	grid_puts(grid, row, column + head, 1, ROLE_TEXT, mark);
	grid_puts(grid, row, column + head + 1, kept, ROLE_TEXT, tail);
	if (rest > room)
		grid_puts(grid, row, column + head + 1 + kept, 1, ROLE_TEXT, mark);
}

/* Is the end of the name left out? Otherwise it says what the kernel computes. */
static bool is_cut(const struct buffer *shown, const char *mark)
{
	size_t size = strlen(mark);
	return shown->length >= size && !memcmp(shown->data + shown->length - size, mark, size);
}

static void draw_name(const struct panel *panel, size_t line, struct grid *grid, int row,
		      int column, int columns)
{
	struct buffer shown = { 0 }, whole = { 0 };
	const char *label = panel->lines[line].label;
	fit(&shown, label, (size_t)columns, grid);
	fit(&whole, label, WHOLE, grid);
	size_t at = 0;
	if (is_cut(&shown, mark_of(grid)))
		at = find_difference(panel, line, grid, (size_t)columns, &shown,
				     buffer_text(&whole));
	if (at)
		draw_parts(grid, row, column, columns, buffer_text(&shown),
			   buffer_text(&whole) + at);
	else
		grid_field(grid, row, column, columns, ROLE_TEXT, GRID_LEFT, label, strlen(label));
	buffer_free(&shown);
	buffer_free(&whole);
}

void panel_label_draw(const struct panel *panel, size_t line, struct grid *grid, int row,
		      int column, int columns)
{
	enum { REST_MIN = 6, APART_MIN = 12 };
	const char *label = panel->lines[line].label, *rest = strstr(label, ": ");
	int head = rest ? grid_width(grid, label, (size_t)(rest + 2 - label)) : 0;
	bool wide = grid_width(grid, label, strlen(label)) > columns;
	if (wide && !rest && columns >= APART_MIN) {
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
