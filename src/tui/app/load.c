/*
 * Reading the files, in the worker.
 */
#include "session/load.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/mem.h"
#include "tui/core/app.h"
#include "tui/core/shared_run.h"
#include "tui/app/spool.h"
#include "tui/core/pane.h"
#include "table/carry.h"
#include "table/view.h"

#include <string.h>

struct load_job {
	struct job job;
	struct tui *tui;
	struct run *run;
	char *base;     /* path; NULL: nothing to compare with */
	char *key_node; /* NULL: steps are the profile's own */
	struct load_options load;
	bool again;         /* another run is on the screen… */
	int64_t rank;       /* …this rank of it, */
	struct rank *shown; /* which is held in the new one, so that all can be carried over */

	/* the row whose op is to be the key node, and where it is; REF_NONE: none */
	struct ref of_row;
	struct scope scope;
	struct shared_run *shared;
	bool compare;  /* show the comparison */
	bool renumber; /* the steps become others */
	bool named;    /* the message of its failure names the file */
};

static bool open_base(struct load_job *self, const struct progress *progress, struct error *error)
{
	const char *path = self->base;
	struct run *base = run_open(&path, 1, &self->load, progress, error);
	struct error cause = *error;
	if (base) {
		run_compare(self->run, base);
		return true;
	}
	run_free(self->run);
	self->named = true;
	error_set(error, cause.code, "%s: %s", path, cause.message);
	error_where(error, "%s", cause.where);
	return false;
}

/* The op of the row from which the iterations were asked for. */
static bool find_key_node(struct load_job *self, const struct progress *progress,
			  struct error *error)
{
	struct buffer id = { 0 };
	bool found = view_key_node(self->shared->run, &self->scope, self->of_row, &id, progress);
	if (found)
		self->load.key_node = self->key_node = mem_strdup(buffer_text(&id));
	buffer_free(&id);
	return found || error_set(error, ERROR_USAGE, "no operator in this row");
}

static bool run(struct job *job, const struct progress *progress, struct error *error)
{
	struct load_job *self = (struct load_job *)job;
	const struct tui_options *options = self->tui->options;
	struct progress own = *progress;
	if (self->of_row.kind != REF_NONE && !find_key_node(self, progress, error))
		return false;
	if (self->tui->spool) {
		own.read = spool_add;
		own.reader = self->tui->spool;
	}
	self->run = run_open(options->paths, options->path_count, &self->load, &own, error);
	if (!self->run || (self->base && !open_base(self, progress, error)))
		return false;
	if (self->again)
		self->shown = run_acquire(self->run, self->rank, progress, NULL);
	return true;
}

/* What was shown once more, at the top: its steps are others now, so nothing below means the same.
 */
static void show_again(struct tui *tui, const struct tab *tab, struct ref ref)
{
	nav_clear(&tui->nav);
	nav_start(tui);
	if (tab->name)
		nav_open(tui, tab);
	struct pane *pane = tui_pane(tui);
	if (ref.kind != REF_NONE && pane_subject(pane).kind == PANE_TABLE)
		pane->ops->go_ref(pane, tui, ref);
}

/* No job reads the old run from now on; what was stopped is begun again when it is shown. */
static void stop_work(struct tui *tui)
{
	tui->replacing = true;
	worker_cancel(tui->worker);
	while (worker_busy(tui->worker, NULL)) {
		worker_wait(tui->worker, 1000);
		worker_collect(tui->worker);
	}
	tui->replacing = false;
}

/* The new run takes the place of the old one, with everything where it was. */
static void take_run(struct tui *tui, struct run *new_run, bool renumber)
{
	struct shared_run *old = tui->shared;
	const struct pane *pane = old ? tui_pane(tui) : NULL;
	struct tab tab = { 0 };
	struct ref ref = { .kind = REF_NONE };
	stop_work(tui);
	if (renumber && pane_subject(pane).kind == PANE_TABLE)
		ref = carry_ref(old->run, new_run, tui->nav.here->scope.rank, pane_ref(pane, tui));
	if (old)
		tab = nav_tab_named(pane->ops->name(pane));
	tui->shared = shared_run_new(new_run);
	tui->run = new_run;
	if (!old)
		nav_start(tui);
	else if (renumber)
		show_again(tui, &tab, ref);
	else
		nav_carry(tui, old->run);
	shared_run_drop(old);
}

void load_take_begin(struct tui *tui, struct run *run)
{
	tui->partial = true;
	take_run(tui, run, false);
	tui->dirty = true;
}

static void take_all(struct tui *tui, struct load_job *self)
{
	bool first = !tui->run, partial = tui->partial;
	tui->partial = false;
	take_run(tui, self->run, self->renumber);
	if (self->compare)
		nav_view(tui, view_find("diff"));
	if (!first && !(partial && tui->message[0])) /* a message stays until it is read */
		tui_say(tui, MESSAGE_INFO,
			self->compare ? "base run loaded"
			: partial     ? "loading complete"
				      : "reloaded");
}

/* One file: run_open leaves it to its caller to name it. */
static void name_file(struct tui *tui, const struct error *error, bool named)
{
	if (tui->options->path_count == 1 && !named && error->code != ERROR_CANCELLED) {
		error_set(&tui->failure, error->code, "%s: %s", tui->options->paths[0],
			  error->message);
		error_where(&tui->failure, "%s", error->where);
	} else {
		tui->failure = *error;
	}
}

static void say_iterations(struct tui *tui, const struct load_job *self)
{
	const char *before = tui->key_node ? tui->key_node : "";
	if (self->key_node && strcmp(before, self->key_node) != 0)
		tui_say(tui, MESSAGE_INFO, "step boundary: %s", self->key_node);
	else if (!self->key_node && tui->key_node)
		tui_say(tui, MESSAGE_INFO, "step boundary reset: steps as recorded");
}

static void finish(struct job *job, bool good, const struct error *error)
{
	struct load_job *self = (struct load_job *)job;
	struct tui *tui = self->tui;
	tui->loading = false;
	tui->dirty = true;
	if (good && !tui->quit) {
		take_all(tui, self);
		run_release(self->run, self->shown);
		mem_free(tui->base);
		tui->base = self->base;
		self->base = NULL;
		say_iterations(tui, self);
		mem_free(tui->key_node);
		tui->key_node = self->key_node;
		self->key_node = NULL;
	} else if (good) {
		run_release(self->run, self->shown);
		run_free(self->run);
	} else if (tui->partial && error->code == ERROR_CANCELLED) {
		tui_say(tui, MESSAGE_WARNING,
			"loading canceled; showing what was read (R reloads)");
	} else if (tui->run) {
		tui_say_error(tui, error);
	} else if (!tui->quit) {
		tui->quit = true;
		name_file(tui, error, self->named);
		tui->status = error->code == ERROR_CANCELLED ? 130
			      : error->code == ERROR_USAGE   ? 2
							     : 4;
	}
	shared_run_drop(self->shared);
	scope_clear(&self->scope);
	mem_free(self->base);
	mem_free(self->key_node);
	mem_free(self);
	worker_cancel(tui->previewer);
}

static struct load_job *new_job(struct tui *tui, const char *base, const char *key_node)
{
	struct load_job *self = mem_zalloc(1, sizeof *self);
	self->job.what = "Loading";
	self->job.run = run;
	self->job.finish = finish;
	self->tui = tui;
	self->again = tui->run != NULL;
	self->rank = tui->run ? tui->nav.here->scope.rank : ANY_RANK;
	scope_init(&self->scope);
	self->base = base ? mem_strdup(base) : NULL;
	self->key_node = key_node ? mem_strdup(key_node) : NULL;
	if (tui->options->load)
		self->load = *tui->options->load;
	self->load.key_node = self->key_node;
	return self;
}

static const char *present_base(const struct tui *tui)
{
	return tui->base ? tui->base : tui->options->base;
}

static void submit(struct load_job *self)
{
	struct tui *tui = self->tui;
	tui->loading = true;
	if (!tui->spool)
		tui->spool = preview_spool(tui);
	worker_submit(tui->reader, &self->job);
}

static bool still_loading(struct tui *tui)
{
	if (tui->loading)
		tui_say(tui, MESSAGE_INFO, "still loading");
	return tui->loading;
}

void tui_load(struct tui *tui, const char *base)
{
	const char *key_node = tui->key_node;
	if (still_loading(tui))
		return;
	if (!tui->run && tui->options->load)
		key_node = tui->options->load->key_node;
	struct load_job *self = new_job(tui, base ? base : present_base(tui), key_node);
	self->compare = base != NULL;
	submit(self);
}

static struct load_job *new_iterations(struct tui *tui, const char *key_node)
{
	struct load_job *self = new_job(tui, present_base(tui), key_node);
	self->renumber = true;
	return self;
}

void tui_load_iterations(struct tui *tui, const char *key_node)
{
	if (!still_loading(tui))
		submit(new_iterations(tui, key_node));
}

void tui_load_iterations_of(struct tui *tui, const struct scope *scope, struct ref row)
{
	if (still_loading(tui))
		return;
	struct load_job *self = new_iterations(tui, NULL);
	self->of_row = row;
	scope_copy(&self->scope, scope);
	self->shared = shared_run_hold(tui->shared);
	submit(self);
}
