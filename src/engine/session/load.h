/*
 * From paths to a run: find the files, read each (input), derive the facts (analysis), keep in
 * memory what is looked at.
 */
#ifndef STRATA_SESSION_LOAD_H
#define STRATA_SESSION_LOAD_H

#include "session/index.h"
#include "base/progress.h"
#include "facts/facts.h"
#include "model/run.h"

struct error;

/* Choices of how to read; all zero is the default. */
struct load_options {
	struct facts_options facts;
	const char *
		key_node; /* the op whose iterations are the steps (struct step_rule), NULL: none */
	struct index_options index;
	bool no_python; /* leave out Python functions that are no module calls */
	bool one_rank;  /* read nothing of other ranks than RANK (run_files_choose) */
	int64_t rank;
	/*
	 * Of a trace that would not fit, or of any with ONLY_STEPS, read no rows but those of these
	 * steps (step_survey.h).
	 */
	bool has_steps, only_steps;
	int64_t step_first, step_last;
	uint64_t memory_max; /* bytes that the process may hold while a file is read; 0: any */
};

/*
 * Open COUNT files and directories as the ranks of one run.  A directory stands for the profiles in
 * it; files there that are none are left out.  NULL with ERROR when a file that was named, or all
 * of a directory, cannot be read at all.  OPTIONS are copied.  The caller frees the run.  May run
 * in any thread.
 */
struct run *run_open(const char *const *paths, size_t count, const struct load_options *options,
		     const struct progress *progress, struct error *error);
void run_free(struct run *run); /* NULL is fine; an index still being written is given up */

/* What there is of a file that is still being read, in memory; used up to TEXT_MAX bytes of text.
 */
struct run_begin {
	const void *bytes;
	size_t length;
	uint64_t text_max;
};

/*
 * The run of one file as far as its begin tells it, to be looked at until all of it is read.  NULL
 * with ERROR when there is nothing in it yet, or the file is of a kind that has no begin.
 */
struct run *run_open_begin(const char *path, const struct run_begin *begin,
			   const struct load_options *options, const struct progress *progress,
			   struct error *error);

/* Wait until the index of what was opened is written. */
void run_settle(const struct run *run); /* NULL is fine */

/* Compare RUN with BASE from now on; RUN owns it. */
void run_compare(struct run *run, struct run *base);

/*
 * The rank with this number, its profile and facts in memory until it is released as often as it
 * was acquired.  It may be read from its file, which takes long: other ranks stay usable, and a
 * second thread that wants the same one waits for the first.  PROGRESS stops either.  NULL with
 * ERROR: no such rank, cancelled, or its file can no longer be read.
 */
struct rank *run_acquire(const struct run *run, int64_t number, const struct progress *progress,
			 struct error *error);
/* The same of what RUN is compared with; of a base of one rank always that one. */
struct rank *run_acquire_base(const struct run *run, int64_t number,
			      const struct progress *progress, struct error *error);
/* The rank if it is in memory, else NULL: for drawing, never waits.  It is released as well. */
struct rank *run_peek(const struct run *run, int64_t number);
/* Frees no memory, so that any thread may: what nobody holds goes when a rank is acquired. */
void run_release(const struct run *run, const struct rank *rank); /* NULL rank is fine */

/*
 * What was derived from a rank that is held takes NOW bytes, BEFORE until now: they count in the
 * budget of memory beside the profile's own.
 */
void run_charge(const struct run *run, const struct rank *rank, size_t before, size_t now);

/* Was anything in the input skipped or repaired? */
bool run_damaged(const struct run *run);

#endif
