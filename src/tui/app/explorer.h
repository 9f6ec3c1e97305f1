/*
 * The explorer: the full-screen front end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct load_options;
struct scope;

enum tui_color { TUI_COLOR_AUTO, TUI_COLOR_NEVER, TUI_COLOR_ALWAYS };

/* All zero is the default; pointers must stay valid during tui_main. */
struct tui_options {
	const char *const *paths; /* the ranks of one run */
	size_t path_count;
	const char *base;                /* base run; NULL: none */
	const struct load_options *load; /* NULL: the reader's defaults */
	const struct scope *scope;       /* initial scope; NULL: everything */
	const char *view;                /* initial view; NULL: dashboard */

	/*
	 * File of keys and commands to play ("-": standard input). A line starting with ':' is a
	 * command; other lines are keys, as characters or names: "jj <Enter> /conv<Enter>" (blanks
	 * separate, <Space> is the key). '#' starts a comment line. Loading and view builds are
	 * awaited. Unless SIZE is "terminal", no terminal is used and the explorer exits after the
	 * script.
	 */
	const char *script;
	const char *size; /* "160x45" for scripts, or "terminal"; NULL: 160x45 */

	const char *config; /* configuration file instead of the user's; NULL: the user's */
	bool ignore_config; /* read no default configuration; scripts never do */
	const char *theme;  /* name or path; NULL: from STRATA_THEME or the configuration */
	enum tui_color color;
	bool follow;   /* read on when files grow */
	bool no_state; /* neither load nor save state */
	bool ascii;    /* ASCII only */
	bool braille;  /* plot with braille dots */
	bool mouse;
};

/*
 * Run the explorer. Returns the exit status: 0, 2 (usage error, no usable terminal), 4 (unreadable
 * input), 5 (:save-screen or :write failed in a script), 130 (loading cancelled), 128+N (terminated
 * by signal N). Messages go to standard error after the terminal was restored.
 */
int tui_main(const struct tui_options *options);

/*
 * Print actions, keys and help texts for --list-keys, with the bindings of OPTIONS' configuration.
 * Returns the exit status.
 */
int tui_list_keys(const struct tui_options *options, FILE *out);
/*
 * List WHAT, one per line, tab-separated: "commands" and "config" (name, arguments, help), "themes"
 * (name). False if there is no such list.
 */
bool tui_list(const char *what, FILE *out);
