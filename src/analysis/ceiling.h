/*
 * A limit of memory that is noticed before it is reached: while a file is read, what all of it will
 * take is estimated from what the part read so far has taken.
 */
#ifndef STRATA_ANALYSIS_CEILING_H
#define STRATA_ANALYSIS_CEILING_H

#include "base/progress.h"

#include <stddef.h>

struct error;

struct ceiling {
	struct progress progress;	/* to be given to the reader */
	const struct progress *outer;
	uint64_t most;			/* bytes; 0: any */
	uint64_t next;			/* part of the file at which to look again */
	size_t before;			/* bytes that were allocated at the start */
	uint64_t estimate;		/* what stopped the reading; 0: nothing */
};

/* Watch what is read with ceiling->progress; OUTER is told as well. */
void ceiling_begin(struct ceiling *ceiling, uint64_t most, const struct progress *outer);

/* When it was the limit that stopped the reader: the sentence that says so in ERROR, and true. */
bool ceiling_passed(const struct ceiling *ceiling, struct error *error);

/* Bytes that ROWS rows and what HELD bytes hold so far will take in the end, if DONE of TOTAL are read. */
uint64_t ceiling_estimate(uint64_t rows, uint64_t held, uint64_t done, uint64_t total);

#endif
