/*
 * The same work on many pieces, on all processors.
 */
#ifndef STRATA_BASE_PARALLEL_H
#define STRATA_BASE_PARALLEL_H

#include <stddef.h>

/*
 * Call WORK(CONTEXT, i) for every i below COUNT, each once, in any order and on several threads, the
 * caller's among them; returns when all are done.  WORK must not allocate with base/mem.h: a thread
 * of its own has no guard.
 */
void parallel_for(size_t count, void (*work)(void *context, size_t i), void *context);

#endif
