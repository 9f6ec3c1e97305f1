/*
 * The same work on many pieces, on all processors.
 *
 * WORK may allocate: when memory runs out in one thread, the others stop after their piece, and the
 * caller unwinds to its guard as if it had run out there (mem.h).
 */
#ifndef STRATA_BASE_PARALLEL_H
#define STRATA_BASE_PARALLEL_H

#include "base/progress.h"

/* How many threads work at most: the processors that the process may run on, within reason. */
unsigned parallel_threads(void);

/*
 * Call WORK(CONTEXT, i) for every i below COUNT, each once, in any order and on several threads,
 * the caller's among them; returns when all are done.
 */
void parallel_for(size_t count, void (*work)(void *context, size_t i), void *context);

/*
 * Call WORK(CONTEXT, from, to) for ranges that together are 0 to COUNT, in the same way: none of
 * them longer than what is done between two looks at PROGRESS, as STAGE.  False when it was
 * stopped.
 */
bool parallel_ranges(size_t count, void (*work)(void *context, size_t from, size_t to),
		     void *context, const char *stage, const struct progress *progress);

struct error;

/*
 * parallel_for of WORK, called STAGE, that may fail and can be stopped: it asks the progress it is
 * given, which asks PROGRESS in the caller's thread, before all else and also while that only waits
 * for the others.  Once one piece is false no further one is begun. False with ERROR (may be NULL)
 * then; what the pieces made is the caller's to free either way.
 */
bool parallel_try(size_t count,
		  bool (*work)(void *context, size_t i, const struct progress *progress),
		  void *context, const char *stage, const struct progress *progress,
		  struct error *error);

#endif
