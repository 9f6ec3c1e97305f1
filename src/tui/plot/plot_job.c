/*
 * Builds plots in the worker.
 */
#include "tui/core/pane_job.h"
#include "tui/plot/plot_pane.h"

struct plot_job {
	struct pane_job job;
	const struct plot_group *group;
	bool chosen; /* by the user */
	struct ref target;
	struct plot *plot;
	struct chart_place place; /* of the target */
};

static bool plot_job_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct plot_job *self = (struct plot_job *)job;
	const struct plot_pane *pane = (const struct plot_pane *)self->job.pane;
	self->plot = (self->chosen ? plot_build : plot_build_first)(
		pane->kind, self->group, self->job.tui->run, &self->job.scope, progress, error);
	if (self->plot && !self->plot->flame)
		self->place = chart_find_ref(self->plot, self->target);
	return self->plot != NULL;
}

static void plot_job_take(struct plot_pane *pane, struct plot_job *self)
{
	const struct plot_group *shown = self->plot->group;
	pane->alone = pane->plot && pane->plot->group == shown && self->group != shown;
	if (pane->plot && self->group != shown)
		tui_say(self->job.tui, MESSAGE_INFO, "%s (no data by %s%s)", shown->title,
			self->group->name,
			plot_group_after(pane->kind, self->group) == shown ? "" : " and others");
	plot_free(pane->plot);
	pane->plot = self->plot;
	self->plot = NULL;
	pane->wanted = pane->plot->group;
	if (pane->plot->flame)
		flame_reset(pane);
	else
		chart_reset(pane, self->place);
	pane->target = NO_REF;
}

static void plot_job_arrive(struct job *job, bool good, const struct error *error)
{
	struct plot_job *self = (struct plot_job *)job;
	struct plot_pane *pane = (struct plot_pane *)self->job.pane;
	if (good) {
		plot_job_take(pane, self);
		return;
	}
	tui_say_error(self->job.tui, error);
	if (pane->plot)
		pane->wanted = pane->plot->group;
	else
		nav_abandon(self->job.tui, &pane->pane);
}

static void plot_job_clear(struct job *job)
{
	plot_free(((struct plot_job *)job)->plot);
}

void plot_request(struct plot_pane *pane, struct tui *tui)
{
	static const struct pane_job_kind kind = { plot_job_run, plot_job_arrive, plot_job_clear };
	if (tui->quit || (pane->plot && pane->plot->group == pane->wanted && !pane->pane.job))
		return;
	struct plot_job *self =
		pane_job_new(sizeof *self, &kind, &pane->pane, tui, pane->kind->title);
	self->group = pane->wanted;
	self->chosen = pane->chosen;
	self->target = pane->target;
	pane_job_submit(&self->job);
}
