/*
 * Builds plots in the worker.
 */
#include "base/error.h"
#include "base/mem.h"
#include "tui/plot/plot_pane.h"

struct plot_job {
	struct job job;
	struct tui *tui;
	struct level *level; /* holds a reference, to keep the pane alive */
	struct plot_pane *pane;
	const struct plot_group *group;
	bool chosen; /* by the user */
	struct scope scope;
	struct ref target;
	struct plot *plot;
	struct chart_place place; /* of the target */
};

static bool plot_job_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct plot_job *self = (struct plot_job *)job;
	self->plot = (self->chosen ? plot_build : plot_build_first)(
		self->pane->kind, self->group, self->tui->run, &self->scope, progress, error);
	if (self->plot && !self->plot->flame)
		self->place = chart_find_ref(self->plot, self->target);
	return self->plot != NULL;
}

static void plot_job_take(struct plot_pane *pane, struct plot_job *self)
{
	plot_free(pane->plot);
	pane->plot = self->plot;
	self->plot = NULL;
	pane->wanted = pane->plot->group;
	if (pane->plot->flame)
		flame_reset(pane);
	else
		chart_reset(pane, self->place);
	pane->target = (struct ref){ .kind = REF_NONE };
}

static void plot_job_finish(struct job *job, bool good, const struct error *error)
{
	struct plot_job *self = (struct plot_job *)job;
	struct plot_pane *pane = self->pane;
	struct tui *tui = self->tui;
	tui->dirty = true;
	if (pane->pane.job == job) {
		pane->pane.job = NULL;
		if (good) {
			plot_job_take(pane, self);
		} else {
			tui_say_error(tui, error);
			if (pane->plot)
				pane->wanted = pane->plot->group;
			else
				nav_abandon(tui, &pane->pane);
		}
	}
	plot_free(self->plot);
	level_drop(self->level);
	scope_clear(&self->scope);
	mem_free(self);
}

void plot_request(struct plot_pane *pane, struct tui *tui)
{
	if (tui->quit || (pane->plot && pane->plot->group == pane->wanted && !pane->pane.job))
		return;
	struct plot_job *self = mem_zalloc(1, sizeof *self);
	self->job.what = pane->kind->title;
	self->job.run = plot_job_run;
	self->job.finish = plot_job_finish;
	self->tui = tui;
	self->level = level_hold(pane->pane.level);
	self->pane = pane;
	self->group = pane->wanted;
	self->chosen = pane->chosen;
	self->target = pane->target;
	scope_copy(&self->scope, &pane->pane.level->scope);
	pane->pane.job = &self->job;
	worker_submit(tui->worker, &self->job);
}
