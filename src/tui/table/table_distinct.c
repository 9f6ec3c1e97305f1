/*
 * Names of visible rows that read alike when they are elided.
 */

#include "base/text.h"
#include "tui/table/table_plan.h"

/* What a row shows, and of what. */
struct table_distinct_name {
	struct buffer text, shown;
};

static void get_name(const struct table_pane *self, size_t position, struct buffer *out)
{
	AUTO_BUFFER struct buffer text = { 0 };
	table_cell_text(self, position, table_name_column(self->box->table), &text);
	text_escape(out, BUFFERED(&text));
}

static bool read_alike(const struct table_distinct_name *a, const struct table_distinct_name *b)
{
	return a->shown.length && a->shown.length == b->shown.length &&
	       !memcmp(a->shown.data, b->shown.data, a->shown.length) &&
	       strcmp(buffer_text(&a->text), buffer_text(&b->text)) != 0;
}

void distinct_find(struct table_pane *self, const struct tui *tui, const struct plan *plan,
		   int rows)
{
	size_t left = self->line_count - self->top,
	       count = left < (size_t)rows ? left : (size_t)rows;
	int index = table_name_column(self->box->table), width = 0;
	for (int i = 0; i < plan->count && index >= 0; i++)
		width = plan->column[i].index == index ? plan->column[i].width : width;
	mem_grow(self->alike, count + 1);
	AUTO_FREE struct table_distinct_name *names = mem_zalloc(count + 1, sizeof *names);
	for (size_t i = 0; i < count && width > 0; i++) {
		size_t position = table_line_position(self, self->top + i);
		int room =
			width - (table_is_tree(self) ? table_indent(self, position, width) + 2 : 0);
		get_name(self, position, &names[i].text);
		if (room > 0 && text_width(BUFFERED(&names[i].text)) > (size_t)room)
			text_elide(&names[i].shown, BUFFERED(&names[i].text), (size_t)room,
				   !tui->grid.ascii);
	}
	for (size_t i = 0; i < count; i++) {
		self->alike[i] = SIZE_MAX;
		for (size_t k = 0; k < count && self->alike[i] == SIZE_MAX; k++)
			if (read_alike(&names[i], &names[k]))
				self->alike[i] = table_line_position(self, self->top + k);
	}
	for (size_t i = 0; i < count; i++) {
		buffer_free(&names[i].text);
		buffer_free(&names[i].shown);
	}
}

void distinct_name(const struct table_pane *self, const struct tui *tui, int row, int width,
		   struct buffer *text)
{
	size_t alike = self->alike[row];
	AUTO_BUFFER struct buffer own = { 0 }, other = { 0 }, distinct = { 0 };
	if (alike == SIZE_MAX || width < 1)
		return;
	text_escape(&own, BUFFERED(text));
	get_name(self, alike, &other);
	if (text_elide_apart(&distinct, BUFFERED(&own), BUFFERED(&other), (size_t)width,
			     !tui->grid.ascii)) {
		buffer_clear(text);
		buffer_add(text, BUFFERED(&distinct));
	}
}
