/*
 * The explorer: the full-screen face of a run.
 */
#ifndef STRATA_TUI_APP_EXPLORER_H
#define STRATA_TUI_APP_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct load_options;
struct scope;

enum tui_color { TUI_COLOR_AUTO, TUI_COLOR_NEVER, TUI_COLOR_ALWAYS };

/* All zero is the default; every pointer is the caller's and must outlive tui_main. */
struct tui_options {
	const char *const *paths; /* the ranks of one run */
	size_t path_count;
	const char *base;                /* the run to compare with; NULL: none */
	const struct load_options *load; /* NULL: the reader's defaults */
	const struct scope *scope;       /* where to begin; NULL: everything */
	const char *view;                /* the view to land on; NULL: overview */

	/*
	 * Keys and commands to play, a file ("-": standard input).  A line that begins with ':' is
	 * a command; any other is keys, written as themselves or by name: "jj <Enter> /conv<Enter>"
	 * (blanks separate, <Space> is the key).  '#' begins a comment line.  Loads and view builds
	 * are waited for.  Without SIZE "terminal" no terminal is used at all and the explorer ends
	 * with the script.
	 */
	const char *script;
	const char *size; /* "160x45" for scripts, or "terminal"; NULL: 160x45 */

	const char *config; /* a configuration to read instead of the user's; NULL: theirs */
	bool ignore_config; /* read none; a script reads none but one that is given here */
	const char *theme;  /* name or path; NULL: as STRATA_THEME, the configuration say */
	enum tui_color color;
	bool no_state; /* remember nothing, and nothing of before */
	bool passing;  /* the profile is none of the user's: nothing is kept of it */
	bool ascii;    /* nothing but 7-bit characters */
	bool braille;  /* plots in dots */
	bool mouse;
};

/*
 * Run the explorer.  Returns the exit status: 0, 2 (wrong use, no usable terminal), 4 (the input
 * cannot be read), 5 (a script's :save-screen or :write failed), 130 (loading was cancelled), 128+N
 * (ended by signal N).  Messages go to standard error, with the terminal as it was.
 */
int tui_main(const struct tui_options *options);

/*
 * The table of actions, keys and help sentences, as --list-keys prints it: the keys as OPTIONS'
 * configuration binds them.  Returns the exit status.
 */
int tui_list_keys(const struct tui_options *options, FILE *out);
/*
 * What there is of WHAT, a line each with tabs between its parts: "commands" of the prompt and what
 * a "config" may say (name, arguments, help), "themes" (name).  False: no such list.
 */
bool tui_list(const char *what, FILE *out);

#endif
