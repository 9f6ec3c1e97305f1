/*
 * Reading the files, in the worker.
 */
#include "analysis/load.h"
#include "base/error.h"
#include "base/mem.h"
#include "tui/app.h"
#include "tui/table_pane.h"
#include "view/view.h"

#include <string.h>

struct load_job {
	struct job job;
	struct tui *tui;
	struct run *run;
	char *base;		/* path; NULL: nothing to compare with */
	char *key_node;		/* NULL: steps are the profile's own */
	struct load_options load;
	bool compare;		/* show the comparison */
	bool named;		/* the message of its failure names the file */
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

static bool run(struct job *job, const struct progress *progress, struct error *error)
{
	struct load_job *self = (struct load_job *)job;
	const struct tui_options *options = self->tui->options;

	self->run = run_open(options->paths, options->path_count, &self->load, progress, error);
	return self->run && (!self->base || open_base(self, progress, error));
}

/* The view and the row that were shown, in the new run. */
static void show_again(struct tui *tui, const struct tab *tab, struct ref ref)
{
	nav_start(tui);
	if (tab->name)
		nav_open(tui, tab);
	struct table_pane *table = table_pane_of(tui_pane(tui));
	if (table)
		table->target = ref;
}

static void take_run(struct tui *tui, struct run *new_run, bool compare)
{
	struct run *old = tui->run;
	struct table_pane *table = old ? table_pane_of(tui_pane(tui)) : NULL;
	struct tab tab = { 0 };
	struct ref ref = { .kind = REF_NONE };

	if (table && table->box && !compare)
		ref = table_selected_ref(table);
	if (old)
		tab = nav_tab_named(compare ? "diff" : tui_pane(tui)->ops->name(tui_pane(tui)));
	nav_clear(&tui->nav);
	tui->run = new_run;
	if (old) {
		show_again(tui, &tab, ref);
		tui_say(tui, MESSAGE_INFO, compare ? "read, and compared" : "read again");
	} else {
		nav_start(tui);
	}
	run_free(old);
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
		tui_say(tui, MESSAGE_INFO, "steps are the iterations of %s", self->key_node);
	else if (!self->key_node && tui->key_node)
		tui_say(tui, MESSAGE_INFO, "steps are the profile's own again");
}

static void finish(struct job *job, bool good, const struct error *error)
{
	struct load_job *self = (struct load_job *)job;
	struct tui *tui = self->tui;

	tui->loading = false;
	tui->dirty = true;
	if (good && !tui->quit) {
		take_run(tui, self->run, self->compare);
		mem_free(tui->base);
		tui->base = self->base;
		self->base = NULL;
		say_iterations(tui, self);
		mem_free(tui->key_node);
		tui->key_node = self->key_node;
		self->key_node = NULL;
	} else if (good) {
		run_free(self->run);
	} else if (tui->run) {
		tui_say_error(tui, error);
	} else if (!tui->quit) {
		tui->quit = true;
		name_file(tui, error, self->named);
		tui->status = error->code == ERROR_CANCELLED ? 130 :
			      error->code == ERROR_USAGE     ? 2 : 4;
	}
	mem_free(self->base);
	mem_free(self->key_node);
	mem_free(self);
}

static struct load_job *new_job(struct tui *tui, const char *base, const char *key_node)
{
	struct load_job *self = mem_zalloc(1, sizeof *self);

	self->job.what = "Reading";
	self->job.run = run;
	self->job.finish = finish;
	self->tui = tui;
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
	self->tui->loading = true;
	worker_submit(self->tui->worker, &self->job);
}

void tui_load(struct tui *tui, const char *base)
{
	const char *key_node = tui->key_node;

	if (!tui->run && tui->options->load)
		key_node = tui->options->load->key_node;
	struct load_job *self = new_job(tui, base ? base : present_base(tui), key_node);
	self->compare = base != NULL;
	submit(self);
}

void tui_load_iterations(struct tui *tui, const char *key_node)
{
	submit(new_job(tui, present_base(tui), key_node));
}
