/*
 * A reference-counted run, used by the explorer, its tables and jobs. The count is accessed only by
 * the UI thread; the last user frees the run.
 */
#ifndef STRATA_TUI_CORE_SHARED_RUN_H
#define STRATA_TUI_CORE_SHARED_RUN_H

struct run;

struct shared_run {
	struct run *run;
	int references;
};

struct shared_run *
shared_run_new(struct run *run); /* takes ownership of the run; the caller holds a reference */
struct shared_run *shared_run_hold(struct shared_run *shared);
void shared_run_drop(struct shared_run *shared); /* NULL is allowed */

#endif
