/*
 * Loads files in the worker.
 */
#include "base/compare.h"
#include "model/python_stats.h"
#include "picture/picture.h"
#include "session/load.h"
#include "session/runs/runs.h"
#include "model/totals.h"
#include "tui/app/read_on.h"
#include "tui/app/spool.h"
#include "table/remap_rows.h"

#include <stdlib.h>

struct load_job {
	struct job job;
	struct app *app;
	struct run *run;
	struct path_list paths; /* of all runs */
	struct path_list base;  /* empty: no comparison */
	char *key_node;         /* NULL: the profile's own steps */
	struct load_options load;
	bool again;         /* another run is shown */
	int64_t rank;       /* this rank of it */
	struct rank *shown; /* held in the new run, so that positions can be translated */

	/* row whose op becomes the key node, and its scope; REF_NONE: none */
	struct ref of_row;
	struct scope scope;
	struct shared_run *shared;
	bool compare;  /* show the comparison */
	bool listed;   /* the run was chosen from the list of runs */
	bool adding;   /* the last path is a further run */
	bool renumber; /* step boundaries change */
	bool named;    /* the error message already names the file */
};

static void path_list_add(struct path_list *list, const char *path)
{
	list->path = mem_realloc(list->path, list->count + 1, sizeof *list->path);
	list->path[list->count] = mem_strdup(path);
	list->count++;
}

COMPARE_ITEMS(compare_paths, char *const, strcmp(*x, *y))

/* Sort the list, and keep each path once: a file may hold several ranks. */
static void path_list_sort(struct path_list *list)
{
	size_t kept = 0;
	if (!list->count)
		return;
	qsort(list->path, list->count, sizeof *list->path, compare_paths);
	for (size_t i = 1; i < list->count; i++) {
		if (strcmp(list->path[i], list->path[kept]) == 0)
			mem_free(list->path[i]);
		else
			list->path[++kept] = list->path[i];
	}
	list->count = kept + 1;
}

void path_list_clear(struct path_list *list)
{
	mem_free_each(list->path, list->count);
	mem_free(list->path);
	*list = (struct path_list){ NULL, 0 };
}

static void path_list_copy(struct path_list *list, const struct path_list *from)
{
	for (size_t i = 0; i < from->count; i++)
		path_list_add(list, from->path[i]);
}

static bool open_paths(struct run **run, const struct path_list *paths,
		       const struct load_options *load, const struct progress *progress,
		       struct error *error)
{
	*run = run_open((const char *const *)paths->path, paths->count, load, progress, error);
	return *run != NULL;
}

/* The base opens with the run and the span chosen for the current run. */
static bool open_base(struct load_job *self, const struct progress *progress, struct error *error)
{
	const char *path = self->base.path[0];
	struct load_options load = self->load;
	struct run *base;
	load.edits = what_if_edits(&self->base);
	load.run = load.span = load.together = 0;
	load.run_name = NULL;
	open_paths(&base, load.edits ? &self->paths : &self->base, &load, progress, error);
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

/* Op of the row from which the iterations were requested. */
static bool find_key_node(struct load_job *self, const struct progress *progress,
			  struct error *error)
{
	AUTO_BUFFER struct buffer id = { 0 };
	bool found = view_key_node(self->shared->run, &self->scope, self->of_row, &id, progress);
	if (found)
		self->load.key_node = self->key_node = mem_strdup(buffer_text(&id));
	return found || error_usage(error, "no range or operator in this row");
}

/* A directory without profiles adds nothing. */
static bool holds_path(const struct run *run, const char *path)
{
	bool holds = false;
	for (size_t i = 0; i < run->rank_count + run->other_count && !holds; i++)
		holds = strncmp(run_recording(run, i)->path, path, strlen(path)) == 0;
	return holds;
}

static bool load_job_run(struct job *job, const struct progress *progress, struct error *error)
{
	struct load_job *self = (struct load_job *)job;
	struct progress own = *progress;
	if (self->of_row.kind != REF_NONE && !find_key_node(self, progress, error))
		return false;
	if (self->app->spool) {
		own.read = spool_add;
		own.reader = self->app->spool;
	}
	if (!open_paths(&self->run, &self->paths, &self->load, &own, error) ||
	    (self->base.count && !open_base(self, progress, error)))
		return false;
	if (self->adding && !holds_path(self->run, self->paths.path[self->paths.count - 1])) {
		run_free(self->run);
		return error_input(error, "%s: holds no profile",
				   self->paths.path[self->paths.count - 1]);
	}
	if (self->again)
		self->shown = run_acquire(self->run, self->rank, progress, NULL);
	return true;
}

/*
 * Initial view: from the command line or configuration, otherwise the last session's, with a
 * message.
 */
static struct tab first_tab(struct app *app)
{
	const struct load_options *load = app->options->load;
	bool listed = app->tui.run->runs > 1 && !app->run &&
		      !(load && (load->run || load->run_name || load->span));
	const char *left = app->tui.settings.restore && !app->opened
				   ? state_get(&app->tui.state, "view")
				   : NULL;
	app->opened = true;
	if (app->options->view && nav_tab_named(app->options->view).name)
		return nav_tab_named(app->options->view);
	if (app->config.start)
		return nav_tab_named(app->config.start);
	if (listed)
		return nav_tab_named("runs");
	struct tab tab = left ? nav_tab_named(left) : (struct tab){ 0 };
	if (tab.name && tab.picture != &picture_dashboard)
		app_say(app, MESSAGE_INFO, "reopened in its last view (1 opens the overview)");
	return tab.name ? tab : nav_tab_named(picture_dashboard.name);
}

void load_clear(struct app *app)
{
	menu_close(&app->tui.menu);
	for (int i = 0; i < BOOKMARKS; i++)
		place_clear(&app->bookmarks[i]);
	split_clear(&app->split);
	nav_clear(&app->tui.nav);
}

/* A root level with this view only, of RANK unless it is ANY_RANK. */
static void start_in(struct app *app, const struct tab *tab, int64_t rank)
{
	struct scope scope;
	load_clear(app);
	if (app->options->scope)
		scope_copy(&scope, app->options->scope);
	else
		scope_init(&scope);
	if (rank != ANY_RANK)
		scope.rank = (int)rank;
	struct level *root = level_new(NULL, &scope);
	scope_clear(&scope);
	level_add(root, nav_new_pane(&app->tui, tab));
	nav_show_pane(&app->tui, root, root->pane);
	level_drop(root);
}

static void start(struct app *app, int64_t rank)
{
	struct tab tab = first_tab(app);
	start_in(app, &tab, rank);
}

/* Show the same view again at the root: the steps have changed, so deeper levels are invalid. */
static void show_again(struct app *app, const struct tab *tab, int64_t rank, struct ref ref)
{
	start(app, rank);
	if (tab->name)
		nav_open(&app->tui, tab);
	struct pane *pane = app_pane(app);
	if (ref.kind != REF_NONE && pane_subject(pane).kind == PANE_TABLE)
		pane->ops->go_ref(pane, &app->tui, ref);
}

/* Stop jobs that read the old run; panes restart theirs when shown. */
static void stop_work(struct app *app)
{
	what_if_close(app);
	app->tui.replacing = true;
	worker_cancel(app->tui.worker);
	while (worker_busy(app->tui.worker, NULL)) {
		worker_wait(app->tui.worker, 1000);
		worker_collect(app->tui.worker);
	}
	app->tui.replacing = false;
}

static struct run_tabs tabs_of(const struct run *run)
{
	AUTO_RANK struct rank *rank = run->rank_count ? run_peek(run, run->ranks[0].number) : NULL;
	const struct profile *profile = rank ? rank->profile : NULL;
	const struct python_stats *stats = profile ? profile->python : NULL;
	struct run_tabs tabs = { "123456789", NULL, NULL };
	if (!profile || profile->tables)
		return tabs;
	if (stats && !stats->operator_count && profile_is_sums(profile))
		return stats->sample_count ? (struct run_tabs){ "1239", "python", "stacks" }
					   : (struct run_tabs){ "129", "python", NULL };
	if (profile_is_counters(profile))
		return (struct run_tabs){ "125", "counters", NULL };
	const struct totals *totals = profile->totals;
	bool events = profile->spans || profile->activities;
	tabs.second = profile->flight && !events ? "flight" : NULL;
	tabs.third = profile->compile && !profile->activities ? "compiles" : NULL;
	const bool has[] = { TAB_ROWS };
	size_t count = 0;
	for (size_t i = 0; i < sizeof has / sizeof *has; i++)
		if (has[i])
			tabs.digits[count++] = (char)('1' + i);
	tabs.digits[count] = '\0';
	return tabs;
}

/* The new run replaces the old one, with all positions kept. */
static void take_run(struct app *app, struct run *new_run, bool renumber, int64_t rank)
{
	struct shared_run *old = app->tui.shared;
	const struct pane *pane = old ? app_pane(app) : NULL;
	struct tab tab = { 0 };
	struct ref ref = { .kind = REF_NONE };
	stop_work(app);
	if (renumber && pane_subject(pane).kind == PANE_TABLE)
		ref = carry_ref(old->run, new_run, app->tui.nav.here->scope.rank,
				pane_ref(pane, &app->tui));
	if (old)
		tab = nav_tab_named(pane->name);
	app->tui.shared = shared_run_new(new_run);
	app->tui.run = new_run;
	app->tui.tabs = tabs_of(new_run);
	if (!old)
		start(app, ANY_RANK);
	else if (renumber)
		show_again(app, &tab, rank, ref);
	else if (!carry_all(app, old->run))
		start(app, ANY_RANK);
	shared_run_drop(old);
}

void load_show_preview(struct app *app, struct run *run)
{
	app->partial = true;
	take_run(app, run, false, ANY_RANK);
	app->tui.dirty = true;
}

static void take_all(struct app *app, struct load_job *self)
{
	bool first = !app->tui.run, partial = app->partial;
	app->partial = false;
	take_run(app, self->run, self->renumber, self->rank);
	if (self->listed) { /* the run that was chosen there, to which going back leads */
		struct tab list = nav_tab_named("runs"),
			   tab = nav_tab_named(picture_dashboard.name);
		start_in(app, &list, ANY_RANK);
		nav_push(&app->tui, nav_new_pane(&app->tui, &tab), NULL);
	}
	if (self->adding)
		nav_view(&app->tui, view_find("runs"));
	if (self->compare) {
		struct tab tab = nav_tab_named(what_if_edits(&self->base) ? "timeline" : "diff");
		nav_open(&app->tui, &tab);
	}
	if (!first && app->options->follow && !self->compare && !self->adding)
		follow_say(app);
	else if (!first && !(partial && app->message[0])) /* keep an unread message */
		app_say(app, MESSAGE_INFO,
			self->load.from_trace ? "trace opened; Enter drills down"
			: self->compare       ? "base run loaded"
			: self->adding        ? "run added"
			: partial             ? "loading complete"
					      : "reloaded");
	if (what_if_edits(&self->base))
		what_if_say(app);
}

/* With one file, run_open leaves naming it to the caller. */
static void name_file(struct app *app, const struct error *error, bool named)
{
	if (app->options->path_count == 1 && !named && error->code != ERROR_CANCELLED) {
		error_set(&app->failure, error->code, "%s: %s", app->options->paths[0],
			  error->message);
		error_where(&app->failure, "%s", error->where);
	} else {
		app->failure = *error;
	}
}

static void say_iterations(struct app *app, const struct load_job *self)
{
	const char *before = app->key_node ? app->key_node : "";
	AUTO_BUFFER struct buffer basis = { 0 };
	if (self->shown) /* as in the title */
		step_source_describe(self->shown->derived, &basis);
	if (self->key_node && strcmp(before, self->key_node) != 0)
		app_say(app, MESSAGE_INFO, "step boundary: %s",
			basis.length ? buffer_text(&basis) : self->key_node);
	else if (!self->key_node && app->key_node)
		app_say(app, MESSAGE_INFO, "step boundary reset: steps as recorded");
}

static void load_job_finish(struct job *job, bool good, const struct error *error)
{
	AUTO_FREE struct load_job *self = (struct load_job *)job;
	struct app *app = self->app;
	app->loading = false;
	app->tui.dirty = true;
	if (good && !app->tui.quit) {
		/* the choice holds for later loads */
		app->run = self->load.run || self->load.run_name ? self->run->ranks[0].run : 0;
		app->span = self->load.span;
		take_all(app, self);
		say_iterations(app, self);
		run_release(self->run, self->shown);
		path_list_clear(&app->base);
		app->base = self->base;
		self->base = (struct path_list){ NULL, 0 };
		if (self->adding)
			path_list_add(&app->added, self->paths.path[self->paths.count - 1]);
		mem_free(app->key_node);
		app->key_node = self->key_node;
		self->key_node = NULL;
	} else if (good) {
		run_release(self->run, self->shown);
		run_free(self->run);
	} else if (app->partial && error->code == ERROR_CANCELLED) {
		app_say(app, MESSAGE_WARNING,
			"loading canceled; showing what was read (R reloads)");
	} else if (app->tui.run) {
		tui_say_error(&app->tui, error);
	} else if (!app->tui.quit) {
		app->tui.quit = true;
		name_file(app, error, self->named);
		app->status = error->code == ERROR_CANCELLED ? 130
			      : error->code == ERROR_USAGE   ? 2
							     : 4;
	}
	shared_run_drop(self->shared);
	scope_clear(&self->scope);
	path_list_clear(&self->paths);
	path_list_clear(&self->base);
	mem_free(self->key_node);
	worker_cancel(app->previewer);
}

/* The run that is shown stays the same when others are added. */
static void choose_run(struct load_job *self, size_t run)
{
	self->load.run = 0;
	self->load.run_name = runs_name(self->app->tui.run, run);
}

/* RENUMBER: the steps or the rank change. */
static struct load_job *new_load(struct app *app, const char *key_node, bool renumber)
{
	const struct tui_options *options = app->options;
	struct load_job *self = mem_zalloc(1, sizeof *self);
	self->job.what = "Loading";
	self->job.run = load_job_run;
	self->job.finish = load_job_finish;
	self->app = app;
	self->again = app->tui.run != NULL;
	self->rank = app->tui.run ? app->tui.nav.here->scope.rank : ANY_RANK;
	scope_init(&self->scope);
	for (size_t i = 0; i < options->path_count; i++)
		path_list_add(&self->paths, options->paths[i]);
	path_list_copy(&self->paths, &app->added);
	path_list_copy(&self->base, &app->base);
	if (!app->base.count && options->base)
		path_list_add(&self->base, options->base);
	self->renumber = renumber;
	self->key_node = key_node ? mem_strdup(key_node) : NULL;
	if (app->options->load)
		self->load = *app->options->load;
	self->load.key_node = self->key_node;
	self->load.together = options->path_count;
	if (app->run && app->tui.run)
		choose_run(self, app->run);
	self->load.span = app->span ? app->span : self->load.span;
	return self;
}

static void submit(struct load_job *self)
{
	struct app *app = self->app;
	app->loading = true;
	follow_begin(app);
	if (!app->spool)
		app->spool = preview_spool(app);
	worker_submit(app->reader, &self->job);
}

static bool still_loading(struct app *app)
{
	if (app->loading)
		app_say(app, MESSAGE_INFO, "still loading");
	return app->loading;
}

void load_files(struct app *app, const char *base)
{
	const char *key_node = app->key_node;
	if (still_loading(app))
		return;
	if (!app->tui.run && app->options->load)
		key_node = app->options->load->key_node;
	struct load_job *self = new_load(app, key_node, false);
	self->compare = base != NULL;
	if (base) {
		path_list_clear(&self->base);
		path_list_add(&self->base, base);
	}
	submit(self);
}

void load_from_trace(struct app *app)
{
	if (still_loading(app))
		return;
	if (!nav_shows_summary(&app->tui)) {
		app_say(app, MESSAGE_INFO, "this is no summary");
		return;
	}
	struct load_job *self = new_load(app, app->key_node, true);
	self->load.from_trace = true;
	self->load.rank = run_rank(app->tui.run, self->rank)->number;
	submit(self);
}

void load_iterations(struct app *app, const char *key_node)
{
	if (!still_loading(app))
		submit(new_load(app, key_node, true));
}

void load_recording(struct app *app, size_t run, size_t span, bool opened)
{
	if (still_loading(app))
		return;
	struct load_job *self = new_load(app, app->key_node, true);
	if (run)
		choose_run(self, run);
	self->listed = opened;
	self->load.span = span;
	self->rank = ANY_RANK;
	submit(self);
}

void load_comparison(struct app *app, size_t base, size_t run)
{
	const struct run *all = app->tui.run;
	if (still_loading(app))
		return;
	struct load_job *self = new_load(app, app->key_node, true);
	choose_run(self, run);
	path_list_clear(&self->base);
	for (size_t i = 0; i < all->rank_count + all->other_count; i++)
		if (run_recording(all, i)->run == base && run_recording(all, i)->span == 1 &&
		    !run_recording(all, i)->companion)
			path_list_add(&self->base, run_recording(all, i)->path);
	path_list_sort(&self->base);
	self->compare = self->listed = true;
	self->rank = ANY_RANK;
	submit(self);
}

void load_also(struct app *app, const char *path)
{
	if (still_loading(app))
		return;
	struct load_job *self = new_load(app, app->key_node, false);
	choose_run(self, app->tui.run->ranks[0].run);
	path_list_add(&self->paths, path);
	self->adding = true;
	submit(self);
}

void load_iterations_of(struct tui *tui, const struct scope *scope, struct ref row)
{
	struct app *app = app_of(tui);
	if (still_loading(app))
		return;
	struct load_job *self = new_load(app, NULL, true);
	self->of_row = row;
	scope_copy(&self->scope, scope);
	self->shared = take_hold(tui->shared);
	submit(self);
}
