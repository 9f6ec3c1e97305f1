#include "cli/commands.h"

#include "analysis/step_change.h"
#include "views/diff/diff.h"

#include <errno.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
	return error_usage(
		error,
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

/* ---- --fail-above ---- */

static const double SHARE_MIN = 0.001; /* of all compared time, for a row to fail the comparison */

static int say_slower(struct session *session, struct value what, double percent,
		      const char *compared)
{
	session_note(session, "%.*s is %.1f%% slower (%s%slimit %g%%)", (int)what.length, what.text,
		     percent, compared, *compared ? " time, " : "", session->options->fail_above);
	return STATUS_SLOWER;
}

/* STATUS_SLOWER if the median step slowed down by more than --fail-above. */
static int check_steps(struct session *session)
{
	struct step_change change;
	if (!step_change_of_run(session->run, &session->options->scope, &change, &session->progress,
				&session->error))
		return session_fail(session);
	struct difference evidence = step_change_evidence(&change);
	double percent = 100 * (change.new.median / change.base.median - 1);
	if (!change.base.count || !change.new.count || difference_judge(&evidence) != SLOWER ||
	    percent <= session->options->fail_above)
		return STATUS_DONE;
	return say_slower(session, value_text("the median step"), percent, "");
}

static double amount_of(const struct table *table, size_t row, const char *column)
{
	return value_number(table_cell(table, row, column), 0);
}

static bool has_text(const struct table *table, size_t row, const char *column, const char *text)
{
	return value_is(table_cell(table, row, column), text);
}

/* Of a data loader or optimizer, its total. */
static double compared_base(const struct table *table, size_t row, bool device)
{
	double own = amount_of(table, row, device ? "base_gpu_ns" : "base_cpu_ns");
	return own > 0 ? own
		       : amount_of(table, row, device ? "base_gpu_total_ns" : "base_cpu_total_ns");
}

/* STATUS_SLOWER if a row of TABLE that is worth it did. WHOLE: rows that contain no other ones. */
static int check_rows(struct session *session, const struct table *table, const struct table *whole)
{
	double gpu = 0, cpu = 0;
	for (size_t row = 0; row < whole->rows; row++) {
		gpu += amount_of(whole, row, "base_gpu_ns");
		cpu += amount_of(whole, row, "base_cpu_ns");
	}
	for (size_t row = 0; row < table->rows; row++) {
		struct value compared = table_cell(table, row, "compared");
		bool device = diff_is_of(compared, "GPU");
		double ratio = amount_of(table, row, "ratio");
		double more = (ratio - 1) * compared_base(table, row, device);
		if (has_text(table, row, "verdict", "slower") && !value_is(compared, "step") &&
		    100 * (ratio - 1) > session->options->fail_above &&
		    more >= SHARE_MIN * (device ? gpu : cpu))
			return say_slower(session, table_cell(table, row, "name"),
					  100 * (ratio - 1), compared.text);
	}
	return STATUS_DONE;
}

/* No answer is not a pass. */
static int say_incomparable(struct session *session, const char *reasons)
{
	session_warn(session, "the runs are not comparable, so --fail-above has no answer: %s",
		     reasons);
	return STATUS_INCOMPARABLE;
}

/* Rows differ, and none of them could be judged: a summary has sums, and no single calls. */
static bool is_unjudged(const struct table *table)
{
	size_t unjudged = 0;
	for (size_t row = 0; row < table->rows; row++) {
		if (has_text(table, row, "verdict", "not comparable"))
			unjudged++;
		else if (table_cell(table, row, "verdict").kind == VALUE_TEXT &&
			 !has_text(table, row, "verdict", "new") &&
			 !has_text(table, row, "verdict", "gone"))
			return false;
	}
	return unjudged > 0;
}

static int check_limit(struct session *session, const struct view *view)
{
	const struct options *options = session->options;
	AUTO_TABLE struct table *table = session_table(session, view, options->group);
	AUTO_TABLE struct table *whole = table ? session_table(session, view, NULL) : NULL;
	if (!whole)
		return session_fail(session);
	session_clear_progress(session);
	int status = table->comparable && strcmp(table->comparable, "no") == 0
			     ? say_incomparable(session, table->reasons)
			     : check_steps(session);
	if (status == STATUS_DONE)
		status = check_rows(session, table, whole);
	if (status == STATUS_DONE && is_unjudged(table))
		status = say_incomparable(session,
					  "no row that differs could be judged: a summary has no "
					  "single calls");
	return status;
}

/* The rest of a file that ends early may hold what differs. */
static int status_of_whole(const struct session *session, int status)
{
	bool cut = session->run &&
		   (session_truncated(session->run) || session_truncated(session->run->base));
	return status == STATUS_DONE && cut ? STATUS_INCOMPARABLE : status;
}

static int print_comparison(struct session *session, const struct view *view)
{
	int status = report_view(session, view, 1);
	if (status == STATUS_DONE && session->run && session->options->fail_above >= 0)
		status = check_limit(session, view);
	return status_of_whole(session, status);
}

int command_diff(struct session *session)
{
	const struct view *view = view_find("diff");
	struct options *options = session->options;
	bool help = options->extract.columns && strcmp(options->extract.columns, "help") == 0;
	if (!help && options->slice_count + options->demo != 2)
		return session_refuse(
			session,
			"two runs required: strata diff BASE NEW (a directory is one run)");
	if (!choose_grouping(options, view, &session->error))
		return session_fail(session);
	bool explorer = !help && wants_explorer(options);
	if (explorer)
		options->view = view->name;
	options->base = help ? NULL : options->words[0];
	return explorer ? explore(session, 1) : print_comparison(session, view);
}

/* ---- bisect ---- */

/* Run the words after BASE and NEW. False with the session's error if that fails, or leaves NEW. */
static bool make_run(struct session *session)
{
	const struct options *options = session->options;
	size_t count = options->slice_count - 2;
	AUTO_FREE char **words = mem_zalloc(count + 1, sizeof *words);
	memcpy(words, options->words + 2, count * sizeof *words);
	struct stat before = { 0 }, after = { 0 };
	const char *path = options->words[1];
	pid_t child;
	int status = -1;
	stat(path, &before);
	int why = posix_spawnp(&child, *words, NULL, NULL, words, environ);
	if (why)
		return error_input(&session->error, "cannot run %s: %s", *words, strerror(why));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_input(&session->error, "%s failed", *words);
	if (stat(path, &after) == 0 &&
	    memcmp(&before.st_mtim, &after.st_mtim, sizeof after.st_mtim) != 0)
		return true;
	return error_input(&session->error, "%s wrote no new %s", *words, path);
}

static int judge_new(struct session *session)
{
	struct options *options = session->options;
	if (options->slice_count > 2 && !make_run(session))
		return session_fail(session);
	options->slice_count = 2;
	options->base = options->words[0];
	raise_to(options->fail_above, 0);
	if (!session_open(session, 1))
		return session_fail(session);
	int status = status_of_whole(session, check_limit(session, view_find("diff")));
	if (status == STATUS_DONE)
		session_note(session, "%s is not slower than %s", options->words[1],
			     options->words[0]);
	return status;
}

int command_bisect(struct session *session)
{
	enum { SKIP = 125 }; /* to git bisect run */
	if (session->options->slice_count < 2)
		return session_refuse(session, "a good and a new run required: strata bisect BASE "
					       "NEW [-- COMMAND that records NEW]");
	int status = judge_new(session);
	return status == STATUS_DONE || status == STATUS_SLOWER || status > SKIP ? status : SKIP;
}
