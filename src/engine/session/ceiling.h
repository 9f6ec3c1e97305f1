/*
 * A limit of memory that is noticed before it is reached: while a file is read, what all of it will
 * take is estimated from what the part read so far has taken.  What the process holds beside
 * counts: other ranks, a run to compare with.
 */
#ifndef STRATA_SESSION_CEILING_H
#define STRATA_SESSION_CEILING_H

#include "base/progress.h"

#include <stdbool.h>
#include <stddef.h>

/* After DONE bytes of the file: rows of any kind, bytes that they and what belongs to them hold. */
struct ceiling_sample {
	uint64_t done, rows, held;
};

struct ceiling {
	struct progress progress; /* to be given to the reader */
	const struct progress *outer;
	uint64_t max;                     /* bytes that the process may hold; 0: any */
	bool (*give_back)(void *context); /* free what can be had again; false: there is nothing */
	void *context;
	uint64_t next;                      /* part of the file at which to look again */
	uint64_t beside;                    /* bytes that were allocated at the start */
	struct ceiling_sample first, later; /* the last half of what was read began between them */
	uint64_t estimate;                  /* what stopped the reading; 0: nothing */
	bool endless;  /* it was of a pipe: the estimate is of what it has brought */
	uint64_t part; /* percent of the file that would have fitted then */
};

/*
 * Watch what is read with ceiling->progress; OUTER is told as well.  GIVE_BACK (NULL: there is
 * nothing) is asked before the reading is stopped.
 */
void ceiling_begin(struct ceiling *ceiling, uint64_t max, const struct progress *outer,
		   bool (*give_back)(void *context), void *context);

/*
 * Bytes at the peak of opening a file of TOTAL bytes whose begin left these two samples, NOW of all
 * that was read and FIRST of up to half of it.
 */
uint64_t ceiling_estimate(const struct ceiling_sample *first, const struct ceiling_sample *now,
			  uint64_t total);

#endif
