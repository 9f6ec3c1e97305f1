/*
 * Dispatches mouse events. Keys can do everything the mouse does.
 */
#include "tui/app/app.h"

#include <ctype.h>
#include <stdlib.h>

enum { DOUBLE_CLICK_MS = 400, WHEEL_LINES = 3 };

static void click_tab(struct app *app, int column)
{
	/* the tab's digit is the last one at or before the click, up to the active tab's begin */
	for (int i = column; i >= 0; i--) {
		const struct cell *cell = grid_cell(&app->tui.grid, app->layout.tabs.row, i);
		if (isdigit((unsigned char)*cell->bytes) || *cell->bytes == ';') {
			app->key = (tui_key)*cell->bytes;
			app_act(app, ACTION_VIEW);
			break;
		}
		if (cell->role == ROLE_TAB_ACTIVE && (i == 0 || cell[-1].role != ROLE_TAB_ACTIVE))
			break;
	}
}

static void click_footer(struct app *app, int column)
{
	for_each (hint, app->footer_hint, app->footer_hints) {
		if (column >= hint->from && column < hint->to) {
			app_act(app, hint->action);
			return;
		}
	}
}

static bool inside_of(struct rect at, const struct mouse_event *event)
{
	return event->row >= at.row && event->row < at.row + at.rows &&
	       event->column >= at.column && event->column < at.column + at.columns;
}

static void turn_wheel(struct app *app, const struct mouse_event *event)
{
	struct pane *pane = app_pane(app);
	enum action action = event->wheel > 0 ? ACTION_MOVE_DOWN : ACTION_MOVE_UP;
	if (app->tui.menu.open) {
		menu_act(&app->tui.menu, action, TUI_KEY_NONE);
	} else if (pane->ops->wheel) {
		pane->ops->wheel(pane, &app->tui, event->row, event->column, event->wheel);
	} else {
		for (int i = 0; i < WHEEL_LINES; i++)
			app_act(app, action);
	}
}

static void click(struct app *app, const struct mouse_event *event)
{
	struct layout *layout = &app->layout;
	if (app->tui.menu.open) {
		menu_click(&app->tui.menu, event->row, event->column);
		return;
	}
	if (inside_of(layout->beside, event)) {
		split_switch(app);
		split_update(app);
		frame_draw(app); /* current positions */
	}
	struct pane *pane = app_pane(app);
	if (inside_of(layout->tabs, event))
		click_tab(app, event->column);
	else if (inside_of(layout->breadcrumb, event))
		app_act(app, ACTION_BACK);
	else if (inside_of(layout->footer, event))
		click_footer(app, event->column);
	else if (inside_of(layout->body, event))
		pane->ops->click(pane, &app->tui, event->row, event->column,
				 event->twice && !event->right);
	if (inside_of(layout->body, event) && event->right)
		menus_open_actions(app);
}

/* A click in the body that ended elsewhere. */
static void drag(struct app *app, const struct mouse_event *event)
{
	const struct mouse_event begin = { .row = app->clicked_row, .column = app->clicked_column };
	struct pane *pane = app_pane(app);
	if (!app->tui.menu.open && !event->right && split_drag(app, &begin, event))
		return;
	if (pane->ops->drag && !app->tui.menu.open && !event->right &&
	    begin.column != event->column && inside_of(app->layout.body, &begin)) {
		app->tui.dirty = true;
		pane->ops->drag(pane, &app->tui, begin.column, event->column);
	}
}

void mouse_press(struct app *app)
{
	struct mouse_event event;
	int64_t now = clock_ns();
	if (!app_pane(app) || app->prompt.open || !app->term->ops->mouse_event ||
	    !app->term->ops->mouse_event(app->term, &event))
		return;
	if (event.released && event.wheel == 0) {
		drag(app, &event);
		return;
	}
	app->tui.dirty = true;
	app->message[0] = '\0';
	if (event.wheel != 0) {
		if (!event.released)
			turn_wheel(app, &event);
		return;
	}
	event.twice = event.row == app->clicked_row &&
		      abs(event.column - app->clicked_column) <= 1 &&
		      now - app->clicked_ns < (int64_t)DOUBLE_CLICK_MS * 1000000;
	app->clicked_row = event.row;
	app->clicked_column = event.column;
	app->clicked_ns = now;
	click(app, &event);
}
