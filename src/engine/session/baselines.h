/*
 * Baselines: names of runs to compare with, kept in a file of lines "NAME<TAB>PATH". The summaries
 * of their ranks are in a directory beside it, so that a run may change or vanish.
 */
#ifndef STRATA_SESSION_BASELINES_H
#define STRATA_SESSION_BASELINES_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct baseline {
	char *name, *path; /* PATH is absolute */
};

struct baselines {
	struct baseline *items; /* sorted by name */
	size_t count, capacity;
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

/* The path of the summary of NAME; the caller frees it. */
char *baselines_summary(const char *file, const char *name);

/*
 * The path that WORD means: WORD itself when it exists or FILE (may be NULL) has no such baseline;
 * of a baseline its run if that is as it was, else its summary. Free with mem_free.
 */
char *baselines_resolve(const char *file, const char *word);

#endif
