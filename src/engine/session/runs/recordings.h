/*
 * Tells ranks from other files that are opened together: spans of one worker (recordings of one
 * process one after another) and separate runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct error;
struct rank;
struct run;

struct process_recording {
	const char *run_name; /* NULL: by number */
	size_t run, span;     /* from 1; 0: the first */
};

/*
 * Number the runs and spans of all ranks of RUN, and keep as ranks only those of the run and the
 * span of each worker that are WANTED; the others go to run->others. Spans are files of one folder
 * with one pid, host, device and rank, and disjoint times less than a day apart; or with one worker
 * in their names, HOST_PID.TIME.pt.trace.json, at any later time or without pids. False with
 * ERROR_USAGE if there is no such run or span.
 */
bool recordings_choose(struct run *run, const struct process_recording *wanted,
		       struct error *error);

/* Are they of one process: pid, host and rank, as far as these are known? Graphs are of one. */
bool recordings_same_process(const struct rank *a, const struct rank *b);
