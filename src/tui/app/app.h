/*
 * State of the explorer and the interfaces between its parts.
 */
#pragma once

#include "analysis/whatif/whatif.h"
#include "tui/app/configuration.h"
#include "tui/app/explorer.h"
#include "tui/core/pane.h"
#include "tui/core/tui.h"
#include "tui/term/terminal.h"

struct spool;

/* Files and directories; each is freed with mem_free. */
struct path_list {
	char **path;
	size_t count;
};

void path_list_clear(struct path_list *list);

enum { HELD_KEYS = 64, FOOTER_HINTS = 24, BOOKMARKS = 52 };

/* A key in the footer, at columns [FROM, TO). */
struct footer_hint {
	int from, to;
	enum action action;
};

/*
 * Split view: a table and, beside or below it, the drill-down of its selected row. One of them has
 * the focus. The pair is always a level and the one below it (nav.h); drilling down or going back
 * moves both.
 */
struct screen_split {
	struct rect body; /* of both panes, at the last draw */
	int percent;      /* of it that the first has; 0: half */
	bool maximized;   /* the focused pane uses the whole body */
	bool inside;      /* the second pane has the focus */
	struct level
		*below; /* level of the second pane while the first has the focus; NULL: none */
	const struct pane *from; /* it belongs to this pane's */
	struct ref ref;          /* row */
	struct level *last;      /* level at the previous update */
	const struct view *view; /* chosen for the second pane; NULL: what drilling down opens */
	const struct view *of;   /* while the first pane shows this */
};

enum {
	WHAT_IF_PARTS = 3,
	WHAT_IF_ROWS = 6,
	WHAT_IF_POINTS = 9,
	WHAT_IF_ANSWERS = 1 + WHAT_IF_POINTS
};

/* The pane of what-if, while it is open: an edit, and what is predicted under it. */
struct what_if {
	bool open;
	struct what_if_graph *graph; /* of the rank shown */
	char *added;                 /* edits that were kept before, each with a "; "; NULL */
	char *about;                 /* what the edit is of, in words */
	bool of_finding;             /* which counts what other findings leave of it */
	struct what_if_part {
		enum whatif_what own; /* the kind that changes its time */
		char *of;             /* what follows the kind: ":NAME", " under:PATH", "" */
	} part[WHAT_IF_PARTS];
	size_t parts;
	enum whatif_what what; /* if it is that of the first part, each has its own */
	double factor;
	bool known; /* the answer is, perhaps of the edit before */
	struct what_if_answer {
		const char *refused; /* static; NULL */
		struct whatif_prediction prediction;
		size_t guesses;     /* waits that are known by their time alone */
	} answers[WHAT_IF_ANSWERS]; /* the first; if DRAWN by factor from 0 to 1 */
	bool drawn;
};

/* Of the place in code that the screen shows, to its file. */
struct source_links {
	struct linked_cells {
		struct buffer link, plain; /* sent after the screen; to take the link back */
	} now, sent;                       /* SENT: those of the screen before */
	struct intern *known;
	char **paths; /* by id of what was looked for; NULL: not here */
	size_t count;
};

struct app {
	struct tui tui; /* what panes know of; first member, see app_of */
	const struct tui_options *options;
	struct settings settings_at_first;
	struct config config;
	bool opened; /* the first view has been shown */
	struct terminal *term;
	struct layout layout;
	struct footer_hint footer_hint[FOOTER_HINTS]; /* clickable hints in the footer */
	int footer_hints;
	struct source_links links; /* of places in code */
	struct screen_split split;
	struct place bookmarks[BOOKMARKS]; /* a-z, A-Z; for this session */

	struct worker *reader;    /* loads files */
	struct worker *previewer; /* builds previews */
	int wake[2];              /* pipe: finished jobs, signals */
	struct path_list base;    /* of the base run given by command; empty: none */
	struct path_list added;   /* further runs, given by command */
	size_t run, span;         /* chosen by command; 0: as on the command line */
	char *key_node;           /* key node given by command; NULL */
	bool loading;             /* the reader is busy */
	uint64_t followed;        /* state of the files when loaded (read_on.c); 0: unknown */
	int64_t followed_s;       /* of the last change of one, by the calendar */
	int64_t follow_begun_s;   /* likewise, when loading began */
	int64_t follow_ns;        /* when they are looked at next */
	int64_t follow_begun_ns;  /* when loading began */
	bool partial;             /* the run is a preview */
	bool figures_due;         /* the line of the scope has none since the run was replaced */
	struct spool *spool;      /* bytes read so far; NULL: not kept */
	size_t previewed;         /* bytes in the current preview */

	struct prompt prompt;
	struct what_if what_if;
	struct history histories[PROMPT_KINDS];
	struct search search_before; /* restored if the prompt is cancelled */

	char message[512];
	enum message_kind message_kind;
	tui_key key;              /* being handled */
	int64_t pressed_ns;       /* when the last one was typed */
	const struct pane *drawn; /* on the screen; it may be gone */
	tui_key held[HELD_KEYS];  /* typed ahead of running work */
	int held_count;
	int count;                          /* typed before a key; 0: none */
	enum action last;                   /* for repeating it */
	enum action awaiting;               /* action waiting for a letter */
	enum action acting;                 /* being performed */
	const struct command_info *command; /* likewise */
	enum action asked;                  /* action to be confirmed by repeating it, since */
	int64_t asked_ns;
	bool pasting;
	int64_t clicked_ns; /* previous click, for double clicks */
	int clicked_row, clicked_column;
	int status;
	struct error failure; /* printed on standard error at exit */

	char *script; /* rest of the script */
	size_t script_at;
	int script_line;
	bool headless; /* exit at the end of the script */
};

/* The app that TUI is part of. */
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
#define app_say(app, ...) tui_say(&(app)->tui, __VA_ARGS__)

/* ---- app.c ---- */
/*
 * The explorer as steps, for a caller with its own loop: open files and terminal; process pending
 * input without blocking, and draw; close.
 */
bool app_start(struct app *app, struct error *error);
void app_turn(struct app *app);
bool keys_rest(const struct app *app); /* none was typed for a moment */
void app_stop(struct app *app);
int app_colors(const struct tui_options *options); /* for terminal_curses */
bool app_is_set(const char *variable);             /* of the environment: set and not empty */
bool app_parse_size(const char *text, int *columns, int *rows, struct error *error);
/* True if the action is repeated within 2 s; otherwise shows QUESTION. */
bool app_twice(struct app *app, const char *question);
void app_resize(struct app *app); /* query the terminal size */
void app_suspend(struct app *app);
bool app_set_theme(struct app *app, const char *name, struct error *error);

/* ---- load.c ---- */
/*
 * Start loading the files; the old run stays until done. With BASE, also load the base run and show
 * the comparison.
 */
void load_files(struct app *app, const char *base);
/* Reload with the iterations of this op (NULL: none) as steps. */
void load_iterations(struct app *app, const char *key_node);
/* Reload with the trace of the shown rank in place of its summary. */
void load_from_trace(struct app *app);
/*
 * Reload with this run and span (session/runs/recordings.h). OPENED: show the dashboard of it, from
 * which going back leads to the list of runs; otherwise the same view.
 */
void load_recording(struct app *app, size_t run, size_t span, bool opened);
/* Reload with the recordings of BASE as the base of RUN, and show the comparison. */
void load_comparison(struct app *app, size_t base, size_t run);
/* Add the run at PATH, and list the runs. */
void load_also(struct app *app, const char *path);
/* Reload with the op of a row in SCOPE as key node. */
void load_iterations_of(struct tui *tui, const struct scope *scope, struct ref row);

void load_clear(struct app *app);                         /* forget the user's position */
void load_show_preview(struct app *app, struct run *run); /* show a preview */
/* True if only waiting for the reader or quitting makes sense. */
static inline bool load_is_awaited(const struct app *app)
{
	return app->loading && !app->partial;
}

/* ---- runs.c: the runs of a log directory ---- */
/* Show a run of a list, by its number, and a span of it (0: the first). */
void runs_open(struct tui *tui, size_t run, size_t span);
/* Compare the marked runs, or the selected one with the shown one; false if the pane lists none. */
bool runs_compare(struct app *app);
bool runs_can_compare(const struct app *app);
/* Without a base run: prompt for one of the user's baselines, or say how to load one. */
void runs_offer_baselines(struct app *app);

/* ---- what_if.c ---- */
/* Open the pane with the edit of the selected finding, or of the marked or selected rows. */
void what_if_ask(struct app *app);
void what_if_act(struct app *app, enum action action); /* while it is open */
void what_if_draw(struct app *app, struct rect at);
void what_if_close(struct app *app);
void what_if_drop(struct app *app); /* the predicted run, if it is the base */
void what_if_say(struct app *app);  /* what is predicted */
/* "what-if: 2 edits  " if the base is predicted. */
void what_if_count(const struct app *app, struct buffer *out);
/* Of a base "whatif:EDITS", which is the run itself under them; NULL: another base, or none. */
const char *what_if_edits(const struct path_list *base);

/* ---- remap_selection.c ---- */
/*
 * The run has replaced FROM: translate the user's position, all panes on the back path, jumps and
 * positions. What has no counterpart is closed or forgotten. False: nothing remained.
 */
bool carry_all(struct app *app, const struct run *from);
void renew_figures(struct app *app);

/* ---- preview.c ---- */
struct spool *preview_spool(struct app *app); /* NULL: no preview of this run */
void preview_consider(struct app *app);       /* start a preview if it is due */

/* ---- script.c ---- */
/* Perform the next key or command; false at the end. */
bool script_step(struct app *app);
bool script_open(struct app *app, const char *path, struct error *error);
void script_close(struct app *app);
void script_fail(struct tui *tui, const struct error *error); /* see tui_host */

/* ---- frame.c ---- */
void frame_draw(struct app *app); /* draws the screen into app->tui.grid */

/* ---- split.c ---- */
void split_clear(struct screen_split *split);
/* Split the screen; below rows of the current table the second pane shows VIEW (NULL: as drilled).
 */
void split_choose(struct app *app, const struct view *view);
/* Update before a frame from the user's position and cursor. May start building the second pane. */
void split_update(struct app *app);
bool split_shown(struct app *app); /* two panes are shown */
/* Divide BODY: side by side if wide, otherwise stacked. False if there is no room for two. */
bool split_divide(struct app *app, struct rect body, struct rect *first, struct rect *second);
/* Move the line between the panes from BEGIN to END; false: it is elsewhere. */
bool split_drag(struct app *app, const struct mouse_event *begin, const struct mouse_event *end);
/* The panes at these positions; may be NULL. */
struct pane *split_first(struct app *app);
struct pane *split_second(struct app *app);
/* Toggle the focused pane between full and half size. False: not split. */
bool split_maximize(struct app *app);
void split_switch(struct app *app); /* focus the other pane */

/* ---- dispatch.c ---- */
void app_press(struct app *app, tui_key key);
void app_hold(struct app *app, tui_key key);       /* until work is done */
bool app_act(struct app *app, enum action action); /* false if nothing performs it here */
bool app_can(struct app *app, enum action action); /* true if it has an effect here */
bool app_ask(struct tui *tui, enum prompt_kind kind, const char *text); /* see tui_host */

/* ---- mouse.c ---- */
void mouse_press(struct app *app); /* handle a mouse event */

/* ---- find.c ---- */
void find_prompt_open(struct app *app);
void find_prompt_changed(struct app *app);
void find_prompt_closed(struct app *app, bool accepted);
/* Repeat the last search of an earlier session. */
void find_recall(struct app *app);
void find_clear(struct app *app);
/* Filter the table by TEXT ("": all rows). */
bool find_filter(struct app *app, const char *text, struct error *error);

/*
 * ---- bookmark.c: named positions, kept between sessions as text in the profile's state. They
 * contain row numbers, so they are only valid for unchanged files and the same program ----
 */
/* Set a position, and save it if it is a row of a table. */
void bookmark_set(struct app *app, char letter);
void bookmark_go(struct app *app, char letter);
void bookmark_list(struct app *app); /* opens a text pane */

/*
 * ---- copy.c: to the clipboard of the user's machine through the terminal (OSC 52, also through
 * tmux and screen), otherwise to a file, and says which ----
 */
enum { COPY_MAX = 65536 }; /* bytes that terminals take */
/* Copy the selected or marked rows of the current pane, or their names. */
void copy_rows(struct app *app, bool whole);
void copy_text(struct app *app, const struct buffer *text, const char *what);
/* The sequence that sets the clipboard to TEXT; TMUX and SCREEN: wrapped for these multiplexers. */
void copy_sequence(struct buffer *out, const char *text, size_t length, bool tmux, bool screen);

/* ---- help.c ---- */
void guidance_add(struct pane *pane); /* on mixed precision */
void guidance_list(FILE *out);
/* CONTEXT first, then everything. */
struct pane *help_pane(enum context context, bool ascii);

/* ---- menus.c ---- */
void menus_open_actions(struct app *app);
void menus_open_options(struct app *app);
void menus_open_themes(struct app *app); /* shows each in use while the cursor is on it */

/* ---- command_line.c ---- */
/* Run a command line, without its ':'. False with ERROR, which is also shown. */
bool command_run(struct app *app, const char *line, struct error *error);
/* Show the table in a scope that is narrowed to the ARGUMENT of WHAT ("rank"). */
bool command_narrow(struct app *app, const char *what, const char *argument, struct error *error);

/* Completion of words at the prompts (complete.c). */
struct completion_word;
typedef void word_list(struct completion_word *word);
word_list offer_views, offer_columns, offer_groups, offer_themes, offer_options, offer_lanes;
word_list offer_plots, offer_bindings, offer_baselines, offer_runs, offer_query, offer_edits;
word_list offer_names;

typedef bool command_runner(struct app *app, const char *argument, struct error *error);

struct command_info {
	const char *name, *arguments, *help;
	word_list *words; /* that its arguments may be; NULL: any */
	command_runner *run;
	enum query_part part; /* for commands that set a part of the pane */
};
const struct command_info *command_at(size_t index); /* NULL past the end */

/* ---- export_menu.c: commands that write files ---- */
command_runner export_write, export_plain, export_screen, export_screenshot, export_config;
command_runner show_configuration, config_reload; /* the latter in app.c */
command_runner go_run;                            /* in palette.c */
command_runner run_choose, span_choose, worker_choose, runs_add, what_if_run;

/* ---- source.c: the source line of the selected row ---- */
/* Show it, or (EDIT) open the editor there. */
void source_show(struct app *app, bool edit);
bool source_can(struct app *app);
/* Link the place in code that the selected row or its DETAILS in the STRIP name, if it is here. */
void source_link(struct app *app, struct rect strip, const char *details);
/* Send the screen with the link, of which curses does not know. */
void source_link_draw(struct app *app);
void source_links_free(struct source_links *links); /* forgets where files are, too */
void source_edit(struct tui *tui, const char *path, int64_t line); /* see tui_host */
/* Look for files whose recorded path begins with FROM (NULL: is relative) in TO. */
void source_map(struct app *app, const char *from, const char *to);
command_runner source_command;

/* ---- complete.c ---- */
void complete_line(void *app, const char *line, size_t cursor, struct completion *completion);

/* ---- palette.c ---- */
/* Complete COMMAND with the names to go to that have this PART, in any case. */
void palette_offer(struct app *app, const char *part, const char *command,
		   struct completion *completion);

/* ---- option.c: options of :set ---- */
struct option_info {
	const char *name, *help;
	size_t offset; /* of its flag in struct settings */
};
bool *option_flag(struct settings *settings, const struct option_info *option);
const struct option_info *option_at(size_t index); /* NULL past the end */
bool option_set(struct app *app, const char *name, const char *value, struct error *error);
