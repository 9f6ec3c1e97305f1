/*
 * Jobs of panes. A job works on copies; it keeps its pane alive, and gives the pane its results
 * unless the pane has started another job meanwhile.
 */
#pragma once

#include "tui/core/pane.h"
#include "tui/core/tui.h"

struct pane_job {
	struct job job;
	const struct pane_job_kind *kind;
	struct tui *tui;
	struct pane *pane;
	struct level *level; /* holds a reference, to keep the pane alive */
	struct scope scope;  /* a copy of the level's */
	unsigned search;     /* the serial of the search whose matches it finds; 0: none */
};

struct pane_job_kind {
	/* In the worker thread. */
	bool (*run)(struct job *job, const struct progress *progress, struct error *error);
	/* In the UI thread, as the finish of a job that need not free anything. */
	void (*arrive)(struct job *job, bool good, const struct error *error);
	void (*clear)(struct job *job); /* frees what the job has; NULL: nothing */
	bool aside; /* it is not for the pane: it may run besides the pane's job */
};

/* A job of SIZE bytes, which begin with a struct pane_job; the rest is zero. */
void *pane_job_new(size_t size, const struct pane_job_kind *kind, struct pane *pane,
		   struct tui *tui, const char *what);
void pane_job_submit(struct pane_job *job);
/* Do matches of the current search come with the pane's job? */
bool pane_job_searches(const struct pane *pane, const struct tui *tui);

/* Find the target of LINK in the worker thread; false with ERROR only if cancelled. */
bool pane_job_follow(const struct pane_job *job, struct view_link *link,
		     const struct progress *progress, struct error *error);
