/*
 * How the engine tells how far it is, and learns that it shall stop.
 */
#ifndef STRATA_BASE_PROGRESS_H
#define STRATA_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct progress {
	/*
	 * Called from the working thread every few milliseconds of work.  STAGE is a short
	 * phrase ("reading", "linking"); DONE of TOTAL are bytes of input while that is "reading",
	 * else what the pass under way goes over (TOTAL 0: not known); ROWS counts the events kept
	 * so far.  Return false to stop the work; from then on it is false for ever.
	 */
	bool (*update)(void *context, const char *stage, uint64_t done, uint64_t total,
		       uint64_t rows);
	void *context;
	/*
	 * When not NULL: called with the bytes of the input as they come from the file, before they
	 * are unwrapped, for who wants to look at them before the end.
	 */
	void (*read)(void *reader, const void *bytes, size_t length);
	void *reader;
};

/* True when the work may go on; PROGRESS may be NULL. */
static inline bool progress_update(const struct progress *progress, const char *stage,
				   uint64_t done, uint64_t total, uint64_t rows)
{
	return !progress || !progress->update ||
	       progress->update(progress->context, stage, done, total, rows);
}

/* Is DONE of TOTAL at this stage how much of the input has been read? */
static inline bool progress_is_reading(const char *stage)
{
	return strcmp(stage, "reading") == 0;
}

/* Rows that a pass goes over between two looks whether it shall go on: a millisecond of most work.
 */
enum { CANCEL_STRIDE = 1 << 15 };

/* For passes over rows: may this one go on with row DONE of TOTAL?  Looks at the first, then now
 * and then. */
static inline bool progress_row(const struct progress *progress, const char *stage, uint64_t done,
				uint64_t total)
{
	return done % CANCEL_STRIDE || progress_update(progress, stage, done, total, 0);
}

/* The same for rows of which each takes as long as WEIGHT plain ones, a power of two up to
 * CANCEL_STRIDE. */
static inline bool progress_heavy_row(const struct progress *progress, const char *stage,
				      uint64_t done, uint64_t total, uint32_t weight)
{
	return done % (CANCEL_STRIDE / weight) || progress_update(progress, stage, done, total, 0);
}

#endif
