/*
 * A popup menu.
 */
#pragma once

#include "tui/widget/action.h"
#include "tui/widget/layout.h"

struct grid;

struct menu_item {
	char *label;
	char hint[48]; /* at the right: key or value */
	tui_key key;   /* selects the item; TUI_KEY_NONE: none */
	char *id; /* identifies the item for its opener, even if the source changes meanwhile */
	bool checked;
};

struct menu {
	bool open;
	const char *title;
	struct menu_item *items;
	int count, selected, top;
	bool checks;    /* items can be toggled and moved */
	const void *of; /* owner pane: closing it closes the menu; or NULL */

	struct rect box, list; /* last drawn position of the menu, and of its items */

	/* Called on Enter or the item's key, after the menu was closed */
	void (*choose)(void *context, const char *id);
	void (*change)(void *context,
		       const struct menu *menu);        /* after toggling or moving an item */
	void (*preview)(void *context, const char *id); /* the cursor is on this item; NULL */
	int initial; /* where it was at first: that is previewed again when nothing was chosen */
	void *context;
};

void menu_open(struct menu *menu, const char *title, void *context);
struct menu_item *menu_add(struct menu *menu, const char *label, const char *id);
void menu_close(struct menu *menu); /* frees the items */

/* Perform an action or, if ACTION_NONE, select the item with this key. */
void menu_act(struct menu *menu, enum action action, tui_key key);

/* A click: selects or toggles the item; outside the box it closes the menu. */
void menu_click(struct menu *menu, int row, int column);

void menu_draw(struct menu *menu, struct grid *grid, struct rect within);
