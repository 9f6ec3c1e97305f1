/*
 * The explorer's state in one object, and the functions its parts offer each other.
 */
#ifndef STRATA_TUI_CORE_APP_H
#define STRATA_TUI_CORE_APP_H

#include "base/error.h"
#include "base/pattern.h"
#include "model/scope.h"
#include "picture/grid.h"
#include "tui/app/configuration.h"
#include "tui/widget/layout.h"
#include "tui/widget/menu.h"
#include "tui/core/nav.h"
#include "tui/widget/prompt.h"
#include "tui/core/state.h"
#include "tui/term/terminal.h"
#include "tui/term/theme.h"
#include "tui/app/explorer.h"
#include "tui/core/worker.h"

#include <stdint.h>

struct run;
struct shared_run;
struct spool;

enum { HELD_KEYS = 64, FOOTER_HINTS = 24 };

/* A key told in the footer: columns [FROM, TO) of it. */
struct footer_hint {
	int from, to;
	enum action action;
};

/* What the program around the panes does for them. */
struct tui_host {
	struct pane *(*make)(struct tui *tui, const struct subject *subject);
	/* Ask, with TEXT typed already. */
	void (*ask)(struct tui *tui, enum prompt_kind kind, const char *text);
	/* Load again, with the iterations of this row's op as steps from then on. */
	void (*iterate)(struct tui *tui, const struct scope *scope, struct ref row);
	/* Say what a job could not do; a script that could not write ends with that. */
	void (*fail)(struct tui *tui, const struct error *error);
};

enum message_kind { MESSAGE_INFO, MESSAGE_WARNING, MESSAGE_ERROR };

struct settings {
	bool ascii, braille, detail, letters, mouse;
	bool clipboard, split, state, restore;
};

/* The last search; panes compare SERIAL to know whether their hits are still right. */
struct search {
	char *text;
	struct pattern *pattern; /* NULL: none */
	unsigned serial;
};

struct tui {
	const struct tui_host *host;
	const struct tui_options *options;
	struct settings settings, settings_at_first;
	struct config config;
	struct state state;
	bool opened; /* the first view was shown */
	struct terminal *term;
	int colors;
	struct theme theme;
	struct grid grid;
	struct layout layout;
	struct footer_hint footer_hint[FOOTER_HINTS]; /* in the footer now, for the mouse */
	int footer_hints;

	struct worker *worker;     /* of tables: built, sorted, searched */
	struct worker *reader;     /* of the files */
	struct worker *previewer;  /* of what is read already */
	int wake[2];               /* a pipe: jobs that ended, signals */
	struct shared_run *shared; /* the run; NULL until something of it is read */
	struct run *run;           /* the same */
	char *base;                /* path of what to compare with, given by command; NULL */
	char *key_node;            /* whose iterations the steps are, given by command; NULL */
	bool loading;              /* the reader is busy */
	bool partial;              /* the run is the begin of the file */
	bool replacing;            /* the run is being replaced: work was stopped for that */
	struct spool *spool;       /* what was read of it; NULL: not kept */
	size_t previewed;          /* bytes of it in the run shown */

	struct nav nav;
	struct prompt prompt;
	struct history histories[PROMPT_KINDS];
	struct menu menu;
	struct search search;
	struct search search_before; /* to go back to when the prompt is cancelled */
	struct place search_origin;

	char message[512];
	enum message_kind message_kind;
	tui_key key;             /* the one being answered */
	tui_key held[HELD_KEYS]; /* typed ahead of the work under way */
	int held_count;
	enum action awaiting; /* an action that waits for the letter after it */
	enum action acting;   /* the one being done */
	enum action asked;    /* it asked to be done twice, at this time */
	int64_t asked_ns;
	bool pasting;
	int64_t clicked_ns; /* the click before, for double clicks */
	int clicked_row;
	bool dirty; /* the screen no longer shows how things are */
	bool quit;
	int status;
	struct error failure; /* said on standard error at the end */

	char *script; /* the text still to be played */
	size_t script_at;
	int script_line;
	bool headless; /* ends with the script */
};

/* ---- app.c ---- */
void tui_say(struct tui *tui, enum message_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tui_say_error(struct tui *tui, const struct error *error);
/* True when this action is done the second time within 2 s; else says how to QUESTION. */
bool tui_twice(struct tui *tui, const char *question);
void tui_resize(struct tui *tui); /* look how large the terminal is now */
void tui_suspend(struct tui *tui);
bool tui_set_theme(struct tui *tui, const char *name, struct error *error);
struct pane *tui_pane(struct tui *tui); /* the one shown, or NULL */
/*
 * The explorer in parts, for who runs the loop himself: open files and terminal; do what there is
 * to do now, which never waits for the worker, and draw; close all.
 */
bool tui_start(struct tui *tui, struct error *error);
void tui_turn(struct tui *tui);
void tui_stop(struct tui *tui);

/* ---- load.c ---- */
/*
 * Begin to read the files; the old run stays until then.  With BASE that is what to compare with
 * from then on, and the comparison is shown.
 */
void tui_load(struct tui *tui, const char *base);
/* The same with the iterations of this op (NULL: none) as steps from then on. */
void tui_load_iterations(struct tui *tui, const char *key_node);
/* The same of the op that is in a row of the run, in SCOPE. */
void tui_load_iterations_of(struct tui *tui, const struct scope *scope, struct ref row);

void load_take_begin(struct tui *tui, struct run *run); /* show what is read until now */
/* Is there nothing to do but to wait for the reader, or to leave? */
static inline bool load_is_awaited(const struct tui *tui)
{
	return tui->loading && !tui->partial;
}

/* ---- preview.c ---- */
struct spool *preview_spool(struct tui *tui); /* NULL: this run is not shown in part */
void preview_consider(struct tui *tui);       /* read the begin once more when it is time */

/* ---- script.c ---- */
/* Do the next key or command; false when there is none left. */
bool script_step(struct tui *tui);
bool script_open(struct tui *tui, const char *path, struct error *error);
void script_close(struct tui *tui);
void script_fail(struct tui *tui, const struct error *error); /* as tui_host has it */

/* ---- frame.c ---- */
void frame_draw(struct tui *tui); /* the whole screen into tui->grid */
/* A sentence over as many lines as it needs and BODY has. */
void frame_sentence(struct tui *tui, struct rect body, const char *line);

/* ---- dispatch.c ---- */
void tui_key_press(struct tui *tui, tui_key key);
void tui_act(struct tui *tui, enum action action);
bool tui_can(struct tui *tui, enum action action); /* would it do anything here? */
void tui_prompt(struct tui *tui, enum prompt_kind kind,
		const char *text); /* ask, with TEXT typed already */

/* ---- mouse.c ---- */
void mouse_press(struct tui *tui); /* do what the terminal tells of the mouse */

/* ---- find.c ---- */
void find_prompt_open(struct tui *tui);
void find_prompt_changed(struct tui *tui);
void find_prompt_closed(struct tui *tui, bool accepted);
/* Search again for what was searched for last, in an earlier session. */
void find_recall(struct tui *tui);
/* Make TEXT the search ("": none) and go to the next hit.  False: not a valid expression. */
bool find_set(struct tui *tui, const char *text, struct error *error);
void find_clear(struct tui *tui);
/* Keep only the rows of the table that match TEXT ("": all). */
bool find_filter(struct tui *tui, const char *text, struct error *error);

/* ---- help.c ---- */
struct pane *help_pane(enum context context); /* what works in CONTEXT first, then everything */

/* ---- menus.c ---- */
void menus_open_actions(struct tui *tui);
void menus_open_options(struct tui *tui);

/* ---- command.c ---- */
/* Do a command line, without its ':'.  False with the error also said on the screen. */
bool command_run(struct tui *tui, const char *line, struct error *error);

enum command_words {
	WORDS_NONE,
	WORDS_VIEWS,
	WORDS_COLUMNS,
	WORDS_GROUPS,
	WORDS_THEMES,
	WORDS_OPTIONS,
	WORDS_LANES,
	WORDS_PLOTS,
	WORDS_ACTIONS
};

struct command_info {
	const char *name, *arguments, *help;
	enum command_words words; /* what its arguments are completed from */
	bool (*run)(struct tui *tui, const struct command_info *command, const char *argument,
		    struct error *error);
};
const struct command_info *command_at(size_t index); /* NULL past the end */

/* ---- export.c: commands that write, as struct command_info runs them ---- */
typedef bool command_runner(struct tui *tui, const struct command_info *command,
			    const char *argument, struct error *error);
command_runner export_write, export_plain, export_screen, export_screenshot, export_config;
command_runner show_configuration;

/* ---- complete.c ---- */
void complete_line(void *tui, const char *line, size_t cursor, struct completion *completion);

/* ---- option.c: what :set changes ---- */
struct option_info {
	const char *name, *help;
	bool *(*flag)(struct settings *settings);
};
const struct option_info *option_at(size_t index); /* NULL past the end */
bool option_set(struct tui *tui, const char *name, const char *value, struct error *error);

#endif
