/*
 * strata attach: ask running PyTorch jobs for traces, wait for them, and open them.
 */
#include "base/any_of.h"
#include "cli/attach_http.h"
#include "cli/attach_socket.h"
#include "cli/commands.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/platform.h"
#include "base/text.h"
#include "cli/summary_task.h"
#include "tui/app/picker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND_NS 1000000000LL

enum {
	WAIT_MS = 50,
	NOTED_MAX = 8, /* processes whose states are noted one by one */
};

struct attaching {
	struct session *session;
	struct attach attach;
	struct attach_socket listener;
	bool lists;            /* nothing was chosen on the command line */
	bool picks;            /* of the list, on the screen */
	size_t listed;         /* processes so far */
	bool met;              /* one that was meant polled */
	struct picker *picker; /* of the list, while the user chooses; NULL: none */
	char *directory;       /* of the request; NULL: none yet */
	int folder;            /* its descriptor */
	char stage[128];       /* of the progress line */
};

/* ---- the list ---- */

/* A row of the list. */
static void describe_process(const struct attach_process *process, size_t number,
			     struct buffer *out)
{
	AUTO_BUFFER struct buffer environment = { 0 };
	AUTO_BUFFER struct buffer command = { 0 };
	AUTO_BUFFER struct buffer safe = { 0 };
	enum { COMMAND_COLUMNS = 80 };
	platform_process_read(&environment, process->pid, "environ");
	platform_process_read(&command, process->pid, "cmdline");
	for (size_t i = 0; i + 1 < command.length; i++)
		if (!command.data[i])
			command.data[i] = ' ';
	const char *rank = process_variable(&environment, "RANK");
	char gpu[NUMBER_MAX] = "", job[NUMBER_MAX] = "";
	if (process->gpu >= 0)
		number_count(gpu, process->gpu);
	if (process->job)
		number_count(job, process->job);
	buffer_printf(out, "%3zu %8d %5.5s %4s %10s  ", number, process->pid, rank ? rank : "", gpu,
		      job);
	if (command.length)
		text_escape(&safe, command.data, command.length - 1);
	text_elide(out, BUFFERED(&safe), COMMAND_COLUMNS, false);
	buffer_puts(out, process->busy ? " (records already)" : "");
}

/* Those that have polled since, or ALL. */
static void list_new(struct attaching *attaching, bool all)
{
	static const char title[] = "         PID  RANK  GPU        JOB  COMMAND";
	const struct attach *attach = &attaching->attach;
	for (; attaching->listed < attach->count; attaching->listed++) {
		AUTO_BUFFER struct buffer row = { 0 };
		const struct attach_process *next = &attach->processes[attaching->listed];
		if (!next->polls && !all)
			return;
		describe_process(next, attaching->listed + 1, &row);
		if (attaching->picker) {
			picker_add(attaching->picker, row.data);
			continue;
		}
		session_clear_progress(attaching->session);
		printf("%s%s%s\n", attaching->listed ? "" : title, attaching->listed ? "" : "\n",
		       row.data);
		fflush(stdout);
	}
}

/* ---- choosing ---- */

/* A new directory that others cannot enter, in that of -o or where Kineto may write. */
static bool make_folder(struct attaching *attaching, const char *allowed)
{
	const struct options *options = attaching->session->options;
	struct error *error = &attaching->session->error;
	bool given = options->output && !options->summarize;
	char *parent = realpath(given ? options->output : allowed, NULL);
	if (!parent)
		return error_output(error, "%s: %s", given ? options->output : allowed,
				    strerror(errno));
	attaching->directory = mem_printf("%s/strata-XXXXXX", given ? parent : allowed);
	free(parent);
	attaching->attach.request.directory = attaching->directory;
	attaching->attach.request.id = text_file_name(attaching->directory);
	if (!trace_request_check(&attaching->attach.request, error))
		return false;
	if (mkdtemp(attaching->directory))
		attaching->folder =
			open(attaching->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return attaching->folder >= 0 ||
	       error_output(error, "%s: %s", attaching->directory, strerror(errno));
}

/* Kineto writes only below the directory of its environment, else below /tmp. */
static bool can_write(struct attaching *attaching, const struct attach_process *process)
{
	AUTO_BUFFER struct buffer environment = { 0 };
	if (!platform_process_read(&environment, process->pid, "environ"))
		return false; /* it has ended meanwhile */
	attaching->met = true;
	const char *set = process_variable(&environment, "KINETO_ONDEMAND_TRACE_DIR");
	AUTO_FREE char *allowed = mem_strdup(set && *set ? set : "/tmp");
	size_t length = strlen(allowed);
	while (length && allowed[length - 1] == '/')
		allowed[--length] = 0;
	if (!attaching->directory && !make_folder(attaching, allowed))
		session_warn(attaching->session, "%s", attaching->session->error.message);
	if (attaching->folder < 0)
		return false;
	if (strncmp(attaching->directory, allowed, length) == 0 &&
	    attaching->directory[length] == '/')
		return true;
	session_warn(attaching->session,
		     "process %d writes only below %s (its KINETO_ONDEMAND_TRACE_DIR), not to %s",
		     process->pid, allowed, attaching->directory);
	return false;
}

static bool is_asked_for(void *context, const struct attach_process *process)
{
	struct attaching *attaching = context;
	const struct options *options = attaching->session->options;
	bool meant = options->all_processes ||
		     (options->pid && process->pid == (int32_t)options->pid) ||
		     (options->job && process->job == (int64_t)options->job);
	return meant && can_write(attaching, process);
}

static size_t count_state(const struct attaching *attaching, enum attach_state first,
			  enum attach_state last)
{
	size_t count = 0;
	for (size_t i = 0; i < attaching->attach.count; i++) {
		enum attach_state state = attaching->attach.processes[i].state;
		count += state >= first && state <= last;
	}
	return count;
}

/* ---- waiting ---- */

/* What there is of the trace of a process. Links are not followed. */
static void look_for(struct attaching *attaching, struct attach_process *process)
{
	struct session *session = attaching->session;
	AUTO_BUFFER struct buffer name = { 0 };
	struct stat status;
	struct attach_sight sight = { .alive = process_runs(process->pid, NULL) };
	trace_request_file(process->own_pid, &name);
	sight.file = fstatat(attaching->folder, name.data, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		     S_ISREG(status.st_mode) && status.st_uid == attaching->attach.user;
	buffer_puts(&name, ".tmp");
	sight.temporary = !sight.file &&
			  fstatat(attaching->folder, name.data, &status, AT_SYMLINK_NOFOLLOW) == 0;
	sight.size = sight.file || sight.temporary ? (uint64_t)status.st_size : 0;
	attach_look(&attaching->attach, process, &sight, clock_ns());
	if (process->told == process->state)
		return;
	process->told = process->state;
	if (process->state > ATTACH_READY)
		session_warn(session, "process %d %s", process->pid, attach_word(process->state));
	else if (count_state(attaching, ATTACH_CHOSEN, ATTACH_LATE) <= NOTED_MAX)
		session_note(session, "process %d: %s", process->pid, attach_word(process->state));
}

static void describe_state(struct attaching *attaching)
{
	char size[NUMBER_MAX];
	uint64_t bytes = sum_of(i, attaching->attach.count, attaching->attach.processes[i].size);
	snprintf(attaching->stage, sizeof attaching->stage,
		 "asked %zu, started %zu, writing %zu (%s), ready %zu",
		 count_state(attaching, ATTACH_CHOSEN, ATTACH_ASKED),
		 count_state(attaching, ATTACH_STARTED, ATTACH_STARTED),
		 count_state(attaching, ATTACH_WRITING, ATTACH_WRITING),
		 number_bytes(size, (double)bytes),
		 count_state(attaching, ATTACH_READY, ATTACH_READY));
}

/* Answer for a moment, or until a key is pressed. False: interrupted. */
static bool serve_moment(struct attaching *attaching)
{
	int input = attaching->picker ? picker_input(attaching->picker) : -1;
	struct pollfd waits[] = { { attaching->listener.descriptor, POLLIN, 0 },
				  { input, POLLIN, 0 } };
	poll(waits, 2, WAIT_MS);
	attach_socket_serve(&attaching->listener, &attaching->attach);
	if (attaching->lists)
		list_new(attaching, false);
	for (size_t i = 0; attaching->folder >= 0 && i < attaching->attach.count; i++)
		look_for(attaching, &attaching->attach.processes[i]);
	bool chosen = count_state(attaching, ATTACH_CHOSEN, ATTACH_LATE) > 0;
	snprintf(attaching->stage, sizeof attaching->stage, "waiting for processes that ask");
	if (chosen)
		describe_state(attaching);
	bool on = progress_update(&attaching->session->progress, attaching->stage, 0, 0, 0);
	return on || error_set(&attaching->session->error, ERROR_CANCELLED,
			       "stopped waiting; the jobs go on%s%s",
			       attaching->directory ? ", their traces come to " : "",
			       attaching->directory ? attaching->directory : "");
}

/* ---- the command ---- */

static int refuse_endpoint(struct attaching *attaching, const char *place)
{
	struct session *session = attaching->session;
	const struct options *options = session->options;
	AUTO_BUFFER struct buffer command = { 0 };
	int why = errno;
	struct trace_request ask = options->ask;
	ask.directory = options->output ? options->output : "/tmp";
	trace_request_dyno(&ask, (int32_t)options->pid, (int64_t)options->job, &command);
	if (why == EADDRINUSE)
		error_input(&session->error,
			    "another process, perhaps dynolog, answers at %s; ask it: %s", place,
			    command.data);
	else
		error_output(&session->error, "%s: %s", place, strerror(why));
	return session_fail(session);
}

/* Nothing was chosen: say why, and how to go on. */
static int explain_none(struct attaching *attaching)
{
	struct session *session = attaching->session;
	const struct attach *attach = &attaching->attach;
	for (int i = 0; i < ATTACH_REFUSALS; i++)
		if (attach->refused[i])
			session_warn(session, "%llu messages %s",
				     (unsigned long long)attach->refused[i],
				     attach_why_refused((enum attach_refusal)i));
	if (attaching->met) /* what went wrong with it was said */
		return STATUS_INPUT;
	if (attaching->listed) {
		session_note(session, "strata attach --pid PID or --all records them");
		return STATUS_DONE;
	}
	const struct options *options = session->options;
	AUTO_FREE char *within =
		attaching->picks ? mem_strdup("")
				 : mem_printf(" within %g seconds", options->within_ms / 1e3);
	AUTO_FREE char *who = options->pid ? mem_printf("process %zu did not ask", options->pid)
			      : options->job
				      ? mem_printf("no process of job %zu asked", options->job)
				      : mem_strdup("no process asked");
	error_input(&session->error,
		    "%s%s: start the job with KINETO_USE_DAEMON=1 (PyTorch 2.0 or later), on this "
		    "host and as this user",
		    who, within);
	return session_fail(session);
}

/* Listen until there is what was asked for. False: interrupted. */
static bool gather(struct attaching *attaching)
{
	const struct options *options = attaching->session->options;
	int64_t end = clock_ns() + options->within_ms * (SECOND_NS / 1000);
	bool one = options->pid != 0;
	while (clock_ns() < end && !(one && attaching->met))
		if (!serve_moment(attaching))
			return false;
	if (attaching->lists)
		list_new(attaching, true);
	attaching->lists = false;
	attaching->attach.wants = NULL; /* who comes later is not asked */
	return true;
}

/* Have the user pick of the list, while processes poll. False: interrupted. */
static bool ask_user(struct attaching *attaching)
{
	struct session *session = attaching->session;
	struct attach *attach = &attaching->attach;
	const struct options *options = session->options;
	const struct tui_options looks = { .theme = options->theme,
					   .color = options->color,
					   .ascii = options->ascii };
	struct picker *picker =
		picker_open(&looks, "PID, RANK, GPU, JOB, COMMAND", &session->error);
	enum picker_state state = PICKER_OPEN;
	bool visible = session->visible, good = true;
	attaching->picker = picker;
	session->visible = false; /* not over the list */
	while (picker && good && (state = picker_turn(picker)) == PICKER_OPEN)
		good = serve_moment(attaching);
	AUTO_FREE bool *picked = mem_zalloc(attaching->listed + 1, sizeof *picked);
	for (size_t i = 0; i < attaching->listed; i++)
		picked[i] = state == PICKER_PICKED && picker_has(picker, i);
	picker_close(picker);
	attaching->picker = NULL;
	attaching->lists = false;
	session->visible = visible;
	for (size_t i = 0; i < attaching->listed; i++)
		if (picked[i] && can_write(attaching, &attach->processes[i]))
			attach_choose(&attach->processes[i], clock_ns());
	attach->several = count_state(attaching, ATTACH_CHOSEN, ATTACH_LATE) > 1;
	return picker && good;
}

/* Summarize to a folder of this host, of which several may do so; the exit status. */
static int summarize_here(struct session *session)
{
	struct options *options = session->options;
	char host[256] = "";
	gethostname(host, sizeof host - 1);
	AUTO_FREE char *into = mem_printf("%s/%s", options->output ? options->output : ".", host);
	options->output = into;
	int status = command_summarize(session);
	options->output = NULL;
	return status;
}

/* Open or summarize what came; on no terminal, print where it is. */
static int show_traces(struct session *session, int status)
{
	const struct options *options = session->options;
	session_clear_progress(session);
	if (options->summarize)
		return summarize_here(session);
	if (options->script || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return explore(session, 0);
	for (size_t i = 0; i < options->slice_count; i++) {
		AUTO_BUFFER struct buffer safe = { 0 };
		text_escape(&safe, options->words[i], strlen(options->words[i]));
		puts(safe.data);
	}
	return status;
}

/* The traces that came are the paths of the command. */
static int finish(struct attaching *attaching)
{
	struct session *session = attaching->session;
	struct options *options = session->options;
	const struct attach *attach = &attaching->attach;
	AUTO_BUFFER struct buffer name = { 0 };
	size_t wanted = count_state(attaching, ATTACH_CHOSEN, ATTACH_LATE);
	mem_replace(options->words, mem_zalloc(attach->count, sizeof *options->words));
	for (size_t i = 0; i < attach->count; i++) {
		if (attach->processes[i].state != ATTACH_READY)
			continue;
		buffer_clear(&name);
		trace_request_file(attach->processes[i].own_pid, &name);
		options->words[options->slice_count++] =
			mem_printf("%s/%s", attaching->directory, name.data);
	}
	session_clear_progress(session);
	if (options->slice_count)
		session_note(session, "traces in %s", attaching->directory);
	int status = summary_status(options->slice_count, wanted);
	return options->slice_count ? show_traces(session, status) : status;
}

static int record(struct attaching *attaching)
{
	attaching->picks = attaching->lists && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (!(attaching->picks ? ask_user(attaching) : gather(attaching)))
		return session_fail(attaching->session);
	size_t wanted = count_state(attaching, ATTACH_CHOSEN, ATTACH_LATE);
	session_clear_progress(attaching->session);
	if (!wanted)
		return explain_none(attaching);
	while (count_state(attaching, ATTACH_READY, ATTACH_LATE) < wanted)
		if (!serve_moment(attaching))
			return session_fail(attaching->session);
	attach_socket_close(&attaching->listener);
	return finish(attaching);
}

static void free_words(const struct options *options)
{
	for (size_t i = 0; i < options->slice_count; i++)
		mem_free((char *)options->words[i]);
}

static int attach_server(struct session *session)
{
	int status = attach_http(session);
	status = status == STATUS_DONE ? show_traces(session, status) : status;
	free_words(session->options);
	return status;
}

int command_attach(struct session *session)
{
	const struct options *options = session->options;
	struct attaching attaching = { .session = session, .folder = -1 };
	struct attach *attach = &attaching.attach;
	const char *place = getenv("KINETO_IPC_SOCKET_DIR");
	if (options->slice_count)
		return session_refuse(session,
				      "strata attach takes no path, but --pid, --job or --all");
	if (options->http)
		return attach_server(session);
	attach->user = getuid();
	attach->request = options->ask;
	attach->several = options->all_processes || options->job;
	attach->context = &attaching;
	attaching.lists = !options->pid && !attach->several;
	attach->wants = attaching.lists ? NULL : is_asked_for;
	if (!attach_socket_open(&attaching.listener, place))
		return refuse_endpoint(&attaching, place && *place ? place : "the name dynolog");
	attach->address = attaching.listener.name.sun_path;
	attach->address_length = attaching.listener.length;
	int status = record(&attaching);
	attach_socket_close(&attaching.listener);
	if (attaching.directory && !count_state(&attaching, ATTACH_ASKED, ATTACH_WRITING))
		rmdir(attaching.directory); /* if nothing is in it */
	free_words(options);
	close(attaching.folder);
	mem_free(attaching.directory);
	attach_free(attach);
	return status;
}
