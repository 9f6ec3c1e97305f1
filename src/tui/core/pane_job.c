#include "tui/core/pane_job.h"

static void pane_job_finish(struct job *job, bool good, const struct error *error)
{
	AUTO_FREE struct pane_job *self = (struct pane_job *)job;
	/* of a job aside, the pane may be gone */
	bool awaited = !self->kind->aside && self->pane->job == job;
	self->tui->dirty = true;
	if (awaited)
		self->pane->job = NULL;
	if (awaited || self->kind->aside)
		self->kind->arrive(job, good, error);
	if (self->kind->clear)
		self->kind->clear(job);
	level_drop(self->level);
	scope_clear(&self->scope);
}

void *pane_job_new(size_t size, const struct pane_job_kind *kind, struct pane *pane,
		   struct tui *tui, const char *what)
{
	struct pane_job *self = mem_zalloc(1, size);
	self->job = (struct job){ .what = what, .run = kind->run, .finish = pane_job_finish };
	self->kind = kind;
	self->tui = tui;
	self->pane = pane;
	self->level = take_hold(pane->level);
	scope_copy(&self->scope, &pane->level->scope);
	return self;
}

void pane_job_submit(struct pane_job *job)
{
	if (!job->kind->aside)
		job->pane->job = &job->job;
	worker_submit(job->tui->worker, &job->job);
}

bool pane_job_searches(const struct pane *pane, const struct tui *tui)
{
	const struct pane_job *job = (const struct pane_job *)pane->job;
	return job && job->search == tui->search.serial;
}

bool pane_job_follow(const struct pane_job *job, struct view_link *link,
		     const struct progress *progress, struct error *error)
{
	return view_follow(job->tui->run, &job->scope, link, progress) ||
	       progress_update(progress, "", 0, 0, 0) ||
	       error_set(error, ERROR_CANCELLED, "canceled");
}
