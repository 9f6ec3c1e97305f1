#include "tui/widget/menu.h"

#include "picture/grid.h"
#include "picture/role.h"

enum { PAGE = 10 };

void menu_open(struct menu *menu, const char *title, void *context)
{
	menu_close(menu);
	*menu = (struct menu){ .open = true, .title = title, .context = context };
}

struct menu_item *menu_add(struct menu *menu, const char *label, const char *id)
{
	struct menu_item *item = mem_push(menu->items, menu->count);
	*item = (struct menu_item){ .label = mem_strdup(label), .id = mem_strdup(id) };
	return item;
}

void menu_close(struct menu *menu)
{
	for (int i = 0; i < menu->count; i++)
		mem_free_all(menu->items[i].label, menu->items[i].id);
	mem_free(menu->items);
	*menu = (struct menu){ 0 };
}

static void choose(struct menu *menu)
{
	void (*act)(void *, const char *) = menu->choose;
	void *context = menu->context;
	if (menu->selected >= menu->count)
		return;
	AUTO_FREE char *id = menu->items[menu->selected].id;
	menu->items[menu->selected].id = NULL;
	menu_close(menu);
	if (act)
		act(context, id);
}

static void select_item(struct menu *menu, int item)
{
	if (item >= menu->count)
		item = menu->count - 1;
	menu->selected = item < 0 ? 0 : item;
	if (menu->preview)
		menu->preview(menu->context, menu->items[menu->selected].id);
}

static void dismiss(struct menu *menu)
{
	if (menu->preview)
		select_item(menu, menu->initial);
	menu_close(menu);
}

static void toggle(struct menu *menu)
{
	if (!menu->checks || menu->count == 0) {
		choose(menu);
		return;
	}
	menu->items[menu->selected].checked ^= true;
	if (menu->change)
		menu->change(menu->context, menu);
	select_item(menu, menu->selected + 1);
}

static void move_item(struct menu *menu, int by)
{
	int to = menu->selected + by;
	if (!menu->checks || to < 0 || to >= menu->count)
		return;
	struct menu_item item = menu->items[menu->selected];
	menu->items[menu->selected] = menu->items[to];
	menu->items[to] = item;
	menu->selected = to;
	if (menu->change)
		menu->change(menu->context, menu);
}

static void take_key(struct menu *menu, tui_key key)
{
	for (int i = 0; i < menu->count && key != TUI_KEY_NONE; i++) {
		if (menu->items[i].key == key) {
			menu->selected = i;
			choose(menu);
			return;
		}
	}
}

void menu_act(struct menu *menu, enum action action, tui_key key)
{
	switch (action) {
	case ACTION_MOVE_DOWN: select_item(menu, menu->selected + 1); break;
	case ACTION_MOVE_UP: select_item(menu, menu->selected - 1); break;
	case ACTION_PAGE_DOWN: select_item(menu, menu->selected + PAGE); break;
	case ACTION_PAGE_UP: select_item(menu, menu->selected - PAGE); break;
	case ACTION_FIRST: select_item(menu, 0); break;
	case ACTION_LAST: select_item(menu, menu->count - 1); break;
	case ACTION_MENU_CHOOSE: choose(menu); break;
	case ACTION_MENU_TOGGLE: toggle(menu); break;
	case ACTION_MENU_EARLIER: move_item(menu, -1); break;
	case ACTION_MENU_LATER: move_item(menu, 1); break;
	case ACTION_MENU_CLOSE: dismiss(menu); break;
	default: take_key(menu, key);
	}
}

void menu_click(struct menu *menu, int row, int column)
{
	struct rect box = menu->box, list = menu->list;
	int item = menu->top + row - list.row;
	if (row < box.row || row >= box.row + box.rows || column < box.column ||
	    column >= box.column + box.columns) {
		dismiss(menu);
	} else if (row >= list.row && row < list.row + list.rows && item < menu->count) {
		menu->selected = item;
		toggle(menu);
	}
}

/* Width of the widest item, without the frame. */
static int inner_width(const struct menu *menu, struct grid *grid)
{
	int width = (int)strlen(menu->title) + 4;
	for_each (item, menu->items, menu->count) {
		int hint = grid_width(grid, item->hint, strlen(item->hint));
		int need = grid_width(grid, item->label, strlen(item->label)) +
			   (hint > 0 ? hint + 2 : 0) + (menu->checks ? 4 : 0) + 2;
		raise_to(width, need);
	}
	return width;
}

static void draw_item(const struct menu *menu, struct grid *grid, int index, int row, int column,
		      int width)
{
	const struct menu_item *item = &menu->items[index];
	int role = index == menu->selected ? ROLE_SELECTION : ROLE_MENU;
	int at = column + 1, room = width - 2;
	grid_fill(grid, row, column, width, role, ' ');
	if (menu->checks) {
		grid_puts(grid, row, at, room, role, item->checked ? "[x] " : "[ ] ");
		at += 4;
		room -= 4;
	}
	int hint = grid_width(grid, item->hint, strlen(item->hint));
	if (hint > 0 && hint + 4 < room) {
		grid_puts(grid, row, at + room - hint, hint,
			  index == menu->selected ? role : ROLE_KEY, item->hint);
		room -= hint + 2;
	}
	grid_field(grid, row, at, room, role, GRID_LEFT, item->label, strlen(item->label));
	if (index == menu->selected) {
		grid->cursor_row = row;
		grid->cursor_column = column;
		grid->show_cursor = true;
	}
}

static void draw_frame(struct grid *grid, struct rect box, const char *title)
{
	for (int row = box.row; row < box.row + box.rows; row++)
		grid_fill(grid, row, box.column, box.columns, ROLE_BORDER, ' ');
	grid_frame(grid, box.row, box.column, box.rows, box.columns);
	grid_fill(grid, box.row, box.column + 2, 1, ROLE_BORDER, ' ');
	int used = grid_puts(grid, box.row, box.column + 3, box.columns - 5, ROLE_TITLE, title);
	grid_fill(grid, box.row, box.column + 3 + used, 1, ROLE_BORDER, ' ');
}

void menu_draw(struct menu *menu, struct grid *grid, struct rect within)
{
	struct rect box = within;
	box.rows = menu->count + 2 < within.rows ? menu->count + 2 : within.rows;
	box.columns = inner_width(menu, grid) + 2;
	lower_to(box.columns, within.columns);
	box.row += (within.rows - box.rows) / 3;
	box.column += (within.columns - box.columns) / 2;
	bool framed = box.rows >= 3 && box.columns >= 8;
	if (framed)
		draw_frame(grid, box, menu->title);
	int lines = framed ? box.rows - 2 : box.rows;
	lower_to(menu->top, menu->selected);
	if (menu->selected >= menu->top + lines)
		menu->top = menu->selected - lines + 1;
	if (menu->top > menu->count - lines)
		menu->top = menu->count > lines ? menu->count - lines : 0;
	menu->box = box;
	menu->list = (struct rect){ box.row + framed, box.column + framed, lines,
				    box.columns - 2 * framed };
	if (framed && menu->top > 0) /* there is more */
		grid_puts(grid, box.row, box.column + box.columns - 3, 1, ROLE_KEY,
			  grid->ascii ? "^" : "▲");
	if (framed && menu->top + lines < menu->count)
		grid_puts(grid, box.row + box.rows - 1, box.column + box.columns - 3, 1, ROLE_KEY,
			  grid->ascii ? "v" : "▼");
	for (int i = 0; i < lines && menu->top + i < menu->count; i++)
		draw_item(menu, grid, menu->top + i, menu->list.row + i, menu->list.column,
			  menu->list.columns);
}
