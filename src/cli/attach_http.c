#include "cli/attach_http.h"

#include "base/clock.h"
#include "base/number.h"
#include "cli/session.h"
#include "session/runs/run_files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS_NS 1000000LL

enum { STOP_MS = 300000 }; /* traces are written before stop_profile is answered */

struct http_ask {
	struct session *session;
	struct sockaddr_in server;
	struct error error; /* of the last request */
};

/* ---- requests ---- */

/* TYPED is a port of this host, or an IPv4 address or "localhost" and a port. */
static bool parse_server(const char *typed, struct sockaddr_in *server)
{
	static const char scheme[] = "http://";
	char host[32] = "127.0.0.1";
	int64_t port;
	typed += strncmp(typed, scheme, sizeof scheme - 1) == 0 ? sizeof scheme - 1 : 0;
	const char *colon = strchr(typed, ':');
	const char *digits = colon ? colon + 1 : typed;
	if (colon && strncmp(typed, "localhost:", (size_t)(digits - typed)) != 0)
		snprintf(host, sizeof host, "%.*s", (int)(colon - typed), typed);
	if (!number_parse_int(digits, strcspn(digits, "/"), &port) || port < 1 || port > UINT16_MAX)
		return false;
	*server = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	return inet_pton(AF_INET, host, &server->sin_addr) == 1;
}

/* Wait for EVENTS of DESCRIPTOR. False: the time is over or, with the error, interrupted. */
static bool wait_until(struct http_ask *ask, int descriptor, short events, const char *stage,
		       int64_t end_ns)
{
	enum { TURN_MS = 50 };
	struct pollfd wait = { descriptor, events, 0 };
	while (poll(&wait, 1, TURN_MS) <= 0) {
		if (!progress_update(&ask->session->progress, stage, 0, 0, 0))
			return error_set(&ask->error, ERROR_CANCELLED, "stopped waiting");
		if (clock_ns() >= end_ns)
			return false;
	}
	return clock_ns() < end_ns;
}

static bool send_request(struct http_ask *ask, int descriptor, const char *path, const char *body,
			 int64_t end_ns)
{
	const struct sockaddr *server = (const struct sockaddr *)&ask->server;
	AUTO_BUFFER struct buffer text = { 0 };
	buffer_printf(&text,
		      "POST /%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
		      "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
		      path, strlen(body), body);
	if (connect(descriptor, server, sizeof ask->server) < 0 && errno == EINPROGRESS &&
	    !wait_until(ask, descriptor, POLLOUT, path, end_ns))
		return false;
	return send(descriptor, text.data, text.length, MSG_NOSIGNAL) == (ssize_t)text.length ||
	       error_input(&ask->error, "%s: %s", ask->session->options->http, strerror(errno));
}

/* POST what PATH names. The status; 0 with the error: none came. No more of an answer is read. */
static int post(struct http_ask *ask, const char *path, const char *body, int32_t ms)
{
	enum { LEAST = 12 }; /* bytes, with the status at their end */
	const char *name = ask->session->options->http;
	int64_t end_ns = clock_ns() + ms * MS_NS;
	char answer[LEAST + 1] = "";
	int status = 0;
	ssize_t more = 1;
	size_t got = 0;
	ask->error.code = ERROR_NONE;
	int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool good = send_request(ask, descriptor, path, body, end_ns);
	while (good && got < LEAST && more > 0 &&
	       wait_until(ask, descriptor, POLLIN, path, end_ns)) {
		more = recv(descriptor, answer + got, LEAST - got, 0);
		got += more > 0 ? (size_t)more : 0;
	}
	close(descriptor);
	if (got == LEAST || more <= 0)
		good = sscanf(answer, "HTTP/1.%*1[01] %3d", &status) == 1 ||
		       error_input(&ask->error, "%s does not answer by HTTP", name);
	else if (!ask->error.code)
		error_input(&ask->error, "%s does not answer to %s within %g seconds", name, path,
			    ms / 1e3);
	if (status && status / 100 != 2)
		error_input(&ask->error, "%s answers to %s with status %d%s", name, path, status,
			    status != 404 ? ""
					  : ": start vLLM with VLLM_TORCH_PROFILER_DIR or a "
					    "--profiler-config");
	return status;
}

/* ---- traces ---- */

/* Make the traces below -o that were written since BEGIN the words of the options. */
static void take_written(struct options *options, const struct timespec *begin)
{
	AUTO(run_files_free) struct run_files files = { 0 };
	struct stat status;
	run_files_find(&files, &options->output, 1, 1, NULL, NULL);
	mem_replace(options->words, mem_zalloc(files.count + 1, sizeof *options->words));
	for (size_t i = 0; i < files.count; i++) {
		const char *path = files.item[i].path;
		const struct timespec *at = &status.st_mtim;
		if (strstr(path, ".json") && lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
		    (at->tv_sec > begin->tv_sec ||
		     (at->tv_sec == begin->tv_sec && at->tv_nsec >= begin->tv_nsec)))
			options->words[options->slice_count++] = mem_strdup(path);
	}
}

/* ---- the command ---- */

static bool record_server(struct http_ask *ask)
{
	static const char *const words[] = { "false", "true" };
	struct options *options = ask->session->options;
	AUTO_BUFFER struct buffer body = { 0 };
	char directory[PATH_MAX];
	struct timespec begin;
	if (!realpath(options->output, directory))
		return error_output(&ask->error, "%s: %s", options->output, strerror(errno));
	buffer_puts(&body, "{\"output_dir\":"); /* SGLang takes these, vLLM none */
	format_json_string(&body, directory);
	buffer_printf(&body, ",\"with_stack\":%s,\"record_shapes\":%s}", words[options->ask.stacks],
		      words[options->ask.shapes]);
	clock_gettime(CLOCK_REALTIME_COARSE, &begin); /* that of files */
	int status = post(ask, "start_profile", body.data, options->within_ms);
	if (status && ask->error.code) /* another one records, or none can */
		return false;
	if (status)
		wait_until(ask, -1, 0, "recording", clock_ns() + options->ask.duration_ms * MS_NS);
	struct error error = ask->error; /* also then, recording may have begun */
	post(ask, "stop_profile", "", STOP_MS);
	ask->error = error.code ? error : ask->error;
	if (ask->error.code)
		return false;
	take_written(options, &begin);
	return options->slice_count ||
	       error_input(&ask->error, "%s: the server wrote no trace here", options->output);
}

int attach_http(struct session *session)
{
	const struct options *options = session->options;
	struct http_ask ask = { .session = session };
	if (!parse_server(options->http, &ask.server))
		return session_refuse(session,
				      "--http must be a port of this host, or an IPv4 address and "
				      "a port (127.0.0.1:8000), not \"%s\"",
				      options->http);
	if (options->pid || options->job || options->all_processes || options->ask.steps)
		return session_refuse(session, "--http records a server, and by --duration");
	if (!options->output)
		return session_refuse(session,
				      "--http needs -o DIR: where the server writes its traces "
				      "(VLLM_TORCH_PROFILER_DIR, SGLANG_TORCH_PROFILER_DIR)");
	if (record_server(&ask))
		return STATUS_DONE;
	session->error = ask.error;
	return session_fail(session);
}
