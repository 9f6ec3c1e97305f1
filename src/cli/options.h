/*
 * The options of the command line: one table, from which come the parser and the help.
 */
#ifndef STRATA_CLI_OPTIONS_H
#define STRATA_CLI_OPTIONS_H

#include "session/load.h"
#include "model/scope.h"
#include "report/preset.h"
#include "tui/app/explorer.h"

#include <stdio.h>

/* The commands an option belongs to; all of its bits in struct command. */
enum option_set {
	FOR_OPEN = 1, /* the explorer */
	FOR_REPORT = 2,
	FOR_QUERY = 4,
	FOR_EXPORT = 8,
	FOR_INFO = 16,
	FOR_VIEWS = 32,
	FOR_DIFF = 64,
	FOR_CACHE = 128,
};

enum action { ACTION_RUN, ACTION_HELP, ACTION_VERSION, ACTION_LIST_KEYS, ACTION_LIST };

struct options {
	enum action action;

	const struct format *format;
	struct extract_options extract;
	struct preset_options preset;
	const char *group;  /* NULL: the view's first */
	const char *output; /* NULL: standard output */
	long width;         /* -1: what the terminal has */
	long height;        /* of a plot; 0: as the plot likes */
	bool svg;           /* asked for as the format: of plots alone */
	const char *search; /* of a flame graph */
	bool raw, strict, quiet;
	int verbose;

	struct scope scope;
	bool narrowed; /* an option of the scope was given */
	struct load_options load;
	const char *device_peaks; /* a file; NULL: the user's default one */
	bool no_cache, clear;
	bool memory_given; /* --max-memory; else the session chooses */

	const char *sqlite, *trace, *stacks; /* files to export to */
	const char *base;                    /* the run to compare with; NULL: none */
	double fail_above;                   /* percent; negative: not asked for */

	const char *view, *script, *size, *theme; /* of the explorer */
	enum tui_color color;
	const char *config, *list;
	bool ascii, braille, mouse, ignore_config, no_state;

	const char **words; /* what is no option, in order; paths come last */
	size_t word_count;
	bool demo; /* the sample run stands for a path */
};

/*
 * Read ARGV from index 1 on for a command whose set is SET.  False with ERROR_USAGE.  The caller
 * calls options_clear either way.
 */
bool options_parse(struct options *options, int argc, char **argv, unsigned set,
		   struct error *error);
void options_clear(struct options *options);

/*
 * Index in ARGV of the first word that is no option of any command and no value of one.  0: there
 * is none, an option is not known, or "--" says that only paths follow.
 */
int options_first_word(int argc, char **argv);

/* The help lines of every option of SET. */
void options_help(FILE *out, unsigned set);

#endif
