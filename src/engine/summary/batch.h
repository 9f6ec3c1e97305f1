/*
 * The files that summarize and merge work on, each on its own: one that is damaged is reported, and
 * the others go on.
 */
#pragma once

#include "summary/merge_summaries.h"

struct load_options;

/* ---- the summary of a trace: a file with a block for each of its ranks ---- */

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

/* ---- the files of a batch ---- */

struct batch {
	struct batch_file {
		char *path;
		char *folder; /* way from the named directory, "": the directory itself */
	} * files;
	size_t count;
	struct inputs *inputs; /* the same files: none of them is written */
};

/* Texts are copied. */
void batch_add(struct batch *batch, const char *path, const char *folder);
/* The paths, for a merge; the caller frees the array. */
const char **batch_paths(const struct batch *batch);

/*
 * NAMED files and those in NAMED directories: of directories, summaries for a merge
 * (WANT_SUMMARIES), otherwise profiles. False with ERROR if a directory cannot be listed. Free in
 * either case.
 */
bool batch_find(struct batch *batch, const char *const *named, size_t count, bool want_summaries,
		struct error *error);
void batch_free(struct batch *batch);

/*
 * Two traces whose summaries would be one file, as an error; true without any. Summaries are in
 * folders as their traces are in the named directory.
 */
bool batch_check_names(const struct batch *batch, struct error *error);

enum batch_result { BATCH_WRITTEN, BATCH_CURRENT, BATCH_FAILED };

/* Summarize file FILE, with the rest of JOB, unless its summary is current. */
enum batch_result batch_summarize(const struct batch *batch, size_t file,
				  const struct summary_job *job, const struct progress *progress,
				  struct error *error);

/* Append "summaries written: 3, up to date: 1", of how many had each result. */
void batch_describe(struct buffer *out, const uint64_t results[BATCH_FAILED + 1]);

/* What wrote a summary, and the options that change it; the caller frees. */
char *batch_made(const struct load_options *load);
