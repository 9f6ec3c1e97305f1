/*
 * The commands of the command line.
 */
#pragma once

#include "cli/session.h"

typedef int command_function(struct session *session); /* returns the exit status */

struct command {
	const char *name;  /* NULL: the explorer */
	const char *usage; /* text after the name */
	const char *summary;
	unsigned set; /* its options: an enum option_set */
	command_function *run;
	bool alone; /* takes no argument */
};

command_function command_open, command_report, command_diff, command_bisect, command_query,
	command_export, command_info, command_whatif, command_views, command_agent, command_serve,
	command_summarize, command_merge, command_cache, command_baseline, command_history,
	command_doctor, command_attach;

/* Open the explorer on the paths from word FIRST on. */
int explore(struct session *session, size_t first);
/* The version of the program and of its libraries. */
void print_version(FILE *out);
/* List everything `strata report` accepts, one a line. */
void list_reports(FILE *out);
/* Does `strata report` take this word: a view, preset or picture? */
bool is_report(const char *word);
void list_detectors(FILE *out); /* id, title and condition of each, separated by tabs */
void list_gpus(FILE *out);      /* names of --gpu */
/* --list-keys, with the bindings of the configuration in OPTIONS; returns the exit status. */
int list_keys(const struct options *options);

/*
 * `strata report VIEW` on the paths from word FIRST on, for commands that are aliases of a report.
 */
int report_view(struct session *session, const struct view *view, size_t first);
struct picture;
int report_picture(struct session *session, const struct picture *picture, size_t first);

/* The plot of a report name ("plot-memory"), or NULL; and its report. */
struct plot_kind;
const struct plot_kind *plot_of_word(const char *word);
int report_plot(struct session *session, const struct plot_kind *kind);

/* An HTML page of a picture, or (NULL) of all pictures, plots and views. */
struct picture;
int report_page(struct session *session, const struct picture *picture);

/* Line width, 0: unlimited; and whether non-ASCII characters may be printed. */
int print_width(const struct options *options);
bool print_unicode(const struct options *options);
/*
 * Are texts to have colors? --color says it, or the environment (NO_COLOR, CLICOLOR_FORCE), or that
 * they go to a terminal.
 */
bool print_color(const struct options *options);
/* Does -f svg, or the name of the output, ask for SVG? */
bool print_wants_svg(const struct options *options);

/* The output of the options: open, and put in place if DONE. False with the session's error. */
bool print_open(struct session *session, struct output *output);
bool print_close(struct session *session, struct output *output, bool done);
/* Tell if the file PATH could not be replaced atomically; NULL is fine. */
void print_place(struct session *session, const char *path);

/* Print a table as OPTIONS say; returns the exit status. */
int print_table(struct session *session, const struct table *table);
