/*
 * The bytes of a profile, whatever wraps them: plain, gzip (several members, cut off) or zstd,
 * recognised by content.
 */
#ifndef STRATA_INPUT_SOURCE_H
#define STRATA_INPUT_SOURCE_H

#include "base/progress.h"

#include <stddef.h>

struct error;
struct source;

enum {
	SOURCE_QUIET_MAX = 1 << 26, /* limit: bytes without an event; then a device is given up */
};

/*
 * NULL with ERROR_INPUT when the file cannot be opened or read.  "-" is standard input.  PROGRESS
 * (NULL is fine) must outlive the source; a pipe asks it whether to go on, in the thread that
 * reads.
 */
struct source *source_open(const char *path, const struct progress *progress, struct error *error);
/*
 * The same of what is in memory, which must outlive it: the begin of a file, of which at most
 * TEXT_MAX bytes of text are given.
 */
struct source *source_open_memory(const void *bytes, size_t length, uint64_t text_max,
				  const struct progress *progress, struct error *error);
void source_close(struct source *source); /* NULL is fine */

/*
 * So many rows were made of so many events until now: the rows are told while a pipe is waited for,
 * and a device, which has no end, is given up when SOURCE_QUIET_MAX bytes of it held no event.
 */
void source_made(struct source *source, uint64_t rows, uint64_t events);

/*
 * Up to SIZE more bytes of text into BUFFER; 0 at the end, -1 with ERROR when the file cannot be
 * read further, or reading shall stop (ERROR_CANCELLED).  A cut or corrupt compressed file ends
 * early, and so does a device: source_cut tells.
 */
ptrdiff_t source_read(struct source *source, char *buffer, size_t size, struct error *error);

/* The first bytes of the text, without consuming them; *LENGTH is what is there (at most 4096). */
const char *source_peek(struct source *source, size_t *length, struct error *error);

const char *source_wrapping(const struct source *source); /* "", "gzip" or "zstd" */
const char *source_cut(const struct source *source);      /* why it ended early; NULL: it did not */
uint64_t source_consumed(const struct source *source);    /* bytes of the file */
uint64_t source_total(const struct source *source);       /* size of the file; 0: none is known */

#endif
