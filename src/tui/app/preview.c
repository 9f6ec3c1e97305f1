/*
 * Previews of a file while it is loading: from time to time a thread parses the prefix received so
 * far, and its run replaces the previous one with all positions kept.
 */
#include "session/load.h"
#include "tui/app/app.h"
#include "tui/app/spool.h"

#include <sys/stat.h>

enum { PREVIEW_LIMIT_ROWS(_) };

struct preview_job {
	struct job job;
	struct app *app;
	struct load_options load;
	struct run_prefix begin;
	struct run *run;
};

static bool preview_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct preview_job *self = (struct preview_job *)job;
	self->run = run_open_prefix(self->app->options->paths[0], &self->begin, &self->load,
				    progress, error);
	return self->run != NULL;
}

static void preview_finish(struct job *job, bool good, const struct error *error)
{
	AUTO_FREE struct preview_job *self = (struct preview_job *)job;
	struct app *app = self->app;
	if (good && app->loading && !app->tui.quit)
		load_show_preview(app, self->run);
	else if (good)
		run_free(self->run);
}

/* True if loading will still take long. */
static bool worth_it(const struct work_state *work)
{
	double spent = (double)(clock_ns() - work->started_ns) / 1e6;

	if (spent < FIRST_AFTER_MS || !progress_is_reading(work->stage))
		return false;
	if (work->total == 0)
		return true;
	return work->done > 0 && spent * ((double)work->total / (double)work->done - 1) > WORTH_MS;
}

struct spool *preview_spool(struct app *app)
{
	struct stat status;
	const struct tui_options *options = app->options;
	if (app->tui.run || app->script || options->path_count != 1 || options->base ||
	    (stat(options->paths[0], &status) == 0 && S_ISDIR(status.st_mode)))
		return NULL;
	app->previewed = FIRST_BYTES / MORE_BYTES;
	return spool_new();
}

void preview_consider(struct app *app)
{
	struct work_state work;
	size_t length;
	if (!app->spool || worker_busy(app->previewer, NULL))
		return;
	if (!app->loading) {
		spool_free(app->spool);
		app->spool = NULL;
		return;
	}
	if (!worker_busy(app->reader, &work) || !worth_it(&work))
		return;
	const void *bytes = spool_bytes(app->spool, &length);
	if (length < MORE_BYTES * app->previewed)
		return;
	struct preview_job *self = mem_zalloc(1, sizeof *self);
	self->job.what = "Loading";
	self->job.run = preview_run;
	self->job.finish = preview_finish;
	self->app = app;
	if (app->options->load)
		self->load = *app->options->load;
	self->begin = (struct run_prefix){ bytes, length, TEXT_MAX };
	app->previewed = length;
	worker_submit(app->previewer, &self->job);
}
