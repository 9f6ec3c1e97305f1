/*
 * Baselines: names of runs to compare with, kept in a file of lines "NAME<TAB>PATH". The summaries
 * of their runs, one for each time that a name was added, are in a directory beside it: a run may
 * change or vanish, and the history stays.
 */
#pragma once

#include "base/mem.h"

struct error;

struct baseline {
	char *name, *path; /* PATH is absolute */
};

struct baselines {
	GROWING(struct baseline, items, count); /* sorted by name */
};

/* Read FILE; without it there are none. False with ERROR. Free with baselines_free either way. */
bool baselines_read(struct baselines *baselines, const char *file, struct error *error);
void baselines_free(struct baselines *baselines);

/* Add or replace. False with ERROR_USAGE when NAME may not be one, or PATH does not exist. */
bool baselines_add(struct baselines *baselines, const char *name, const char *path,
		   struct error *error);
bool baselines_remove(struct baselines *baselines, const char *name); /* false: there is none */

/* Replace FILE atomically, making its directory. False with ERROR_OUTPUT. */
bool baselines_write(const struct baselines *baselines, const char *file, struct error *error);

/* Letters, digits and -_.@: also of a label. */
bool baselines_is_name(const char *name);

/*
 * The directory of the summaries of NAME, one for each time that it was added, which may not exist;
 * NULL: that is no name. The path of the next one, LABEL NULL: none. The caller frees them.
 */
char *baselines_history(const char *file, const char *name);
char *baselines_new_summary(const char *file, const char *name, const char *label);
void baselines_forget(const char *file, const char *name); /* remove all summaries */

/*
 * The path that WORD means: WORD itself when it exists or FILE (may be NULL) has no such baseline;
 * of a baseline its run if that is as it was, else its summary. Free with mem_free.
 */
char *baselines_resolve(const char *file, const char *word);
