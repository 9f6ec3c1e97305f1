/*
 * Answers requests of the Model Context Protocol (JSON-RPC 2.0, one message a line) about one run.
 *
 * Read-only: no request writes a file or changes the run, and one opens no file but a profile that
 * it names. Limits hold for every answer.
 */
#pragma once

#include "base/progress.h"
#include "model/run.h"

struct json_slice;

enum { SERVE_LINE_MAX = 1 << 20 }; /* limit: bytes of a request */

struct server {
	const struct run *run;
	const struct scope *scope;       /* narrowed further by the requests */
	size_t rows_max, bytes_max;      /* of an answer */
	int64_t time_max_ns;             /* of a request; 0: unlimited */
	bool introduced;                 /* the client has an answer with a whole envelope */
	const struct load_options *load; /* of profiles that requests name; NULL: none may */
	const struct progress *progress;
};

/*
 * Answer the message LINE, which ends with NUL: append one line to OUT, or nothing for a
 * notification. Damaged and hostile messages get an error as answer.
 */
void server_answer(const struct server *server, const char *line, size_t length,
		   struct buffer *out);

/* Is TEXT one JSON value (RFC 8259)? */
bool server_is_json(const char *text, size_t length);

/* Does ANSWER have a whole envelope? */
bool server_introduces(const char *answer);

/* Is LINE a call of a tool, or does it read a resource? Only then the answer takes time. */
bool server_is_call(const char *line, size_t length);

/* Is LINE the notification that cancels the request with this id? It points into LINE. */
bool server_cancels(const char *line, size_t length, struct json_slice *id);
bool server_has_id(const char *line, size_t length, const struct json_slice *id);

/* Answer the call in LINE with a MESSAGE about its failure. */
void server_answer_failed(const char *line, size_t length, const char *message, struct buffer *out);

/* The message about a call that took longer than allowed. */
extern const char server_late[];

/* Answer a message of more than SERVE_LINE_MAX bytes, which was not read. */
void server_answer_long(struct buffer *out);
