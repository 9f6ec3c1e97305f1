/*
 * strata serve --stdio: requests on standard input, answers on standard output, one a line.
 */
#include "cli/commands.h"

#include "base/buffer.h"
#include "serve/server.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct input_lines {
	struct buffer text; /* the start of a line */
	bool skipping;      /* the line is too long */
};

static bool send_all(const struct buffer *out)
{
	size_t sent = 0;
	while (sent < out->length) {
		ssize_t count = write(STDOUT_FILENO, out->data + sent, out->length - sent);
		if (count < 0 && errno != EINTR)
			return false;
		sent += count > 0 ? (size_t)count : 0;
	}
	return true;
}

/* A whole line: answer it. False if the answer cannot be sent. */
static bool end_line(const struct server *server, struct input_lines *lines)
{
	struct buffer out = { 0 };
	if (lines->skipping)
		server_answer_long(&out);
	else
		server_answer(server, buffer_text(&lines->text), lines->text.length, &out);
	bool sent = send_all(&out);
	buffer_free(&out);
	buffer_clear(&lines->text);
	lines->skipping = false;
	return sent;
}

static bool take_block(const struct server *server, struct input_lines *lines, const char *data,
		       size_t length)
{
	while (length) {
		const char *newline = memchr(data, '\n', length);
		size_t part = newline ? (size_t)(newline - data) : length;
		lines->skipping |= lines->text.length + part > SERVE_LINE_MAX;
		if (!lines->skipping)
			buffer_add(&lines->text, data, part);
		if (newline && !end_line(server, lines))
			return false;
		part += newline != NULL;
		data += part;
		length -= part;
	}
	return true;
}

/* True at the end of the input; false if it, or the output, fails. */
static bool answer_all(struct session *session, const struct server *server)
{
	struct input_lines lines = { 0 };
	char block[1 << 14];
	ssize_t length;
	bool good = true;
	while (good && (length = read(STDIN_FILENO, block, sizeof block)) != 0) {
		if (length > 0)
			good = take_block(server, &lines, block, (size_t)length);
		else if (errno != EINTR || !progress_update(&session->progress, "waiting", 0, 0, 0))
			break;
	}
	if (good && lines.text.length)
		good = end_line(server, &lines);
	buffer_free(&lines.text);
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
	struct server server = { .run = session->run,
				 .scope = &options->scope,
				 .rows_max = options->max_rows,
				 .bytes_max = options->max_bytes,
				 .time_max_ns = (int64_t)options->max_seconds * 1000000000,
				 .progress = &session->progress };
	if (answer_all(session, &server))
		return session_status(session, STATUS_DONE);
	return STATUS_OUTPUT;
}
