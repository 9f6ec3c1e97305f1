/*
 * Progress reporting and cancellation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct progress {
	/*
	 * Called from the working thread every few milliseconds of work. STAGE is a short phrase
	 * ("reading", "linking"); DONE of TOTAL counts input bytes while "reading", else rows of
	 * the current pass (TOTAL 0: unknown); ROWS counts the events kept so far. Return false to
	 * cancel; from then on return false always.
	 */
	bool (*update)(void *context, const char *stage, uint64_t done, uint64_t total,
		       uint64_t rows);
	void *context;
	/* When not NULL: receives the raw input bytes as they are read, before decompression. */
	void (*read)(void *reader, const void *bytes, size_t length);
	void *reader;
};

/* True when the work may continue; PROGRESS may be NULL. */
static inline bool progress_update(const struct progress *progress, const char *stage,
				   uint64_t done, uint64_t total, uint64_t rows)
{
	return !progress || !progress->update ||
	       progress->update(progress->context, stage, done, total, rows);
}

/* Does DONE of TOTAL count input bytes at this stage? */
static inline bool progress_is_reading(const char *stage)
{
	return strcmp(stage, "reading") == 0;
}

/* Rows between two checks for cancellation: about a millisecond of work. */
enum { CANCEL_STRIDE = 1 << 15 };

/*
 * For loops over rows: may row DONE of TOTAL be processed? Reports at row 0 and every CANCEL_STRIDE
 * rows.
 */
static inline bool progress_row(const struct progress *progress, const char *stage, uint64_t done,
				uint64_t total)
{
	return done % CANCEL_STRIDE || progress_update(progress, stage, done, total, 0);
}

/* Likewise for rows that cost WEIGHT times as much, a power of two up to CANCEL_STRIDE. */
static inline bool progress_heavy_row(const struct progress *progress, const char *stage,
				      uint64_t done, uint64_t total, uint32_t weight)
{
	return done % (CANCEL_STRIDE / weight) || progress_update(progress, stage, done, total, 0);
}

/*
 * Loops over rows I from 0 below COUNT, a pass called STAGE, for as long as OK: a bool that becomes
 * false when the pass is cancelled. In the second, rows have a WEIGHT.
 */
#define for_rows(ok, i, count, progress, stage) for_heavy_rows (ok, i, count, progress, stage, 1)
#define for_heavy_rows(ok, i, count, progress, stage, weight)                                      \
	for (__typeof__((count) + 0) i = 0;                                                        \
	     (ok) && i < (count) &&                                                                \
	     ((ok) = progress_heavy_row(progress, stage, i, count, weight));                       \
	     i++)
