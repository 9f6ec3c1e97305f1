#include "cli/commands.h"
#include "cli/summary_task.h"

#include "base/error.h"
#include "base/inputs.h"
#include "base/mem.h"
#include "session/baselines.h"
#include "tui/term/xdg.h"

#include <string.h>
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
	struct summary_task task;
	char *summary = baselines_summary(file, name), *slash = strrchr(summary, '/');
	*slash = 0;
	summary_task_init(&task, session->options, &load);
	task.job.directory = summary;
	task.job.force = true;
	bool done = summary_write_run(&path, 1, &task.job, slash + 1, &session->progress,
				      &session->error);
	struct error why = session->error;
	if (!done && strncmp(why.message, path, strlen(path)) != 0)
		error_set(&session->error, why.code, "%s: %s", path, why.message);
	summary_task_clear(&task);
	mem_free(summary);
	return done;
}

static void remove_summary(const char *file, const char *name)
{
	AUTO_FREE char *summary = baselines_summary(file, name);
	unlink(summary); /* of a strata that kept none, it is not there */
}

static bool change(struct session *session, struct baselines *baselines, const char *file)
{
	const struct options *options = session->options;
	const char *what = options->slice_count ? options->words[0] : "";
	if (strcmp(what, "add") == 0 && options->slice_count == 3)
		return baselines_add(baselines, options->words[1], options->words[2],
				     &session->error) &&
		       keep_summary(session, file, options->words[1], options->words[2]);
	if (strcmp(what, "remove") == 0 && options->slice_count == 2) {
		if (!baselines_remove(baselines, options->words[1]))
			return error_set(&session->error, ERROR_USAGE, "no baseline is called %s",
					 options->words[1]);
		remove_summary(file, options->words[1]);
		return true;
	}
	return error_set(&session->error, ERROR_USAGE,
			 "strata baseline takes add NAME PATH, list, or remove NAME");
}

int command_baseline(struct session *session)
{
	const struct options *options = session->options;
	struct baselines baselines = { NULL, 0, 0 };
	char file[XDG_PATH_MAX];
	int status = STATUS_DONE;
	if (!xdg_state(file, "baselines"))
		return session_refuse(session,
				      "no directory for baselines: set XDG_STATE_HOME or HOME");
	if (!baselines_read(&baselines, file, &session->error))
		status = session_fail(session);
	else if (options->slice_count == 1 && strcmp(options->words[0], "list") == 0)
		status = list(session, file, &baselines);
	else if (!change(session, &baselines, file) ||
		 !baselines_write(&baselines, file, &session->error))
		status = session_fail(session);
	baselines_free(&baselines);
	return status;
}
