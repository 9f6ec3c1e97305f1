/*
 * What panes share, and what they may ask of the program around them.  How that loads, reads keys
 * and draws the rest of the screen is its own (app/app.h).
 */
#ifndef STRATA_TUI_CORE_TUI_H
#define STRATA_TUI_CORE_TUI_H

#include "base/error.h"
#include "model/scope.h"
#include "picture/grid.h"
#include "tui/core/nav.h"
#include "tui/core/search.h"
#include "tui/core/state.h"
#include "tui/core/worker.h"
#include "tui/term/theme.h"
#include "tui/widget/menu.h"
#include "tui/widget/prompt.h"

#include <stdarg.h>
#include <stdbool.h>

struct run;
struct shared_run;

enum message_kind { MESSAGE_INFO, MESSAGE_WARNING, MESSAGE_ERROR };

/* What the program around the panes does for them. */
struct tui_host {
	void (*say)(struct tui *tui, enum message_kind kind, const char *format, va_list arguments);
	void (*act)(struct tui *tui, enum action action);
	struct pane *(*make)(struct tui *tui, const struct subject *subject);
	/* Ask, with TEXT typed already; false when something is being typed. */
	bool (*ask)(struct tui *tui, enum prompt_kind kind, const char *text);
	/* Load again, with the iterations of this row's op as steps from then on. */
	void (*iterate)(struct tui *tui, const struct scope *scope, struct ref row);
	/* Say what a job could not do; a script that could not write ends with that. */
	void (*fail)(struct tui *tui, const struct error *error);
};

struct settings {
	bool ascii, braille, detail, letters, mouse;
	bool clipboard, split, state, restore;
};

struct tui {
	const struct tui_host *host;
	struct settings settings;

	struct shared_run *shared; /* the run; NULL until something of it is read */
	struct run *run;           /* the same */
	bool replacing;            /* the run is being replaced: work was stopped for that */
	struct worker *worker;     /* of tables: built, sorted, searched */
	bool quit;

	struct grid grid; /* the screen as it is drawn */
	struct theme theme;
	int colors;
	bool dirty; /* the screen no longer shows how things are */

	struct nav nav;
	struct menu menu;
	struct search search;
	struct place search_origin; /* of the search being typed */
	struct state state;
};

struct pane *tui_pane(const struct tui *tui); /* the one shown, or NULL */
void tui_say(struct tui *tui, enum message_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tui_say_error(struct tui *tui, const struct error *error);

#endif
