/*
 * strata serve --stdio: requests on standard input, answers on standard output, one a line.
 *
 * A process of its own answers each call of a tool, so that what the call takes ends with it: the
 * server goes on reading, ends a call that is cancelled or late, and survives one that crashes.
 */
#include "cli/commands.h"

#include "base/clock.h"
#include "base/write_all.h"
#include "input/json.h"
#include "serve/server.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum {
	WAITING_MAX = 8 << 20,   /* limit: bytes of requests that wait; then reading does */
	GRACE_NS = 500000000,    /* for a call to notice itself that it is late */
	FOREVER_NS = 1000000000, /* between two looks at nothing */
	RESERVED = 32 << 20,     /* of the memory, for the program itself and its answer */
};

struct serving {
	struct session *session;
	struct server server;
	struct buffer text; /* what was read */
	size_t at, seen;    /* the first line to answer; that to look at for a cancellation */
	bool ended;         /* the input */
	sigset_t before;    /* signals blocked outside of waiting */

	/* the call that a process answers */
	pid_t child; /* 0: none */
	int pipe;
	struct buffer call, answer;
	int64_t end_ns; /* when it is late; 0: never */
};

/* ---- a call in a process of its own ---- */

static bool answer_call(void *context)
{
	struct serving *serving = context;
	struct buffer out = { 0 };
	size_t max = serving->session->options->load.memory_max;
	mem_set_limit(max > RESERVED ? max - RESERVED : max);
	server_answer(&serving->server, BUFFERED(&serving->call), &out);
	bool sent = write_all(serving->pipe, out.data, out.length);
	close(serving->pipe);
	run_settle(serving->session->run); /* ranks that it loaded are indexed for the next call */
	return sent;
}

/* False if there can be no process: then this one answers. */
static bool start_call(struct serving *serving)
{
	int ends[2];
	if (pipe(ends) != 0)
		return false;
	pid_t child = fork();
	serving->pipe = ends[child == 0];
	close(ends[child != 0]);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGTERM, SIG_IGN); /* the server ends after the answer */
		sigprocmask(SIG_SETMASK, &serving->before, NULL);
		_exit(!mem_guard(answer_call, serving, NULL));
	}
	if (child < 0) {
		close(serving->pipe);
		return false;
	}
	int64_t max = serving->server.time_max_ns;
	serving->child = child;
	serving->end_ns = max ? clock_ns() + max + GRACE_NS : 0;
	return true;
}

/* The process has answered, or is ended: MESSAGE says why (NULL: no answer is wanted). */
static bool end_call(struct serving *serving, bool end, const char *message)
{
	struct buffer *answer = &serving->answer;
	bool whole = !end && answer->length && answer->data[answer->length - 1] == '\n';
	if (end) {
		kill(serving->child, SIGKILL);
		waitpid(serving->child, NULL, 0);
	}
	close(serving->pipe);
	serving->child = 0;
	if (!whole)
		buffer_clear(answer);
	if (!whole && message)
		server_answer_failed(BUFFERED(&serving->call), message, answer);
	bool sent = write_all(STDOUT_FILENO, answer->data, answer->length);
	serving->server.introduced |= whole && server_introduces(buffer_text(answer));
	buffer_clear(answer);
	while (waitpid(-1, NULL, WNOHANG) > 0) /* also those that wrote an index after answering */
		;
	return sent;
}

/* ---- lines ---- */

/* The line at AT, without its newline; NULL: it is not complete. */
static char *line_at(struct serving *serving, size_t at, size_t *length)
{
	const struct buffer *text = &serving->text;
	char *start = text->data + at;
	char *end = at < text->length ? memchr(start, '\n', text->length - at) : NULL;
	*length = end ? (size_t)(end - start) : 0;
	return end ? start : NULL;
}

/*
 * Look at a line that has come. If it cancels a request, neither is answered, whether a process
 * works on that or it waits.
 */
static bool look_at_line(struct serving *serving, char *notice, size_t notice_length)
{
	struct json_slice id;
	size_t length, at = serving->at;
	if (notice_length > SERVE_LINE_MAX || !server_cancels(notice, notice_length, &id))
		return true;
	if (serving->child && server_has_id(BUFFERED(&serving->call), &id))
		return end_call(serving, true, NULL);
	for (char *line; (line = line_at(serving, at, &length)) && line < notice; at += length + 1)
		if (length <= SERVE_LINE_MAX && server_has_id(line, length, &id)) {
			memset(line, ' ', length);
			break;
		}
	return true;
}

/* False if an answer cannot be sent. */
static bool take_input(struct serving *serving, const char *data, size_t count)
{
	struct buffer *text = &serving->text;
	size_t length;
	if (serving->at == text->length) {
		buffer_clear(text);
		serving->at = serving->seen = 0;
	}
	buffer_add(text, data, count);
	for (char *line; (line = line_at(serving, serving->seen, &length));
	     serving->seen += length + 1)
		if (!look_at_line(serving, line, length))
			return false;
	/* of a line that is too long, the start is enough */
	if (text->length - serving->seen > SERVE_LINE_MAX + 1)
		text->length = serving->seen + SERVE_LINE_MAX + 1;
	return true;
}

static bool answer_next(struct serving *serving, const char *line, size_t length)
{
	AUTO_BUFFER struct buffer out = { 0 };
	buffer_clear(&serving->call);
	buffer_add(&serving->call, line, length <= SERVE_LINE_MAX ? length : 0);
	serving->at += length + 1;
	const char *call = buffer_text(&serving->call);
	if (length <= SERVE_LINE_MAX && server_is_call(call, length) && start_call(serving))
		return true;
	if (length > SERVE_LINE_MAX)
		server_answer_long(&out);
	else
		server_answer(&serving->server, call, length, &out);
	return write_all(STDOUT_FILENO, out.data, out.length);
}

/* ---- waiting ---- */

static bool read_input(struct serving *serving)
{
	char block[1 << 14];
	ssize_t length = read(STDIN_FILENO, block, sizeof block);
	if (length > 0)
		return take_input(serving, block, (size_t)length);
	serving->ended = true;
	return serving->seen == serving->text.length || take_input(serving, "\n", 1);
}

static bool read_answer(struct serving *serving)
{
	char block[1 << 14];
	ssize_t length = read(serving->pipe, block, sizeof block);
	if (length > 0) {
		buffer_add(&serving->answer, block, (size_t)length);
		return true;
	}
	return end_call(serving, false, "the request failed: its process ended without an answer");
}

/* Wait for input, for the answer of a call, or until that is late. */
static bool wait_and_read(struct serving *serving)
{
	bool reads = !serving->ended && serving->text.length - serving->at < WAITING_MAX;
	struct pollfd files[] = { { reads ? STDIN_FILENO : -1, POLLIN, 0 },
				  { serving->child ? serving->pipe : -1, POLLIN, 0 } };
	int64_t left = FOREVER_NS;
	if (serving->child && serving->end_ns)
		left = serving->end_ns - clock_ns();
	if (left <= 0)
		return end_call(serving, true, server_late);
	struct timespec limit = { .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };
	if (ppoll(files, 2, &limit, &serving->before) <= 0)
		return true;
	if (files[1].revents && !read_answer(serving))
		return false;
	return !files[0].revents || read_input(serving);
}

/* True at the end of the input or after a signal; false if the output fails. */
static bool answer_all(struct serving *serving)
{
	bool good = true;
	while (good) {
		size_t length;
		const char *line = line_at(serving, serving->at, &length);
		bool stopped = !progress_update(&serving->session->progress, "waiting", 0, 0, 0);
		if (!serving->child && (stopped || (serving->ended && !line)))
			break;
		good = line && !serving->child ? answer_next(serving, line, length)
					       : wait_and_read(serving);
	}
	buffer_free(&serving->text);
	buffer_free(&serving->call);
	buffer_free(&serving->answer);
	return good;
}

int command_serve(struct session *session)
{
	const struct options *options = session->options;
	if (!options->stdio)
		return session_refuse(
			session,
			"strata serve --stdio PATH: standard input and output are the only way");
	session->visible = false;
	if (!session_open(session, 0))
		return session_fail(session);
	struct serving serving = { .session = session };
	serving.server = (struct server){ .run = session->run,
					  .scope = &options->scope,
					  .rows_max = options->max_rows,
					  .bytes_max = options->max_bytes,
					  .time_max_ns = (int64_t)options->max_seconds * 1000000000,
					  .load = &session->load,
					  .progress = &session->progress };
	run_settle(session->run); /* no other thread, which a process would lack */
	sigset_t stops;
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGHUP);
	sigprocmask(SIG_BLOCK, &stops, &serving.before);
	bool sent = answer_all(&serving);
	sigprocmask(SIG_SETMASK, &serving.before, NULL);
	return sent ? session_status(session, STATUS_DONE) : STATUS_OUTPUT;
}
