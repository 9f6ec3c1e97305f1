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

/*
 * NULL with ERROR_INPUT when the file cannot be opened or read.  "-" is standard input.  PROGRESS (NULL
 * is fine) must outlive the source; while a pipe has nothing to read it is asked whether to go on.
 */
struct source *source_open(const char *path, const struct progress *progress,
			   struct error *error);
/*
 * The same of what is in memory, which must outlive it: the begin of a file, of which at most TEXT_MOST
 * bytes of text are given.
 */
struct source *source_open_memory(const void *bytes, size_t length, uint64_t text_most,
				  const struct progress *progress, struct error *error);
void source_close(struct source *source);	/* NULL is fine */

/* So many rows were made of it until now: what is told while a pipe is waited for. */
void source_rows(struct source *source, uint64_t rows);

/*
 * Up to SIZE more bytes of text into BUFFER; 0 at the end, -1 with ERROR when the file cannot be
 * read further, or reading shall stop (ERROR_CANCELLED).  A cut or corrupt compressed file ends early
 * and sets source_cut.
 */
ptrdiff_t source_read(struct source *source, char *buffer, size_t size, struct error *error);

/* The first bytes of the text, without consuming them; *LENGTH is what is there (at most 4096). */
const char *source_peek(struct source *source, size_t *length, struct error *error);

const char *source_wrapping(const struct source *source);	/* "", "gzip" or "zstd" */
bool source_cut(const struct source *source);	/* the compressed data ended early or is corrupt */
uint64_t source_consumed(const struct source *source);		/* bytes of the file */
uint64_t source_total(const struct source *source);		/* size of the file; 0: a pipe */

#endif
