/*
 * Entry point: finds the command and runs it.
 */
#include "base/text.h"
#include "cli/charset.h"
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const struct command commands[] = { PROGRAM_COMMANDS_ROWS };

enum { COMMANDS = sizeof commands / sizeof *commands };

/* Extract the command; options may precede it. */
static const struct command *take_command(int *argc, char **argv)
{
	int at = options_first_word(*argc, argv);

	for (int i = 1; at > 0 && i < COMMANDS; i++) {
		if (strcmp(commands[i].name, argv[at]) != 0)
			continue;
		memmove(argv + at, argv + at + 1, (size_t)(*argc - at) * sizeof *argv);
		(*argc)--;
		return &commands[i];
	}
	return &commands[0];
}

/* "help" is "--help", "help report" is "report --help". */
static void take_help(int argc, char **argv)
{
	static char help[] = "--help";
	if (argc < 2 || strcmp(argv[1], "help") != 0 || access(argv[1], F_OK) == 0)
		return;
	argv[1] = argc > 2 ? argv[2] : help;
	if (argc > 2)
		argv[2] = help;
}

/* Reject a first word that is not a file but a view or close to a command name. */
static bool refuse_misspelled(int argc, char **argv, struct error *error)
{
	enum { SLIPS_MAX = 2 };
	int at = options_first_word(argc, argv);

	for (int i = 1; at > 0 && i < COMMANDS; i++) {
		const char *word = argv[at];
		if (text_distance(word, commands[i].name) <= SLIPS_MAX && access(word, F_OK) != 0)
			return error_usage(error, "no file or command \"%s\"; did you mean %s?",
					   word, commands[i].name);
	}
	if (at > 0 && access(argv[at], F_OK) != 0 && is_report(argv[at]))
		return error_usage(error,
				   "no file or command \"%s\"; did you mean strata report %s?",
				   argv[at], argv[at]);
	return true;
}

static void print_usage(const struct command *command, int width)
{
	enum { INDENT = 4 };
	int used =
		printf("strata%s%s ", command->name ? " " : "", command->name ? command->name : "");
	options_wrap(stdout, command->usage, used, width);
	printf("%*s", INDENT, "");
	options_wrap(stdout, command->summary, INDENT, width);
}

/* Wrapped on a terminal; elsewhere a line each, for grep. */
static int print_help(const struct command *command, const struct options *options)
{
	int width = isatty(STDOUT_FILENO) ? print_width(options) : 0;
	print_usage(command, width);
	for (int i = 1; !command->name && i < COMMANDS; i++)
		print_usage(&commands[i], width);
	printf("\nOptions%s:\n", command->name ? "" : " of the explorer");
	options_help(stdout, command->set, width);
	return fflush(stdout) == 0 ? STATUS_DONE : STATUS_OUTPUT;
}

static int main_act(const struct command *command, struct session *session)
{
	switch (session->options->action) {
	case ACTION_HELP: return print_help(command, session->options);
	case ACTION_VERSION:
		print_version(stdout);
		return fflush(stdout) == 0 ? STATUS_DONE : STATUS_OUTPUT;
	case ACTION_LIST_KEYS: return list_keys(session->options);
	case ACTION_LIST:
		if (strcmp(session->options->list, "reports") == 0) {
			list_reports(stdout);
		} else if (strcmp(session->options->list, "detectors") == 0) {
			list_detectors(stdout);
		} else if (strcmp(session->options->list, "gpus") == 0) {
			list_gpus(stdout);
		} else if (!tui_list(session->options->list, stdout)) {
			return session_refuse(
				session,
				"--list must be commands, config, detectors, gpus, guidance, reports or themes, not \"%s\"",
				session->options->list);
		}
		return fflush(stdout) == 0 ? STATUS_DONE : STATUS_OUTPUT;
	default:
		if (command->alone && session->options->slice_count)
			return session_refuse(session, "strata %s takes no argument \"%s\"",
					      command->name, session->options->words[0]);
		return command->run(session);
	}
}

struct invocation {
	int argc;
	char **argv;
	int status;
};

static bool invoke(void *context)
{
	struct invocation *invocation = context;
	int argc = invocation->argc;
	AUTO_FREE char **argv = mem_zalloc((size_t)argc + 1, sizeof *argv);
	memcpy(argv, invocation->argv, (size_t)argc * sizeof *argv);
	take_help(argc, argv);
	const struct command *command = take_command(&argc, argv);
	AUTO(options_clear) struct options options;
	AUTO(session_end) struct session session;
	struct error error = { 0 };
	bool good = options_parse(&options, argc, argv, command->set, &error) &&
		    (command->name || refuse_misspelled(argc, argv, &error));
	session_begin(&session, &options);
	session.error = error;
	invocation->status = good ? main_act(command, &session) : session_fail(&session);
	return true;
}

/*
 * Open placeholders for closed standard descriptors, so that messages cannot end up in a file
 * opened under their number. Standard input and output placeholders fail; errors are discarded.
 */
static void keep_standard_descriptors(void)
{
	static const int ways[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY
	};
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", ways[fd]) != fd)
			_exit(STATUS_OUTPUT);
}

int main(int argc, char **argv)
{
	keep_standard_descriptors();
	charset_start();
	struct invocation invocation = { argc, argv, STATUS_DONE };
	struct error error;
	if (argc > 0 && mem_guard(invoke, &invocation, &error))
		return invocation.status;
	fprintf(stderr, "strata: %s\n", argc > 0 ? error.message : "out of memory");
	return STATUS_INPUT;
}
