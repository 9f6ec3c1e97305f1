/*
 * Answers requests of the Model Context Protocol (JSON-RPC 2.0, one message a line) about one run.
 *
 * Read-only: no request opens a file, writes one, or changes the run. Limits hold for every answer.
 */
#ifndef STRATA_SERVE_SERVER_H
#define STRATA_SERVE_SERVER_H

#include "base/progress.h"
#include "model/run.h"
#include "model/scope.h"

struct buffer;

enum { SERVE_LINE_MAX = 1 << 20 }; /* limit: bytes of a request */

struct server {
	const struct run *run;
	const struct scope *scope;  /* narrowed further by the requests */
	size_t rows_max, bytes_max; /* of an answer */
	int64_t time_max_ns;        /* of a request; 0: unlimited */
	const struct progress *progress;
};

/*
 * Answer the message LINE, which ends with NUL: append one line to OUT, or nothing for a
 * notification. Damaged and hostile messages get an error as answer.
 */
void server_answer(const struct server *server, const char *line, size_t length,
		   struct buffer *out);

/* Answer a message of more than SERVE_LINE_MAX bytes, which was not read. */
void server_answer_long(struct buffer *out);

#endif
