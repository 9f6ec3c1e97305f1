/*
 * The same work on many pieces, on all processors.
 */
#ifndef STRATA_BASE_PARALLEL_H
#define STRATA_BASE_PARALLEL_H

#include "base/progress.h"

/*
 * Call WORK(CONTEXT, i) for every i below COUNT, each once, in any order and on several threads, the
 * caller's among them; returns when all are done.  WORK must not allocate with base/mem.h: a thread
 * of its own has no guard.
 */
void parallel_for(size_t count, void (*work)(void *context, size_t i), void *context);

struct error;

/*
 * The same of WORK that may allocate and may fail, and that can be stopped: it asks the progress it is
 * given, which asks PROGRESS in the caller's thread.  Once one piece is false no further one is begun.
 * False with ERROR (may be NULL) then; what the pieces made is the caller's to free either way.
 */
bool parallel_try(size_t count,
		  bool (*work)(void *context, size_t i, const struct progress *progress),
		  void *context, const struct progress *progress, struct error *error);

#endif
