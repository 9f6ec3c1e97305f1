/*
 * Interface between panes and the program: shared state and callbacks. The program's own state is
 * in app/app.h.
 */
#pragma once

#include "picture/grid.h"
#include "tui/core/nav.h"
#include "tui/core/state.h"
#include "tui/core/worker.h"
#include "tui/term/theme.h"
#include "tui/widget/menu.h"
#include "tui/widget/prompt.h"

enum message_kind { MESSAGE_INFO, MESSAGE_WARNING, MESSAGE_ERROR };

/* The current search. Panes compare SERIAL to detect outdated matches. */
struct search {
	char *text;
	struct pattern *pattern; /* NULL: none */
	unsigned serial;
};

/* Set the search to TEXT ("": none). False if the expression is invalid; SEARCH is unchanged. */
bool search_set(struct search *search, const char *text, struct error *error);
void search_clear(struct search *search);

/*
 * A reference-counted run, used by the explorer, its tables and jobs. The count is accessed only by
 * the UI thread; the last user frees the run.
 */
struct shared_run {
	struct run *run;
	int references;
};

/* Takes ownership of the run; the caller holds a reference. */
struct shared_run *shared_run_new(struct run *run);
void shared_run_drop(struct shared_run *shared); /* NULL is allowed */

/* Callbacks into the program. */
struct tui_host {
	void (*say)(struct tui *tui, enum message_kind kind, const char *format, va_list arguments);
	void (*act)(struct tui *tui, enum action action);
	struct pane *(*make)(struct tui *tui, const struct pane_subject *subject);
	/* Open a prompt containing TEXT; false if one is open. */
	bool (*ask)(struct tui *tui, enum prompt_kind kind, const char *text);
	/* Reload with the op of this row as key node. */
	void (*iterate)(struct tui *tui, const struct scope *scope, struct ref row);
	/* Edit a file at a line in the user's editor. */
	void (*edit)(struct tui *tui, const char *path, int64_t line);
	/* Show this run and span of several (0: the first). */
	void (*open_run)(struct tui *tui, size_t run, size_t span);
	/* Show the error of a job; ends a script that could not write. */
	void (*fail)(struct tui *tui, const struct error *error);
};

struct settings {
	bool ascii, braille, detail, letters, mouse;
	bool clipboard, links, split, state, restore;
};

/* Views with rows have tabs. */
struct run_tabs {
	char digits[12];
	const char *second, *third; /* views that 2 and 3 open instead; NULL: their own */
};

struct tui {
	const struct tui_host *host;
	struct settings settings;

	struct shared_run *shared; /* the run; NULL until the first preview */
	struct run *run;           /* shared->run */
	struct run_tabs tabs;
	bool replacing;        /* the run is being replaced: do not report cancelled jobs */
	struct worker *worker; /* for building, sorting and searching tables */
	bool quit;

	struct grid grid; /* the screen */
	struct theme theme;
	int colors;
	bool dirty; /* redraw needed */

	struct nav nav;
	struct menu menu;
	struct search search;
	struct place search_origin; /* of the search being typed */
	struct state state;
};

struct pane *tui_pane(const struct tui *tui); /* the visible one, or NULL */
/* Do letters tell kinds of events, since the user wants them or colors do not? */
bool tui_shows_letters(const struct tui *tui);
void tui_say(struct tui *tui, enum message_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tui_say_error(struct tui *tui, const struct error *error);
/*
 * Write TEXT, which is freed, to the file PATH (NULL: standard output), and say that WHAT was
 * written (NULL: say nothing).
 */
bool tui_write(struct tui *tui, const char *path, const char *what, struct buffer *text,
	       struct error *error);
