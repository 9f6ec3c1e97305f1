/*
 * A popup list to choose from.
 */
#ifndef STRATA_TUI_WIDGET_MENU_H
#define STRATA_TUI_WIDGET_MENU_H

#include "tui/widget/action.h"
#include "tui/widget/layout.h"

#include <stdbool.h>

struct grid;

struct menu_item {
	char *label;
	char hint[48]; /* at the right: a key, a value */
	tui_key key;   /* takes the item at once; TUI_KEY_NONE: none */
	char *id;      /* the opener's name of it, right when what it chooses from changes */
	bool checked;
};

struct menu {
	bool open;
	const char *title;
	struct menu_item *items;
	int count, selected, top;
	size_t cap;
	bool checks;    /* items are switched on and off, and can be moved */
	const void *of; /* the pane whose things they are: the menu closes with it; or NULL */

	struct rect box, list; /* where it was drawn last, and its items therein */

	/* Enter, or the item's key; the menu is closed already */
	void (*choose)(void *context, const char *id);
	void (*change)(void *context, const struct menu *menu); /* after a check or a move */
	void *context;
};

void menu_open(struct menu *menu, const char *title, void *context);
struct menu_item *menu_add(struct menu *menu, const char *label, const char *id);
void menu_close(struct menu *menu); /* frees the items */

/* An action or, when ACTION is ACTION_NONE, a key that may be an item's own. */
void menu_act(struct menu *menu, enum action action, tui_key key);

/* A click there: takes the item or switches it; outside of the box the menu closes. */
void menu_click(struct menu *menu, int row, int column);

void menu_draw(struct menu *menu, struct grid *grid, struct rect within);

#endif
