#include "cli/commands.h"

#include "base/replace.h"
#include "report/envelope.h"
#include "views/views.h"

#include <langinfo.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_ELSEWHERE = 160 }; /* table width if the output is not a terminal */

static int terminal_width(void)
{
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return WIDTH_ELSEWHERE;
}

int print_width(const struct options *options)
{
	if (options->width != WIDTH_OF_TERMINAL)
		return (int)options->width;
	return !options->output && isatty(STDOUT_FILENO) ? terminal_width() : WIDTH_ELSEWHERE;
}

bool print_unicode(const struct options *options)
{
	return !options->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool print_color(const struct options *options)
{
	const char *force = getenv("CLICOLOR_FORCE"), *without = getenv("NO_COLOR"),
		   *terminal = getenv("TERM");
	if (options->color != TUI_COLOR_AUTO)
		return options->color == TUI_COLOR_ALWAYS;
	if ((without && *without) || options->output)
		return false;
	return (force && *force && strcmp(force, "0") != 0) ||
	       (isatty(STDOUT_FILENO) && (!terminal || strcmp(terminal, "dumb") != 0));
}

static struct style choose_style(const struct options *options)
{
	bool terminal = !options->output && isatty(STDOUT_FILENO);
	return (struct style){ .width = (size_t)print_width(options),
			       .raw = options->raw,
			       .unicode = terminal && print_unicode(options),
			       .terminal = terminal,
			       .color = print_color(options),
			       .csv_safe = options->csv_safe,
			       .unit_s = options->preset.unit_s,
			       .skip_zero = options->preset.skip_zero };
}

bool print_open(struct session *session, struct output *output)
{
	const struct options *options = session->options;
	if (options->format == format_find("html"))
		session_note(
			session,
			"the page has names, paths and metadata of the profile, secrets in it %s; read it before you share it",
			options->show_secrets ? "shown" : "masked");
	return output_open(output, options->output, STDOUT_FILENO, options->force, &session->error);
}

void print_place(struct session *session, const char *path)
{
	if (path && !replace_is_atomic(path))
		session_note(session, "%s: written in place, since its directory is not writable",
			     path);
}

bool print_close(struct session *session, struct output *output, bool done)
{
	const char *path = output->path;
	if (!done) {
		output_discard(output);
		return false;
	}
	session_clear_progress(session);
	if (!output_commit(output, &session->error))
		return false;
	print_place(session, path);
	return true;
}

/* Sentences do not fit the columns of a table. */
static format_writer *choose_writer(const struct options *options, const struct extract *extract)
{
	bool cards = options->format == format_at(0) && extract->table->view == &view_advice &&
		     !options->extract.columns;
	return cards ? format_write_cards : options->format->write;
}

static bool write_extract(struct session *session, const struct extract *extract,
			  const struct table *facts)
{
	const struct options *options = session->options;
	struct style style = choose_style(options);
	struct output output;
	style.facts = facts;
	if (!print_open(session, &output))
		return false;
	bool done = choose_writer(options, extract)(&output, extract, &style, &session->progress,
						    &session->error);
	return print_close(session, &output, done);
}

/* With the envelope, if it was requested. */
static bool write_enveloped(struct session *session, const struct extract *extract)
{
	const struct options *options = session->options;
	if (!options->envelope || !session->run)
		return write_extract(session, extract, NULL);
	AUTO_TABLE struct table *facts =
		envelope_facts(session->run, &options->scope, extract->table, options->group,
			       &session->progress, &session->error);
	return facts && write_extract(session, extract, facts);
}

static bool check_format(const struct options *options, struct error *error)
{
	if (options->svg)
		return error_usage(error,
				   "svg is available for plots only (strata report plot-memory)");
	return !options->envelope || options->format->has_envelope ||
	       error_usage(error, "--envelope requires -f json or -f ndjson");
}

int print_table(struct session *session, const struct table *table)
{
	const struct options *options = session->options;
	struct extract_options wanted = options->extract;
	wanted.all_columns = options->format->all_columns;
	AUTO(extract_clear) struct extract extract = { 0 };
	bool done = check_format(options, &session->error) &&
		    extract_make(&extract, table, &wanted, &session->progress, &session->error) &&
		    write_enveloped(session, &extract);
	return done ? STATUS_DONE : session_fail(session);
}

bool print_wants_svg(const struct options *options)
{
	const char *dot = options->output ? strrchr(options->output, '.') : NULL;
	return options->svg || (dot && strcmp(dot, ".svg") == 0);
}
