/*
 * Plot reports, as text or SVG.
 */
#include "cli/commands.h"
#include "picture/plot/plot_print.h"

static const char prefix[] = "plot-";

const struct plot_kind *plot_of_word(const char *word)
{
	size_t length = sizeof prefix - 1;
	return strncmp(word, prefix, length) == 0 ? plot_find(word + length) : NULL;
}

static bool command_plot_find_group(const struct plot_kind *kind, const char *name,
				    const struct plot_group **group, struct error *error)
{
	AUTO_BUFFER struct buffer known = { 0 };
	*group = name ? plot_group_find(kind, name) : &kind->groups[0];
	if (*group)
		return true;
	for (int i = 0; i < PLOT_GROUPS_MAX && kind->groups[i].name; i++)
		buffer_printf(&known, "%s%s", i ? ", " : "", kind->groups[i].name);
	error_usage(error, "plot-%s: -g must be one of %s, not \"%s\"", kind->name,
		    buffer_text(&known), name);
	return false;
}

static bool check_options(const struct plot_kind *kind, const struct options *options,
			  struct error *error)
{
	if (options->extract.columns || options->extract.sort || options->extract.limit != SIZE_MAX)
		return error_usage(error, "plot-%s is a picture: -c, -s and -n apply to views only",
				   kind->name);
	if (options->format != format_at(0))
		return error_usage(
			error,
			"a plot is text or svg; for its numbers print the view %s (strata report %s -f %s)",
			kind->groups[0].view, kind->groups[0].view, options->format->name);
	return true;
}

static bool write_plot(struct session *session, const struct plot *plot,
		       const struct pattern *search)
{
	const struct options *options = session->options;
	struct output output;
	struct plot_print print = { .marks = !print_unicode(options) ? PLOT_ASCII
					     : options->braille      ? PLOT_BRAILLE
								     : PLOT_BLOCKS,
				    .width = print_width(options),
				    .height = (int)options->height,
				    .color = print_color(options),
				    .search = search };
	if (!print_open(session, &output))
		return false;
	if (print_wants_svg(options))
		plot_svg(plot, &output.text);
	else
		plot_print(plot, &print, &output.text);
	return print_close(session, &output, !search || pattern_completed(search, &session->error));
}

static int command_plot_draw(struct session *session, const struct plot_kind *kind,
			     const struct plot_group *group, const struct pattern *search)
{
	const struct options *options = session->options;
	struct plot *plot = (options->group ? plot_build : plot_build_first)(
		kind, group, session->run, &options->scope, &session->progress, &session->error);
	if (!plot)
		return session_fail(session);
	int status = write_plot(session, plot, search) ? STATUS_DONE : session_fail(session);
	if (status == STATUS_DONE && plot_is_empty(plot) && options->narrowed)
		status = STATUS_NO_MATCH;
	plot_free(plot);
	return session_status(session, status);
}

int report_plot(struct session *session, const struct plot_kind *kind)
{
	const struct options *options = session->options;
	const struct plot_group *group;
	AUTO_PATTERN struct pattern *search = NULL;
	if (!check_options(kind, options, &session->error) ||
	    !command_plot_find_group(kind, options->group, &group, &session->error))
		return session_fail(session);
	if (options->search && !(search = pattern_new(options->search, &session->error)))
		return session_fail(session);
	return session_open(session, 1) ? command_plot_draw(session, kind, group, search)
					: session_fail(session);
}
