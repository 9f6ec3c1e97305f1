/*
 * The history of a run: the summaries in a directory, one a run in the order of their names, the
 * times of their rows, and where these change.
 */
#pragma once

#include "analysis/change_point.h"

struct error;

enum history_kind { HISTORY_STEP, HISTORY_LAYER, HISTORY_OPERATOR, HISTORY_FAMILY, HISTORY_KINDS };

struct history_run {
	char *path;
	char *label;   /* from the name: what follows the time, or the name itself */
	int64_t start; /* absolute ns; NO_VALUE: unknown */
	bool unread;   /* damaged, or no summary: it has no times */
};

/* A step, or a layer, operator or kernel family of the lowest rank. */
struct history_row {
	enum history_kind kind;
	const char *name;
	double *ns;   /* by run: of the median step, or in a step of the mean; NAN: not there */
	size_t known; /* runs in which it is */
	struct change_point change; /* FIRST is a run */
};

struct run_history {
	struct history_run *runs;
	size_t count;
	struct history_row *rows; /* by kind, what changed by most first */
	size_t row_count;
	struct intern *names;
};

/* NULL with ERROR: the directory cannot be read or has no summary; cancelled. */
struct run_history *run_history_read(const char *directory, const struct progress *progress,
				     struct error *error);
void run_history_free(struct run_history *history); /* NULL is fine */

/* The path of the last run, which the caller frees; NULL: there is none. */
char *run_history_newest(const char *directory);
/* Remove all runs, and the directory if nothing else is in it. */
void run_history_remove(const char *directory);

const char *run_history_kind_name(enum history_kind kind);

/*
 * The row whose change makes a run slower than those before it: the step, else the row that became
 * slower by most. NULL: none did.
 */
const struct history_row *run_history_worst(const struct run_history *history);
