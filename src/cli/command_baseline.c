#include "cli/commands.h"
#include "cli/summary_task.h"

#include "base/inputs.h"
#include "session/baselines.h"
#include "session/run_history.h"
#include "tui/term/xdg.h"

#include <unistd.h>

static const struct column columns[] = {
	{ "name", "Name", UNIT_TEXT, 20, "Name of the baseline." },
	{ "path", "Path", UNIT_TEXT, 40, "Path of its file or directory." },
};

static int list(struct session *session, const char *file, const struct baselines *baselines)
{
	inputs_add(session->inputs, file);
	AUTO_TABLE struct table *table = table_with(columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < baselines->count; i++)
		table_add_values(table, (struct value[]){ value_text(baselines->items[i].name),
							  value_text(baselines->items[i].path) });
	return print_table(session, table);
}

/* Summarize the run, so that the baseline does not change with it. */
static bool keep_summary(struct session *session, const char *file, const char *name,
			 const char *path)
{
	struct load_options load = session->load;
	AUTO(summary_task_clear) struct summary_task task = { 0 };
	AUTO_FREE char *summary = baselines_new_summary(file, name, session->options->label);
	char *slash = strrchr(summary, '/');
	*slash = 0;
	summary_task_init(&task, session->options, &load);
	task.job.directory = summary;
	task.job.force = true;
	bool done = summary_write_run(&path, 1, &task.job, slash + 1, &session->progress,
				      &session->error);
	struct error why = session->error;
	if (!done && strncmp(why.message, path, strlen(path)) != 0)
		error_set(&session->error, why.code, "%s: %s", path, why.message);
	return done;
}

static bool change(struct session *session, struct baselines *baselines, const char *file)
{
	const struct options *options = session->options;
	const char *what = options->slice_count ? options->words[0] : "";
	if (options->label && !baselines_is_name(options->label))
		return error_usage(&session->error,
				   "a label has letters, digits and -_.@, not \"%s\"",
				   options->label);
	if (strcmp(what, "add") == 0 && options->slice_count == 3)
		return baselines_add(baselines, options->words[1], options->words[2],
				     &session->error) &&
		       keep_summary(session, file, options->words[1], options->words[2]);
	if (strcmp(what, "remove") == 0 && options->slice_count == 2) {
		if (!baselines_remove(baselines, options->words[1]))
			return error_usage(&session->error, "no baseline is called %s",
					   options->words[1]);
		baselines_forget(file, options->words[1]);
		return true;
	}
	return error_usage(&session->error,
			   "strata baseline takes add NAME PATH, list, or remove NAME");
}

int command_baseline(struct session *session)
{
	const struct options *options = session->options;
	AUTO(baselines_free) struct baselines baselines = { NULL, 0 };
	char file[XDG_PATH_MAX];
	if (!xdg_state(file, "baselines"))
		return session_refuse(session,
				      "no directory for baselines: set XDG_STATE_HOME or HOME");
	if (!baselines_read(&baselines, file, &session->error))
		return session_fail(session);
	if (options->slice_count == 1 && strcmp(options->words[0], "list") == 0)
		return list(session, file, &baselines);
	bool done = change(session, &baselines, file) &&
		    baselines_write(&baselines, file, &session->error);
	return done ? STATUS_DONE : session_fail(session);
}

/* ---- history ---- */

/* In the explorer, or as a report. */
static int show_history(struct session *session)
{
	struct options *options = session->options;
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (!options->script &&
	    (options->output || options->group || !terminal || options->format != format_at(0)))
		return report_view(session, view_find("history"), 0);
	options->view = options->view ? options->view : "history";
	return explore(session, 0);
}

int command_history(struct session *session)
{
	struct options *options = session->options;
	char file[XDG_PATH_MAX];
	const char *name = options->slice_count ? options->words[0] : "";
	AUTO_FREE char *own = xdg_state(file, "baselines") ? baselines_history(file, name) : NULL;
	AUTO_FREE char *newest = own ? run_history_newest(own) : NULL;
	if (options->slice_count != 1)
		return session_refuse(session, "a baseline required: strata history NAME (or a "
					       "directory of summaries)");
	options->load.history = newest ? own : name;
	newest = newest ?: run_history_newest(name);
	if (!newest)
		return session_refuse(session, "no baseline, and no directory of summaries: %s",
				      name);
	options->words[0] = newest;
	int status = show_history(session);
	options->words[0] = name;
	return status;
}
