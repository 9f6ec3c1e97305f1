/*
 * Tells ranks from other files that are opened together: spans of one worker (recordings of one
 * process one after another) and separate runs.
 */
#ifndef STRATA_SESSION_RECORDINGS_H
#define STRATA_SESSION_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct run;

/*
 * Number the runs and spans of all ranks of RUN, and keep as ranks only those of run RUN_WANTED and
 * span SPAN_WANTED of each worker (from 1; 0: the first); the others go to run->others. Spans are
 * files with one pid, host, device and rank, and disjoint times. Runs are separated by time, if
 * two workers claim one rank or their ranks are unknown. False with ERROR_USAGE if there is no such
 * run or span.
 */
bool recordings_choose(struct run *run, size_t run_wanted, size_t span_wanted, struct error *error);

#endif
