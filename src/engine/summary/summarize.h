/*
 * Writes the summary of a trace: a file with a block for each of its ranks.
 */
#ifndef STRATA_SUMMARY_SUMMARIZE_H
#define STRATA_SUMMARY_SUMMARIZE_H

#include "base/progress.h"

#include <stdbool.h>
#include <stdint.h>

struct error;
struct load_options;

struct summary_job {
	const char *trace;     /* path */
	const char *directory; /* where the summary goes, created if missing */
	const struct load_options *load;
	int64_t rank;     /* of a trace that does not say; NO_VALUE: unknown */
	const char *made; /* what wrote it, and options that matter: others make it out of date */
	bool force;       /* replace a read-only file */
};

/* Is the summary there, and of the trace as it is now? */
bool summary_is_current(const struct summary_job *job);

/* Write it, atomically. False with ERROR. */
bool summary_write(const struct summary_job *job, const struct progress *progress,
		   struct error *error);

/*
 * Write the summaries of all ranks of the run that COUNT PATHS are, traces and summaries, to one
 * file of JOB's directory, named NAME. JOB needs no trace. False with ERROR.
 */
bool summary_write_run(const char *const *paths, size_t count, const struct summary_job *job,
		       const char *name, const struct progress *progress, struct error *error);

#endif
