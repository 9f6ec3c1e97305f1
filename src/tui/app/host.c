/*
 * Functions that panes call in the program, and the only place that knows all kinds of panes.
 */
#include "tui/app/app.h"
#include "tui/dashboard/dashboard_pane.h"
#include "tui/plot/plot_pane.h"
#include "tui/table/table_pane.h"
#include "tui/timeline/timeline_pane.h"

#include <assert.h>

static void say(struct tui *tui, enum message_kind kind, const char *format, va_list arguments)
{
	struct app *app = app_of(tui);
	vsnprintf(app->message, sizeof app->message, format, arguments);
	app->message_kind = kind;
	tui->dirty = true;
	if (app->prompt.open) {
		snprintf(app->prompt.note, sizeof app->prompt.note, "%.199s", app->message);
		app->prompt.note_is_error = kind == MESSAGE_ERROR;
	}
}

static void host_act(struct tui *tui, enum action action)
{
	app_act(app_of(tui), action);
}

static struct pane *host_make(struct tui *tui, const struct pane_subject *subject)
{
	static struct pane *(*const kinds[PANE_KINDS])(
		const struct pane_subject *) = { PANE_MAKERS };
	struct pane_subject whole = *subject;
	assert(kinds[subject->kind]);
	config_complete(&app_of(tui)->config, &whole);
	return kinds[subject->kind](&whole);
}

const struct tui_host app_host = { APP_HOST_OPS };
