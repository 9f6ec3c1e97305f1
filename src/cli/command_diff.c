#include "cli/command.h"

#include "analysis/step_change.h"
#include "views/diff.h"
#include "base/buffer.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --view names the view itself or one of its groupings. */
static bool choose_grouping(struct options *options, const struct view *view, struct error *error)
{
	const char *name = options->view;
	if (!name || strcmp(name, view->name) == 0)
		return true;
	for (int i = 0; i < VIEW_GROUPS_MAX && view->groups[i]; i++) {
		if (strcmp(name, view->groups[i]) == 0) {
			options->group = name;
			return true;
		}
	}
	return error_set(
		error, ERROR_USAGE,
		"unknown grouping \"%s\": --view must be diff or one of its groupings (see strata views)",
		name);
}

static bool wants_explorer(const struct options *options)
{
	if (options->script)
		return true;
	return !options->view && !options->output && !options->group && options->fail_above < 0 &&
	       options->format == format_at(0) && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* STATUS_SLOWER if the median step slowed down by more than --fail-above. */
static int check_steps(struct session *session)
{
	struct step_change change;
	struct buffer text = { 0 };
	if (!step_change_of_run(session->run, &session->options->scope, &change, &session->progress,
				&session->error))
		return session_fail(session);
	double more = change.new.median - change.base.median;
	double allowed = change.base.median * session->options->fail_above / 100;
	if (!change.base.count || !change.new.count || more <= allowed || more <= change.noise)
		return STATUS_DONE;
	buffer_printf(&text, "the median step is %.1f%% slower (limit %g%%)",
		      100 * more / change.base.median, session->options->fail_above);
	session_note(session, buffer_text(&text));
	buffer_free(&text);
	return STATUS_SLOWER;
}

static int print_comparison(struct session *session, const struct view *view)
{
	int status = report_view(session, view, 1);
	if (status == STATUS_DONE && session->run && session->options->fail_above >= 0)
		status = check_steps(session);
	return status;
}

int command_diff(struct session *session)
{
	const struct options *given = session->options;
	const struct view *view = view_find("diff");
	struct options options = *given;
	bool help = options.extract.columns && strcmp(options.extract.columns, "help") == 0;
	if (!help && options.word_count + options.demo != 2) {
		error_set(&session->error, ERROR_USAGE,
			  "two runs required: strata diff BASE NEW (a directory is one run)");
		return session_fail(session);
	}
	if (!choose_grouping(&options, view, &session->error))
		return session_fail(session);
	bool explorer = !help && wants_explorer(&options);
	if (explorer)
		options.view = view->name;
	options.base = help ? NULL : options.words[0];
	session->options = &options;
	int status = explorer ? explore(session, 1) : print_comparison(session, view);
	session->options = given;
	return status;
}
