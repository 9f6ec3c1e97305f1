/*
 * Where a report goes: standard output, or a file that is written whole or not at all.  Failures
 * are kept until output_commit, so that writers need not look at every call.
 */
#ifndef STRATA_REPORT_OUTPUT_H
#define STRATA_REPORT_OUTPUT_H

#include "base/buffer.h"

#include <stdbool.h>

struct error;

struct output {
	struct buffer text;   /* append here, then call output_row */
	struct replace *file; /* NULL: the descriptor is not ours */
	const char *path;     /* as the caller named the file, for messages */
	int descriptor;
	int failure; /* errno of the first write that failed, 0 none */
};

/* PATH NULL: the descriptor STANDARD.  False with ERROR_OUTPUT. */
bool output_open(struct output *output, const char *path, int standard, struct error *error);

/* A row is complete: write what has gathered, once it is worth a call. */
void output_row(struct output *output);

/*
 * Write the rest and put the file in its place.  False with ERROR_OUTPUT; a reader who went away
 * (EPIPE) is no failure.
 */
bool output_commit(struct output *output, struct error *error);

void output_discard(struct output *output);

#endif
