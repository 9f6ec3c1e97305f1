/*
 * What strata and strata-mpi share of the commands summarize and merge: what the options ask for,
 * and the exit status.
 */
#pragma once

#include "cli/options.h"
#include "summary/batch.h"

struct summary_task {
	struct load_options load;
	struct summary_job job;
	char *made; /* owned */
};

/* LOAD: how traces are read, but for what summaries never need. TASK must not move. */
void summary_task_init(struct summary_task *task, const struct options *options,
		       const struct load_options *load);
void summary_task_clear(struct summary_task *task);

/* DONE of COUNT files: all, some or none. */
int summary_status(uint64_t done, size_t count);
