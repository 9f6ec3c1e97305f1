/*
 * Common parts of all commands: progress, signals, messages, exit status, opening files.
 */
#pragma once

#include "base/error.h"
#include "base/sandbox.h"
#include "cli/options.h"

/* Exit statuses; scripts depend on them. */
enum status {
	STATUS_DONE = 0,
	STATUS_NO_MATCH = 1,
	STATUS_SLOWER = 1, /* diff --fail-above */
	STATUS_USAGE = 2,
	STATUS_DAMAGED = 3,
	STATUS_REFUSED = 3, /* whatif: nothing is predicted */
	STATUS_INPUT = 4,
	STATUS_OUTPUT = 5,
	STATUS_INCOMPARABLE = 6, /* diff: half of a run, or --fail-above has no answer */
	STATUS_INTERRUPTED = 130,
};

struct session {
	struct options *options; /* a command may narrow them */
	struct progress progress;
	struct error error;
	char **paths; /* files and directories, as given */
	size_t path_count;
	struct device_peaks *peaks; /* the user's; used by the run */
	struct load_options load;   /* from the options, with these values */
	struct inputs *inputs;      /* besides those of the run */
	struct run *run;
	char *cache;   /* index directory; NULL: none */
	char *base;    /* path of the base run, by path or name; NULL: none */
	char *history; /* directory of the base run's history; NULL: it is no baseline */
	char *nsys;    /* path of the program; NULL: none */

	/* of the progress line */
	bool visible, shown;
	const char *stage;
	int64_t next_ns;
};

/* Start a command. From here on an interrupt cancels the work instead of ending the process. */
void session_begin(struct session *session, struct options *options);

/* Open the words from FIRST on (or the sample run) as ranks of one run. */
bool session_open(struct session *session, size_t first);

/* The rows of VIEW by GROUP in the scope of the options; NULL with the session's error. */
struct table *session_table(struct session *session, const struct view *view, const char *group);

/* Determine paths and load options of session_open without opening. */
bool session_find_paths(struct session *session, size_t first);

/* Path of a program among the directories of PATH, or NULL; free with mem_free. */
char *session_find_program(const char *name);

/*
 * Give up the right to run programs, to use the network, and to use files other than the paths,
 * what is beside them, the outputs of the options and the cache: before the first foreign byte is
 * parsed. Returns what holds; nothing if nsys may have to convert a report.
 */
struct sandbox_state session_confine(struct session *session);

/* Print the error; returns the exit status. */
int session_fail(struct session *session);

/* Set an ERROR_USAGE, as error_set, and print it; the exit status. */
#define session_refuse(session, ...)                                                               \
	(error_set(&(session)->error, ERROR_USAGE, __VA_ARGS__), session_fail(session))

/* Print a hint on standard error, unless --quiet. */
void session_note(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Note which of several runs is shown, unless it was chosen. */
void session_note_runs(struct session *session);

/* Print a warning, even with --quiet. */
void session_warn(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* STATUS, or STATUS_DAMAGED if the input was damaged and --strict is given. */
int session_status(struct session *session, int status);

/* Did the file of a rank in memory end early? */
bool session_truncated(const struct run *run);

/* Clear the progress line; call before printing anything. */
void session_clear_progress(struct session *session);

void session_end(struct session *session);
