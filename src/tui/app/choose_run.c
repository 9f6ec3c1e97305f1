/*
 * The runs of a log directory: choosing, comparing and adding them.
 */
#include "session/baselines.h"
#include "session/runs/runs.h"
#include "tui/app/app.h"
#include "tui/term/xdg.h"

#include <inttypes.h>
#include <stdlib.h>

static size_t shown_run(const struct app *app)
{
	const struct run *run = app->tui.run;
	return run->rank_count ? run->ranks[0].run : 0;
}

void runs_open(struct tui *tui, size_t run, size_t span)
{
	struct app *app = app_of(tui);
	struct tab tab = nav_tab_named("dashboard");
	if (run != shown_run(app) || span)
		load_recording(app, run, span, true);
	else
		nav_push(tui, nav_new_pane(tui, &tab), NULL);
}

/* ---- comparing ---- */

/* The run of the selected row; 0: the pane lists none. */
static size_t selected_run(const struct app *app)
{
	struct pane *pane = app_pane(app);
	const struct tui *tui = &app->tui;
	if (strcmp(pane->name, "runs") != 0)
		return 0;
	struct ref ref = pane_ref(pane, tui);
	return ref.kind == REF_RUN ? ref.a : 0;
}

/* The run of marked row INDEX; 0: there is none. */
static size_t marked_run(const struct app *app, size_t index)
{
	const struct pane *pane = app_pane(app);
	const struct table *table = pane->ops->table ? pane->ops->table(pane) : NULL;
	size_t row = table ? pane->ops->marked(pane, index) : SIZE_MAX;
	return row == SIZE_MAX ? 0 : table_ref(table, row).a;
}

bool runs_can_compare(const struct app *app)
{
	return selected_run(app) && app->tui.run->runs > 1;
}

bool runs_compare(struct app *app)
{
	size_t base = selected_run(app), run = shown_run(app);
	if (!runs_can_compare(app))
		return false;
	if (marked_run(app, 1)) {
		base = marked_run(app, 0);
		run = marked_run(app, 1);
	}
	if (marked_run(app, 2))
		app_say(app, MESSAGE_ERROR, "two runs are compared: unmark the others (U)");
	else if (base == run)
		app_say(app, MESSAGE_INFO,
			"this is the run that is shown: select another, or mark two (Space)");
	else
		load_comparison(app, base, run);
	return true;
}

void runs_offer_baselines(struct app *app)
{
	AUTO(baselines_free) struct baselines baselines = { NULL, 0 };
	struct error error = { 0 };
	AUTO_BUFFER struct buffer names = { 0 };
	char file[XDG_PATH_MAX];
	if (xdg_state(file, "baselines") && !baselines_read(&baselines, file, &error))
		tui_say_error(&app->tui, &error);
	for (size_t i = 0; i < baselines.count; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "", baselines.items[i].name);
	if (!baselines.count)
		app_say(app, MESSAGE_INFO, "no base run to compare with (:base PATH loads one)");
	else if (app_ask(&app->tui, PROMPT_COMMAND, "base "))
		app_say(app, MESSAGE_INFO, "baselines: %s (or a path)", buffer_text(&names));
}

/* ---- commands ---- */

bool run_choose(struct app *app, const char *argument, struct error *error)
{
	if (!*argument)
		return error_usage(error, "name required: :run NAME (:runs lists them)");
	size_t run = runs_find(app->tui.run, argument, error);
	if (run)
		load_recording(app, run, 0, run != shown_run(app));
	return run != 0;
}

bool span_choose(struct app *app, const char *argument, struct error *error)
{
	char *end;
	long number = strtol(argument, &end, 10);
	if (!*argument || *end || number < 1 || number > INT32_MAX)
		return error_usage(error, "number required: :span N");
	load_recording(app, shown_run(app), (size_t)number, false);
	return true;
}

bool runs_add(struct app *app, const char *argument, struct error *error)
{
	if (!*argument)
		return error_usage(error, "PATH required: :open PATH");
	load_also(app, argument);
	return true;
}

/* The rank whose worker is called so, or the only one whose worker's name has TEXT in it. */
static const struct rank *worker_named(const struct run *run, const char *text, size_t *count)
{
	const struct rank *found = NULL;
	*count = 0;
	for (size_t i = 0; i < run->rank_count; i++) {
		AUTO_BUFFER struct buffer name = { 0 };
		runs_worker_name(run->ranks[i].path, &name);
		bool same = strcmp(buffer_text(&name), text) == 0;
		if (same || strstr(buffer_text(&name), text)) {
			found = &run->ranks[i];
			*count = same ? 1 : *count + 1;
		}
		if (same)
			break;
	}
	return found;
}

bool worker_choose(struct app *app, const char *argument, struct error *error)
{
	size_t count = 0;
	char number[32];
	const struct rank *rank = *argument ? worker_named(app->tui.run, argument, &count) : NULL;
	if (count != 1)
		return error_usage(error,
				   count ? "%zu workers have '%s' in their names"
					 : "no worker is called so (:recordings lists them)",
				   count, argument);
	snprintf(number, sizeof number, "%" PRId64, rank->number);
	return command_narrow(app, "rank", number, error);
}
