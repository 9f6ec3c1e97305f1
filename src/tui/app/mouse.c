/*
 * The mouse: whose a click is.  Everything it does a key does too.
 */
#include "tui/core/app.h"
#include "tui/core/pane.h"

enum { DOUBLE_CLICK_MS = 400, WHEEL_LINES = 3 };

static void click_tab(struct tui *tui, int column)
{
	struct buffer text = { 0 };

	/* the digit of a tab is the last one at or before the place clicked */
	grid_row_text(&tui->grid, tui->layout.tabs.row, &text);
	for (int i = column < (int)text.length ? column : (int)text.length - 1; i >= 0; i--) {
		if (text.data[i] == '[') /* what is shown already */
			break;
		struct tab tab = nav_tab_of(text.data[i]);
		if (tab.name)
			nav_open(tui, &tab);
		else if (text.data[i] == ';')
			tui_act(tui, ACTION_SQL);
		if (tab.name || text.data[i] == ';')
			break;
	}
	buffer_free(&text);
}

static void click_footer(struct tui *tui, int column)
{
	for (int i = 0; i < tui->footer_hints; i++) {
		const struct footer_hint *hint = &tui->footer_hint[i];
		if (column >= hint->from && column < hint->to) {
			tui_act(tui, hint->action);
			return;
		}
	}
}

static bool inside_of(struct rect at, const struct mouse_event *event)
{
	return event->row >= at.row && event->row < at.row + at.rows &&
	       event->column >= at.column && event->column < at.column + at.columns;
}

static void turn_wheel(struct tui *tui, const struct mouse_event *event)
{
	struct pane *pane = tui_pane(tui);
	enum action action = event->wheel > 0 ? ACTION_MOVE_DOWN : ACTION_MOVE_UP;
	if (tui->menu.open) {
		menu_act(&tui->menu, action, TUI_KEY_NONE);
	} else if (pane->ops->wheel) {
		pane->ops->wheel(pane, tui, event->row, event->column, event->wheel);
	} else {
		for (int i = 0; i < WHEEL_LINES; i++)
			tui_act(tui, action);
	}
}

static void click(struct tui *tui, const struct mouse_event *event)
{
	struct layout *layout = &tui->layout;
	if (tui->menu.open) {
		menu_click(&tui->menu, event->row, event->column);
		return;
	}
	if (inside_of(layout->beside, event)) {
		split_switch(tui);
		split_update(tui);
		frame_draw(tui); /* where things are now */
	}
	struct pane *pane = tui_pane(tui);
	if (inside_of(layout->tabs, event))
		click_tab(tui, event->column);
	else if (inside_of(layout->footer, event))
		click_footer(tui, event->column);
	else if (inside_of(layout->body, event))
		pane->ops->click(pane, tui, event->row, event->column, event->twice);
}

void mouse_press(struct tui *tui)
{
	struct mouse_event event;
	int64_t now = clock_ns();
	if (!tui_pane(tui) || tui->prompt.open || !tui->term->ops->mouse_event(tui->term, &event))
		return;
	tui->dirty = true;
	tui->message[0] = '\0';
	if (event.wheel != 0) {
		turn_wheel(tui, &event);
		return;
	}
	event.twice = event.row == tui->clicked_row &&
		      now - tui->clicked_ns < (int64_t)DOUBLE_CLICK_MS * 1000000;
	tui->clicked_row = event.row;
	tui->clicked_ns = now;
	click(tui, &event);
}
