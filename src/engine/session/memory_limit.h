/*
 * Enforces a memory limit by extrapolating, while a file is read, the peak of the whole file from
 * the part read so far. Other memory of the process (further ranks, the base run) counts, too.
 */
#ifndef STRATA_SESSION_MEMORY_LIMIT_H
#define STRATA_SESSION_MEMORY_LIMIT_H

#include "base/progress.h"

#include <stdbool.h>
#include <stddef.h>

/* After DONE bytes of the file: rows of all kinds, and bytes allocated for them. */
struct ceiling_sample {
	uint64_t done, rows, held;
};

struct ceiling {
	struct progress progress; /* pass this to the reader */
	const struct progress *outer;
	uint64_t max;                     /* limit of the process in bytes; 0: none */
	bool (*give_back)(void *context); /* free caches; false: nothing to free */
	void *context;
	uint64_t next;                      /* file position of the next check */
	uint64_t beside;                    /* bytes allocated before the start */
	struct ceiling_sample first, later; /* samples that delimit the last half read */
	uint64_t estimate;                  /* estimate that stopped the reading; 0: none */
	bool endless;  /* a pipe: the estimate covers only the bytes received */
	uint64_t part; /* percent of the file that would have fitted */
};

/*
 * Monitor reading through ceiling->progress, which also updates OUTER. GIVE_BACK (may be NULL) is
 * called before the reading is stopped.
 */
void ceiling_begin(struct ceiling *ceiling, uint64_t max, const struct progress *outer,
		   bool (*give_back)(void *context), void *context);

#endif
