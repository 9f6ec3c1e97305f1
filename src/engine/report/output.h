/*
 * Report output to standard output or, atomically, to a file. Write errors are kept until
 * output_commit, so that writers need not check each call.
 */
#pragma once

#include "base/buffer.h"

struct output {
	struct buffer text;   /* append here, then call output_row */
	struct replace *file; /* NULL: descriptor not owned */
	const char *path;     /* for messages */
	int descriptor;
	int failure; /* errno of the first failed write, or 0 */
};

/*
 * PATH NULL: use the descriptor STANDARD. A read-only file is replaced only with FORCE. False with
 * ERROR_OUTPUT.
 */
bool output_open(struct output *output, const char *path, int standard, bool force,
		 struct error *error);

/* End of a row: flush if the buffer is large. */
void output_row(struct output *output);

/* Flush and rename the file into place. False with ERROR_OUTPUT; EPIPE is not an error. */
bool output_commit(struct output *output, struct error *error);

void output_discard(struct output *output);
