/*
 * From paths to a run: read every file (input), derive the facts (analysis).
 */
#ifndef STRATA_ANALYSIS_LOAD_H
#define STRATA_ANALYSIS_LOAD_H

#include "base/progress.h"
#include "model/run.h"

struct error;

/* Choices of how to read; all zero is the default. */
struct load_options {
	const char *step_name;	/* regular expression of what is a step, NULL: ProfilerStep#N */
	bool attribute_by_execution;	/* device work belongs to the step it ran in, not its launch */
};

/*
 * Open COUNT files as the ranks of one run.  NULL with ERROR when any cannot be read at all.
 * The caller frees the run.  May run in any thread.
 */
struct run *run_open(const char *const *paths, size_t count, const struct load_options *options,
		     const struct progress *progress, struct error *error);
void run_free(struct run *run);		/* NULL is fine */

/* Was anything in the input skipped or repaired? */
bool run_damaged(const struct run *run);

#endif
