/*
 * Opens runs: finds the files, reads them, derives facts, and keeps ranks in memory while they are
 * used.
 */
#pragma once

#include "session/index.h"
#include "derived/derived.h"
#include "model/run.h"

/*
 * Converts reports of Nsight Systems (.nsys-rep, .qdrep) to SQLite with the program nsys, once: the
 * result stays in the directory of indexes.
 */

struct convert_options {
	const char *program;      /* path of nsys; NULL: reports are not converted */
	char *const *environment; /* of the program, as for execve */
};

/*
 * The path of the database made from the report at PATH, in DIRECTORY, which is created if missing;
 * free with mem_free. NULL with ERROR, the last line that nsys printed, if it refuses the report;
 * ERROR_CANCELLED ends it. No shell is involved.
 */
char *convert_report(const char *path, const char *directory, const struct convert_options *options,
		     const struct progress *progress, struct error *error);

/* Reading options; all zero is the default. */
struct load_options {
	struct derived_options derived;
	/*
	 * Where steps are from: a source (step_source.h), the name of a range, or an op whose
	 * iterations they are (struct step_rule); NULL: the profile's own or the first source.
	 */
	const char *key_node;
	const char *sample_type; /* of profiles that have several; NULL: their default */
	struct index_options index;
	struct convert_options convert; /* into the directory of the index */
	const char *edits; /* the times are those predicted under them (whatif_scenario.h); NULL */
	const char *history; /* directory of summaries of earlier runs (run_history.h); NULL */
	const char *gpu;     /* the device (device_peaks_find) of profiles that record none; NULL */
	bool no_python;      /* omit Python functions other than module calls */
	bool one_rank;       /* read only the file of RANK (run_files_choose) */
	bool one_run;        /* read only the files of RUN_NAME */
	bool from_trace;     /* of summaries: open the trace of RANK in place of its summary */
	int64_t rank;
	size_t run, span;     /* which of several (recordings.h), from 1; 0: the first */
	const char *run_name; /* instead of RUN (session/runs/runs.h); NULL: by number */
	size_t together; /* the first paths, which are of one run; the others are runs of their own.
			    0: all */
	/*
	 * Read only the rows of these steps (step_survey.h), always with ONLY_STEPS, otherwise if
	 * the trace would not fit in memory.
	 */
	bool has_steps, only_steps;
	int64_t step_first, step_last;
	uint64_t memory_max; /* memory limit of the process while reading, in bytes; 0: none */
};

/*
 * Open COUNT files and directories as the ranks of one run. Non-profiles in a directory are
 * skipped. NULL with ERROR if a named file, or everything in a directory, cannot be read. OPTIONS
 * are copied. The caller frees the run. Any thread.
 */
struct run *run_open(const char *const *paths, size_t count, const struct load_options *options,
		     const struct progress *progress, struct error *error);
void run_free(struct run *run); /* NULL is allowed; abandons an index being written */

/*
 * The bytes received of a file that is still being read; at most TEXT_MAX bytes of text are parsed.
 */
struct run_prefix {
	const void *bytes;
	size_t length;
	uint64_t text_max;
};

/*
 * Open the prefix of a file for a preview while it is loading. NULL with ERROR if it has no events
 * yet, or the format cannot be previewed.
 */
struct run *run_open_prefix(const char *path, const struct run_prefix *prefix,
			    const struct load_options *options, const struct progress *progress,
			    struct error *error);

/* Wait until pending indexes are written. */
void run_settle(const struct run *run); /* NULL is allowed */

/* Set the base run for comparison; RUN takes ownership. */
void run_compare(struct run *run, struct run *base);

/*
 * The rank with this number, loaded and held until released as often as acquired. Loading may be
 * slow: other ranks stay usable, and a second thread requesting the rank waits for the first.
 * PROGRESS cancels either. NULL with ERROR: no such rank, cancelled, or the file can no longer be
 * read.
 */
struct rank *run_acquire(const struct run *run, int64_t number, const struct progress *progress,
			 struct error *error);
/* The rank of RUN's base; if the base has one rank, always that one. */
struct rank *run_acquire_base(const struct run *run, int64_t number,
			      const struct progress *progress, struct error *error);
/* The rank if loaded, otherwise NULL. Never blocks: for drawing. Must be released, too. */
struct rank *run_peek(const struct run *run, int64_t number);
/*
 * Frees no memory, so it may be called from any thread: unused ranks are evicted when one is
 * acquired.
 */
void run_release(const struct run *run, const struct rank *rank); /* NULL rank is allowed */
/* So for a pointer to a rank, at the end of its block. */
#define AUTO_RANK AUTO(run_release_held) /* base/mem.h */
void run_release_held(void *held);

/* Data derived from a held rank grew from BEFORE to NOW bytes; it counts in the memory limit. */
void run_charge(const struct run *run, size_t before, size_t now);

/* True if part of the input was skipped or repaired. */
bool run_damaged(const struct run *run);
