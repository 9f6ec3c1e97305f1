#include "tui/table/table_pane.h"

#include "base/any_of.h"
#include "base/text.h"
#include "base/text_slice.h"

#include <stdio.h>

/* Rows sampled for column widths: the first ones, which are on the screen, and others spread. */
enum { WIDTH_FIRST = 60, WIDTH_SAMPLE = 300 };

/* ---- selection ---- */

bool columns_adds_up(const struct table_pane *self, int index)
{
	const struct table *table = self->box->table;
	enum column_kind kind = table->column[index]->kind;
	if (table->nested && !strcmp(table->nested, table->column[index]->id))
		return false;
	return kind == COLUMN_PARTS ||
	       (kind == COLUMN_SPAN && self->view && self->view->rows_apart);
}

bool columns_have_device_work(const struct table *table, const struct column_sums *sums)
{
	bool told = false;
	for (size_t i = 0; i < table->columns; i++) {
		if (!table->column[i]->device || !column_is_amount(table->column[i]))
			continue;
		told = true;
		if (sums[i].largest > 0)
			return true;
	}
	return !told;
}

static int content_width(struct table_pane *self, int index)
{
	const struct table *table = self->box->table;
	size_t step = table->rows / WIDTH_SAMPLE + 1;
	AUTO(grid_free) struct grid scratch = { 0 };
	AUTO_BUFFER struct buffer text = { 0 };
	int width = 0;
	for (size_t row = 0; row < table->rows; row += row < WIDTH_FIRST ? 1 : step) {
		buffer_clear(&text);
		table_format(&text, table, row, (size_t)index, false);
		int need = grid_width(&scratch, BUFFERED(&text));
		if (table->is_tree && index == table_name_column(table))
			need += 2 * (int)table_depth(table, row) + 2;
		raise_to(width, need);
	}
	return width;
}

static bool is_shown(const struct table_pane *self, int index)
{
	return any_of(i, self->column_count, self->columns[i].index == index);
}

static void add_column(struct table_pane *self, int index)
{
	const struct column *column = self->box->table->column[index];
	if (is_shown(self, index))
		return;
	int title = (int)strlen(column->title), width = content_width(self, index);
	width = width > title ? width : title;
	self->columns[self->column_count++] = (struct shown_column){ index, width, width };
}

/* True if the column is worth showing by default. DEVICE: there are GPU events. */
static bool is_informative(const struct table_pane *self, int index, bool device)
{
	const struct table *table = self->box->table;
	return !table_column_is_empty(table, (size_t)index) &&
	       (device || !table->rows || !table->column[index]->device);
}

/* Parse a comma-separated list; add the columns or (not ADD) only check them. */
static bool read_list(struct table_pane *self, const char *ids, bool add, struct error *error)
{
	bool good = true, device = columns_have_device_work(self->box->table, self->order->sums);
	for (struct text_slice item; text_next_item(&ids, &item);) {
		AUTO_FREE char *id = mem_strndup(item.text, item.length);
		int index = table_column_named(self->box->table, id, item.length);
		if (index < 0 && item.length > 0)
			good = columns_unknown(self, id, error);
		else if (add && item.length > 0 &&
			 (self->columns_wanted || is_informative(self, index, device)))
			add_column(self, index);
	}
	return good;
}

void columns_reset(struct table_pane *self)
{
	const struct table *table = self->box->table;
	const char *defaults = table_default_columns(table);
	const char *ids = self->columns_wanted ? self->columns_wanted : defaults ? defaults : "";
	mem_replace(self->columns, mem_zalloc(table->columns + 1, sizeof *self->columns));
	self->column_count = 0;
	self->elided = 0;
	self->scrolled = false;
	read_list(self, ids, true, NULL);
	for (size_t i = 0; i < table->columns && !*ids; i++)
		add_column(self, (int)i);
}

bool columns_unknown(const struct table_pane *self, const char *id, struct error *error)
{
	const struct table *table = self->box->table;
	return error_usage(error, "unknown column '%s'%s%s%s", id,
			   DID_YOU_MEAN(table_column_near(table, id), "'"));
}

/* The ids of the columns named in a valid list; NULL: none. */
static char *ids_of(const struct table *table, const char *names)
{
	AUTO_BUFFER struct buffer ids = { 0 };
	for (struct text_slice name; text_next_item(&names, &name);) {
		int index = table_column_named(table, name.text, name.length);
		if (index >= 0)
			buffer_printf(&ids, "%s%s", ids.length ? "," : "",
				      table->column[index]->id);
	}
	return ids.length ? mem_strdup(ids.data) : NULL;
}

bool columns_choose(struct table_pane *self, const char *ids, struct error *error)
{
	AUTO_BUFFER struct buffer list = { 0 };
	if (!self->box)
		return error_usage(error, "table not ready yet");
	for (int i = 0; i < self->column_count && *ids == '+'; i++)
		buffer_printf(&list, "%s,", self->box->table->column[self->columns[i].index]->id);
	for (; *ids; ids++) {
		bool between = *ids == ' ' && (!list.length || list.data[list.length - 1] == ',' ||
					       ids[1] == ',' || !ids[1]);
		if (*ids != '+' && !between)
			buffer_putc(&list, *ids);
	}
	bool good = read_list(self, buffer_text(&list), false, error);
	if (good) {
		mem_replace(self->columns_wanted, ids_of(self->box->table, buffer_text(&list)));
		self->hits_serial = 0;
		columns_reset(self);
	}
	return good;
}

int columns_main(const struct table_pane *self)
{
	const struct table *table = self->box->table;
	int sorted = self->applied.sort ? table_column(table, self->applied.sort) : -1;
	if (sorted >= 0 && column_is_amount(table->column[sorted]))
		return sorted;
	if (self->view && self->view->bar)
		return table_need(table, self->view->bar);
	for (int i = 0; i < self->column_count; i++) {
		const struct column *column = table->column[self->columns[i].index];
		if (column->unit == UNIT_NS && column_is_amount(column))
			return self->columns[i].index;
	}
	return -1;
}

/* ---- pinning ---- */

/* ",id," */
static void pin_word(const struct table_pane *self, int index, struct buffer *out)
{
	buffer_printf(out, ",%s,", self->box->table->column[index]->id);
}

bool columns_is_pinned(const struct table_pane *self, int index)
{
	AUTO_BUFFER struct buffer word = { 0 };
	if (!self->pinned)
		return false;
	pin_word(self, index, &word);
	return strstr(self->pinned, word.data) != NULL;
}

void columns_toggle_pin(struct table_pane *self, struct tui *tui)
{
	int index = self->applied.sort ? table_column(self->box->table, self->applied.sort) : -1;
	AUTO_BUFFER struct buffer pins = { 0 }, word = { 0 };
	if (index < 0) {
		tui_say(tui, MESSAGE_INFO, "not sorted by a column; s or > chooses the one to pin");
		return;
	}
	pin_word(self, index, &word);
	const char *old = self->pinned ? self->pinned : ",";
	const char *at = strstr(old, word.data);
	if (at)
		buffer_printf(&pins, "%.*s%s", (int)(at - old), old, at + word.length - 1);
	else
		buffer_printf(&pins, "%s%s", old, word.data + 1);
	mem_replace(self->pinned, pins.length > 1 ? mem_strdup(pins.data) : NULL);
	tui_say(tui, MESSAGE_INFO, at ? "%s unpinned" : "%s pinned (p unpins)",
		self->box->table->column[index]->title);
}

/* ---- the chooser ---- */

static void chooser_changed(void *context, const struct menu *menu)
{
	struct tui *tui = context;
	struct table_pane *self = table_pane_of(tui_pane(tui));
	AUTO_BUFFER struct buffer list = { 0 };
	for (int i = 0; i < menu->count; i++)
		if (menu->items[i].checked)
			buffer_printf(&list, "%s,", menu->items[i].id);
	columns_choose(self, buffer_text(&list), NULL);
}

static void add_chooser_item(struct table_pane *self, struct menu *menu, int index, bool checked)
{
	const struct column *column = self->box->table->column[index];
	struct menu_item *item = menu_add(menu, column->title, column->id);
	snprintf(item->hint, sizeof item->hint, "%s", column->id);
	item->checked = checked;
}

void columns_open_chooser(struct table_pane *self, struct tui *tui)
{
	struct menu *menu = &tui->menu;
	menu_open(menu, "Columns (Space toggles, < > move)", tui);
	menu->of = self;
	menu->checks = true;
	menu->change = chooser_changed;
	for (int i = 0; i < self->column_count; i++)
		add_chooser_item(self, menu, self->columns[i].index, true);
	for (size_t i = 0; i < self->box->table->columns; i++)
		if (!is_shown(self, (int)i))
			add_chooser_item(self, menu, (int)i, false);
}

/* ---- sorting ---- */

void columns_sort_by(struct table_pane *self, struct tui *tui, const char *id)
{
	int index = id && self->box ? table_column(self->box->table, id) : -1;
	char *sort = id ? mem_strdup(id) : NULL;
	self->wanted.descending = index >= 0 && column_is_number(self->box->table->column[index]);
	mem_free(self->wanted.sort);
	self->wanted.sort = sort;
	self->wanted.unchosen = false;
	self->scrolled = false;
	table_request(self, tui, 0);
}

static void sort_chosen(void *context, const char *id)
{
	struct tui *tui = context;
	struct table_pane *self = table_pane_of(tui_pane(tui));
	/* already sorted by it: reverse */
	if (query_text_equal(self->wanted.sort, id))
		self->pane.ops->act(&self->pane, tui, ACTION_SORT_INVERT);
	else
		columns_sort_by(self, tui, *id ? id : NULL);
}

void columns_open_sort_menu(struct table_pane *self, struct tui *tui)
{
	struct menu *menu = &tui->menu;
	menu_open(menu, "Sort By", tui);
	menu->of = self;
	menu->choose = sort_chosen;
	for (int i = 0; i < self->column_count; i++) {
		const struct column *column = self->box->table->column[self->columns[i].index];
		struct menu_item *item = menu_add(menu, column->title, column->id);
		bool sorted = query_text_equal(self->wanted.sort, column->id);
		snprintf(item->hint, sizeof item->hint, "%s",
			 !sorted                   ? ""
			 : self->wanted.descending ? "descending"
						   : "ascending");
		if (sorted)
			menu->selected = i;
	}
	bool sorts = self->view && self->view->default_sort;
	menu_add(menu, sorts ? "unsorted" : "default order", "");
	if (!self->wanted.sort)
		menu->selected = menu->count - 1;
}

void columns_sort_neighbour(struct table_pane *self, struct tui *tui, int direction)
{
	int at = -1;
	for (int i = 0; i < self->column_count; i++) {
		if (query_text_equal(self->wanted.sort,
				     self->box->table->column[self->columns[i].index]->id))
			at = i;
	}
	int to = at < 0 ? (direction > 0 ? 0 : self->column_count - 1) : at + direction;
	if (to < 0 || to >= self->column_count) {
		tui_say(tui, MESSAGE_INFO, "already at the %s column", to < 0 ? "first" : "last");
		return;
	}
	columns_sort_by(self, tui, self->box->table->column[self->columns[to].index]->id);
}
