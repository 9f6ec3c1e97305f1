#include "cli/commands.h"

#include "picture/picture.h"

#include <unistd.h>

int list_keys(const struct options *options)
{
	const struct tui_options explorer = {
		.config = options->config,
		.ignore_config = options->ignore_config,
	};
	return tui_list_keys(&explorer, stdout);
}

int explore(struct session *session, size_t first)
{
	const struct options *options = session->options;
	struct scope scope = options->scope; /* shallow copy: shares the texts */
	scope.ranks.count = 0;               /* others can be selected in the ranks view */
	if (options->scope.ranks.count > 1)
		return session_refuse(
			session, "--rank takes one rank here; choose others in the view ranks");
	if (!session_find_paths(session, first))
		return session_fail(session);
	const struct tui_options explorer = {
		.config = options->config,
		.ignore_config = options->ignore_config,
		.no_state = options->no_state || options->demo,
		.paths = (const char *const *)session->paths,
		.path_count = session->path_count,
		.base = session->base,
		.load = &session->load,
		.scope = &scope,
		.view = options->view,
		.script = options->script,
		.size = options->size,
		.follow = options->follow,
		.theme = options->theme,
		.color = options->color,
		.ascii = options->ascii,
		.braille = options->braille,
		.mouse = options->mouse,
	};
	return tui_main(&explorer);
}

int command_open(struct session *session)
{
	const struct options *options = session->options;
	if (options->script || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return explore(session, 0);
	const char *name = options->view ? options->view : picture_dashboard.name;
	const struct picture *picture = picture_find(name);
	if (!picture && !view_find(name))
		return session_refuse(session, "unknown view \"%s\"", name);
	int status = picture ? report_picture(session, picture, 0)
			     : report_view(session, view_find(name), 0);
	if (status == STATUS_DONE)
		session_note(
			session,
			"not on a terminal: printed one view instead (strata report VIEW PATH prints any)");
	return status;
}
