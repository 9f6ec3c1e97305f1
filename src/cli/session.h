/*
 * What every command does around its work: progress on standard error, signals, messages, the exit
 * status, opening the files.
 */
#ifndef STRATA_CLI_SESSION_H
#define STRATA_CLI_SESSION_H

#include "base/error.h"
#include "cli/options.h"

/* The exit statuses that scripts rely on. */
enum status {
	STATUS_DONE = 0,
	STATUS_NO_MATCH = 1,
	STATUS_SLOWER = 1, /* of diff --fail-above */
	STATUS_USAGE = 2,
	STATUS_DAMAGED = 3,
	STATUS_INPUT = 4,
	STATUS_OUTPUT = 5,
	STATUS_INTERRUPTED = 130,
};

struct session {
	const struct options *options;
	struct progress progress;
	struct error error;
	char **paths; /* files and directories, as given */
	size_t path_count;
	struct device_peaks *peaks; /* the user's own; the run asks them */
	struct load_options load;   /* of the options, with these */
	struct run *run;
	char *cache; /* directory of indexes; NULL: there is none */

	/* of the progress line */
	bool visible, shown;
	const char *stage;
	int64_t next_ns;
};

/* Begin a command.  From here on an interrupt cancels the work instead of ending the process. */
void session_begin(struct session *session, struct options *options);

/* Open the words from FIRST on (or the sample run) as the ranks of one run. */
bool session_open(struct session *session, size_t first);

/* The paths that session_open would open, and how, without doing so. */
bool session_find_paths(struct session *session, size_t first);

/* What went wrong as a message and an exit status. */
int session_fail(struct session *session);

/* A hint or a note on standard error, unless it was asked to be quiet. */
void session_note(struct session *session, const char *text);

/* The same of what the user should know however quiet it is to be. */
void session_warn(struct session *session, const char *text);

/* STATUS, or that the input was damaged when --strict asks for it. */
int session_status(struct session *session, int status);

/* Take the progress line away; call it before anything is printed. */
void session_hush(struct session *session);

void session_end(struct session *session);

/* Where strata's own data file NAME is, or NULL.  The caller frees it. */
char *session_data_file(const char *name);

#endif
