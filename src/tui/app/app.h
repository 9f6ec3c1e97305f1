/*
 * The explorer's state in one object, and the functions its parts offer each other.
 */
#ifndef STRATA_TUI_APP_APP_H
#define STRATA_TUI_APP_APP_H

#include "tui/app/bookmark.h"
#include "tui/app/configuration.h"
#include "tui/app/explorer.h"
#include "tui/app/split.h"
#include "tui/core/pane.h"
#include "tui/core/tui.h"
#include "tui/term/terminal.h"
#include "tui/widget/layout.h"

#include <stdint.h>

struct spool;

enum { HELD_KEYS = 64, FOOTER_HINTS = 24, BOOKMARKS = 52 };

/* A key told in the footer: columns [FROM, TO) of it. */
struct footer_hint {
	int from, to;
	enum action action;
};

struct app {
	struct tui tui; /* what panes know of; the first, see app_of */
	const struct tui_options *options;
	struct settings settings_at_first;
	struct config config;
	bool opened; /* the first view was shown */
	struct terminal *term;
	struct layout layout;
	struct footer_hint footer_hint[FOOTER_HINTS]; /* in the footer now, for the mouse */
	int footer_hints;
	struct split split;
	struct place bookmarks[BOOKMARKS]; /* a-z, A-Z; of this session */

	struct worker *reader;    /* of the files */
	struct worker *previewer; /* of what is read already */
	int wake[2];              /* a pipe: jobs that ended, signals */
	char *base;               /* path of what to compare with, given by command; NULL */
	char *key_node;           /* whose iterations the steps are, given by command; NULL */
	bool loading;             /* the reader is busy */
	bool partial;             /* the run is the begin of the file */
	struct spool *spool;      /* what was read of it; NULL: not kept */
	size_t previewed;         /* bytes of it in the run shown */

	struct prompt prompt;
	struct history histories[PROMPT_KINDS];
	struct search search_before; /* to go back to when the prompt is cancelled */

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
	int status;
	struct error failure; /* said on standard error at the end */

	char *script; /* the text still to be played */
	size_t script_at;
	int script_line;
	bool headless; /* ends with the script */
};

/* That of which TUI is the part that panes know of. */
static inline struct app *app_of(struct tui *tui)
{
	return (struct app *)tui;
}

static inline struct pane *app_pane(const struct app *app)
{
	return tui_pane(&app->tui);
}

/* ---- host.c ---- */
extern const struct tui_host app_host;
void app_say(struct app *app, enum message_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- app.c ---- */
/*
 * The explorer in parts, for who runs the loop himself: open files and terminal; do what there is
 * to do now, which never waits for the worker, and draw; close all.
 */
bool app_start(struct app *app, struct error *error);
void app_turn(struct app *app);
void app_stop(struct app *app);
/* True when this action is done the second time within 2 s; else says how to QUESTION. */
bool app_twice(struct app *app, const char *question);
void app_resize(struct app *app); /* look how large the terminal is now */
void app_suspend(struct app *app);
bool app_set_theme(struct app *app, const char *name, struct error *error);

/* ---- load.c ---- */
/*
 * Begin to read the files; the old run stays until then.  With BASE that is what to compare with
 * from then on, and the comparison is shown.
 */
void load_files(struct app *app, const char *base);
/* The same with the iterations of this op (NULL: none) as steps from then on. */
void load_iterations(struct app *app, const char *key_node);
/* The same of the op that is in a row of the run, in SCOPE. */
void load_iterations_of(struct app *app, const struct scope *scope, struct ref row);

void load_clear(struct app *app);                       /* forget where the user was */
void load_take_begin(struct app *app, struct run *run); /* show what is read until now */
/* Is there nothing to do but to wait for the reader, or to leave? */
static inline bool load_is_awaited(const struct app *app)
{
	return app->loading && !app->partial;
}

/* ---- carry.c ---- */
/*
 * The explorer's run has taken the place of FROM: where the user is, every pane on the way back,
 * jumps and positions are to be the same in it.  What has no counterpart is left upwards, or
 * forgotten.  False: nothing was left.
 */
bool carry_all(struct app *app, const struct run *from);

/* ---- preview.c ---- */
struct spool *preview_spool(struct app *app); /* NULL: this run is not shown in part */
void preview_consider(struct app *app);       /* read the begin once more when it is time */

/* ---- script.c ---- */
/* Do the next key or command; false when there is none left. */
bool script_step(struct app *app);
bool script_open(struct app *app, const char *path, struct error *error);
void script_close(struct app *app);
void script_fail(struct app *app, const struct error *error); /* as tui_host has it */

/* ---- frame.c ---- */
void frame_draw(struct app *app); /* the whole screen into app->tui.grid */

/* ---- dispatch.c ---- */
void app_press(struct app *app, tui_key key);
void app_act(struct app *app, enum action action);
bool app_can(struct app *app, enum action action); /* would it do anything here? */
/* Ask, with TEXT typed already; false when something is being typed. */
bool app_ask(struct app *app, enum prompt_kind kind, const char *text);

/* ---- mouse.c ---- */
void mouse_press(struct app *app); /* do what the terminal tells of the mouse */

/* ---- find.c ---- */
void find_prompt_open(struct app *app);
void find_prompt_changed(struct app *app);
void find_prompt_closed(struct app *app, bool accepted);
/* Search again for what was searched for last, in an earlier session. */
void find_recall(struct app *app);
void find_clear(struct app *app);
/* Keep only the rows of the table that match TEXT ("": all). */
bool find_filter(struct app *app, const char *text, struct error *error);

/* ---- help.c ---- */
struct pane *help_pane(enum context context); /* what works in CONTEXT first, then everything */

/* ---- menus.c ---- */
void menus_open_actions(struct app *app);
void menus_open_options(struct app *app);

/* ---- command.c ---- */
/* Do a command line, without its ':'.  False with the error also said on the screen. */
bool command_run(struct app *app, const char *line, struct error *error);

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
	bool (*run)(struct app *app, const struct command_info *command, const char *argument,
		    struct error *error);
	enum query_part part; /* of those that change what the pane shows */
};
const struct command_info *command_at(size_t index); /* NULL past the end */

/* ---- export.c: commands that write, as struct command_info runs them ---- */
typedef bool command_runner(struct app *app, const struct command_info *command,
			    const char *argument, struct error *error);
command_runner export_write, export_plain, export_screen, export_screenshot, export_config;
command_runner show_configuration;

/* ---- complete.c ---- */
void complete_line(void *app, const char *line, size_t cursor, struct completion *completion);

/* ---- option.c: what :set changes ---- */
struct option_info {
	const char *name, *help;
	size_t offset; /* of its flag in struct settings */
};
bool *option_flag(struct settings *settings, const struct option_info *option);
const struct option_info *option_at(size_t index); /* NULL past the end */
bool option_set(struct app *app, const char *name, const char *value, struct error *error);

#endif
