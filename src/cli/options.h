/*
 * The command-line options: one table for parser and help.
 */
#pragma once

#include "attach/attach.h"
#include "session/load.h"
#include "report/preset.h"
#include "tui/app/explorer.h"

/* Commands that accept an option; a command's set is in struct command. */
enum option_set {
	FOR_OPEN = 1, /* the explorer */
	FOR_REPORT = 2,
	FOR_QUERY = 4,
	FOR_EXPORT = 8,
	FOR_INFO = 16,
	FOR_VIEWS = 32,
	FOR_DIFF = 64,
	FOR_CACHE = 128,
	FOR_SERVE = 256,
	FOR_AGENT = 512,
	FOR_SUMMARIZE = 1024,
	FOR_MERGE = 2048,
	FOR_BASELINE = 4096,
	FOR_DOCTOR = 8192,
	FOR_WHATIF = 16384,
	FOR_ATTACH = 32768,
};

enum option_action { ACTION_RUN, ACTION_HELP, ACTION_VERSION, ACTION_LIST_KEYS, ACTION_LIST };

#define WIDTH_OF_TERMINAL SIZE_MAX

struct options {
	enum option_action action;

	const struct format *format;
	struct extract_options extract;
	struct preset_options preset;
	const char *group;                         /* NULL: the view's default */
	char *edits;                               /* a group of the view whatif; NULL: none */
	const char *output;                        /* NULL: standard output */
	const char *output_path;                   /* directory; NULL: output */
	const char *base_name, *formats, *reports; /* of a tool's files; lists; NULL: all */
	bool force;                                /* replace a read-only file */
	bool all_ranks;                            /* merge the rows of all ranks */
	size_t width;                              /* or WIDTH_OF_TERMINAL */
	size_t height;                             /* plots; 0: default */
	bool svg;                                  /* --format svg; plots only */
	const char *search;                        /* flame graphs */
	bool raw, strict, quiet, envelope;
	int verbose;

	struct scope scope;
	bool narrowed; /* a scope option was given */
	struct load_options load;
	const char *label;        /* of a run that is added to a baseline; NULL: none */
	const char *device_peaks; /* a file; NULL: the default file */
	bool sandbox;             /* say what it keeps */
	bool show_secrets;        /* in metadata */
	bool csv_safe;            /* texts of CSV and TSV harm neither terminals nor spreadsheets */
	bool no_cache, clear, every_edit;
	bool memory_given; /* --max-memory was given */

	/* limits of an answer of strata serve */
	bool stdio;
	size_t max_rows, max_bytes, max_seconds;

	const char *sqlite, *trace, *stacks, *speedscope, *net_dict; /* files to export to */
	const char *base;                                            /* baseline run; NULL: none */
	double fail_above; /* percent; negative: not given */

	const char *view, *script, *size, *theme; /* explorer only */
	enum tui_color color;
	const char *config, *list;
	bool ascii, braille, mouse, ignore_config, no_state, follow;

	struct trace_request ask; /* of attach */
	int32_t within_ms;        /* processes poll; Kineto does every five seconds */
	size_t pid, job;          /* 0: not given */
	const char *http;         /* a server to record; NULL: processes */
	bool all_processes, summarize;

	const char **words; /* non-option words, in order; paths last */
	size_t slice_count;
	bool demo; /* use the sample run as path */
};

/*
 * Parse ARGV from index 1 on for the command with SET. False with ERROR_USAGE. Call options_clear
 * in either case.
 */
bool options_parse(struct options *options, int argc, char **argv, unsigned set,
		   struct error *error);
void options_clear(struct options *options);

/*
 * Index in ARGV of the first word that is neither an option of any command nor an option's value.
 * 0: none, unknown option, or only paths after "--".
 */
int options_first_word(int argc, char **argv);

/* Help lines of all options in SET. */
void options_help(FILE *out, unsigned set, int width);

/* Print TEXT from COLUMN on, in lines of WIDTH columns; 0: in one. */
void options_wrap(FILE *out, const char *text, int column, int width);
