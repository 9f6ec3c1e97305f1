/*
 * A run, and how many use it: the explorer, the tables made of it, the jobs that read it.  Counted
 * by the UI's thread alone; whoever lets go last frees it.
 */
#ifndef STRATA_TUI_CORE_SHARED_RUN_H
#define STRATA_TUI_CORE_SHARED_RUN_H

struct run;

struct shared_run {
	struct run *run;
	int references;
};

struct shared_run *shared_run_new(struct run *run); /* takes the run; the caller holds it */
struct shared_run *shared_run_hold(struct shared_run *shared);
void shared_run_drop(struct shared_run *shared); /* NULL is fine */

#endif
