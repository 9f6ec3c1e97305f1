/*
 * Data-parallel loops over all processors.
 *
 * WORK may allocate: when memory runs out in one thread, the others stop after their current piece
 * and the caller unwinds to its guard (mem.h).
 */
#pragma once

#include "base/progress.h"

#include <pthread.h>

/* Maximum number of threads: the processors the process may use, capped. */
unsigned parallel_threads(void);

/* From now on this thread starts no others for its loops, or it does again. */
void parallel_alone(bool alone);

/* Start a thread that leaves signals to the others; false when it cannot be started. */
bool parallel_start(pthread_t *thread, void *(*run)(void *context), void *context);

/*
 * Call WORK(CONTEXT, i) once for every i below COUNT, in any order, on several threads including
 * the caller's; returns when all are done.
 */
void parallel_for(size_t count, void (*work)(void *context, size_t i), void *context);

/*
 * Call WORK(CONTEXT, from, to) for ranges that partition 0 to COUNT, none longer than the
 * cancellation stride, reporting to PROGRESS as STAGE. False when cancelled.
 */
bool parallel_ranges(size_t count, void (*work)(void *context, size_t from, size_t to),
		     void *context, const char *stage, const struct progress *progress);

struct error;

/*
 * parallel_for with errors, cancellation and progress reported as STAGE. Only the calling thread
 * runs PROGRESS: once before any work, from within its own pieces, and while it waits for the
 * others. After one piece fails no further one starts. False with ERROR then; the caller frees
 * what the pieces made either way. Without ERROR, false means cancelled, and out of memory unwinds
 * to the caller's guard.
 */
bool parallel_try(size_t count,
		  bool (*work)(void *context, size_t i, const struct progress *progress),
		  void *context, const char *stage, const struct progress *progress,
		  struct error *error);

/* Likewise, with pieces that go over about ROWS rows in all: for few of them no thread is started.
 */
bool parallel_try_rows(uint64_t rows, size_t count,
		       bool (*work)(void *context, size_t i, const struct progress *progress),
		       void *context, const char *stage, const struct progress *progress,
		       struct error *error);
