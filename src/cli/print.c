#include "cli/command.h"

#include "base/error.h"

#include <langinfo.h>
#include <string.h>
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
	if (options->width >= 0)
		return (int)options->width;
	return !options->output && isatty(STDOUT_FILENO) ? terminal_width() : WIDTH_ELSEWHERE;
}

bool print_unicode(const struct options *options)
{
	return !options->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static struct style choose_style(const struct options *options)
{
	bool terminal = !options->output && isatty(STDOUT_FILENO);
	return (struct style){ .width = (size_t)print_width(options),
			       .raw = options->raw,
			       .unicode = terminal && print_unicode(options),
			       .terminal = terminal };
}

static bool write_extract(struct session *session, const struct extract *extract)
{
	const struct options *options = session->options;
	struct style style = choose_style(options);
	struct output output;
	if (!output_open(&output, options->output, STDOUT_FILENO, &session->error))
		return false;
	if (!options->format->write(&output, extract, &style, &session->progress,
				    &session->error)) {
		output_discard(&output);
		return false;
	}
	session_clear_progress(session);
	return output_commit(&output, &session->error);
}

int print_table(struct session *session, const struct table *table)
{
	const struct options *options = session->options;
	struct extract_options wanted = options->extract;
	wanted.all_columns = options->format->all_columns;
	struct extract extract;
	if (options->svg) {
		error_set(&session->error, ERROR_USAGE,
			  "svg is available for plots only (strata report plot-memory)");
		return session_fail(session);
	}
	bool done = extract_make(&extract, table, &wanted, &session->progress, &session->error) &&
		    write_extract(session, &extract);
	extract_clear(&extract);
	return done ? STATUS_DONE : session_fail(session);
}
