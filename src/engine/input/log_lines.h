/*
 * The lines of a log in which tables were printed, without what a logger or launcher put before
 * each: "g43: ", "[rank0]: ", "(Worker pid=7) INFO 11-05 13:22:49 [worker.py:210] ".
 */
#ifndef STRATA_INPUT_LOG_LINES_H
#define STRATA_INPUT_LOG_LINES_H

#include "input/text_lines.h"

#include <stdint.h>

struct buffer;

enum {
	LOG_SOURCES_MAX = 64, /* limit: prefixes of lines in a log; other lines keep theirs */
	LOG_PREFIX_MAX = 128, /* limit: bytes of a prefix of lines in a log */
};

struct log_source {
	struct text_slice prefix; /* of the heading that it was found at; empty: none */
	uint64_t lines;
};

/* Lines one source after the other, each in the order of the text, which they point into. */
struct log_lines {
	struct text_slice *lines;
	uint32_t *sources; /* of each line */
	size_t count, capacity;
	struct log_source known[LOG_SOURCES_MAX]; /* the first: lines without a prefix */
	size_t known_count;
};

/* Where the heading of a table begins in LINE, or NULL when it has none. */
typedef const char *log_heading(struct text_slice line);

/* Escape sequences are removed from TEXT, which must outlive the lines. */
void log_lines_take(struct log_lines *lines, struct buffer *text, log_heading *heading);
void log_lines_free(struct log_lines *lines);

/* What tells SOURCE from others, without times; "" of the first, and where only one has a prefix.
 */
void log_source_name(const struct log_lines *lines, uint32_t source, struct buffer *name);

#endif
