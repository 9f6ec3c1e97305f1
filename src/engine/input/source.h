/*
 * Byte source of a profile: plain, gzip (multi-member, truncated), zstd or UTF-16 with a mark of
 * its order, detected by content.
 */
#pragma once

#include "base/progress.h"

struct error;
struct source;

enum {
	SOURCE_QUIET_MAX = 1 << 26, /* limit: bytes without an event before reading a device ends */
};

/*
 * NULL with ERROR_INPUT when the file cannot be opened or read. "-" is standard input. PROGRESS
 * (NULL is fine) must outlive the source; while a pipe is awaited the reading thread calls it.
 */
struct source *source_open(const char *path, const struct progress *progress, struct error *error);
/*
 * Likewise for the start of a file in memory, which must outlive the source; at most TEXT_MAX bytes
 * of text are returned.
 */
struct source *source_open_memory(const void *bytes, size_t length, uint64_t text_max,
				  const struct progress *progress, struct error *error);
void source_close(struct source *source); /* NULL is fine */
#define AUTO_SOURCE AUTO(source_close_local)
static inline void source_close_local(struct source **source)
{
	source_close(*source);
}

/*
 * Report the rows and events made so far: rows are shown while waiting for a pipe, and a device,
 * which has no end, is abandoned after SOURCE_QUIET_MAX bytes without an event.
 */
void source_report(struct source *source, uint64_t rows, uint64_t events);

/*
 * Read up to SIZE bytes of text; 0 at the end, -1 with ERROR on failure or cancellation
 * (ERROR_CANCELLED). A truncated or corrupt compressed file, and a device, end early: see
 * source_cut.
 */
ptrdiff_t source_read(struct source *source, char *buffer, size_t size, struct error *error);

/*
 * Skip SIZE bytes of text, by seeking where the file allows it. False with ERROR as source_read;
 * beyond the end, the next read finds it.
 */
bool source_skip(struct source *source, uint64_t size, struct error *error);

enum { SOURCE_PEEK_MAX = 64 << 10 };

/*
 * The first bytes of the text without consuming them. Waits for WANTED of them, at most
 * SOURCE_PEEK_MAX; *LENGTH is less at the end of the text, and more after a longer peek.
 */
const char *source_peek(struct source *source, size_t wanted, size_t *length, struct error *error);

const char *source_wrapping(const struct source *source); /* "", "gzip", "zstd" or "UTF-16" */
const char *source_cut(const struct source *source);      /* why it ended early; NULL: it did not */
uint64_t source_consumed(const struct source *source);    /* bytes of the file read */
uint64_t source_total(const struct source *source);       /* size of the file; 0: unknown */
