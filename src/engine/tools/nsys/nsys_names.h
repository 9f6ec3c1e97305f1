/*
 * Names and identities of rows as nsys stats shows them.
 */
#pragma once

#include "base/buffer.h"
#include "table/table.h"

/* Text of an attribute of a row, interned; NO_ROW without it. */
uint32_t nsys_span_attribute(const struct profile *profile, uint32_t span, const char *key);
/* A number, decimal or "0x…", in such a text; NO_VALUE. */
int64_t nsys_number_of(const struct profile *profile, uint32_t text);

/*
 * Name of a range: domain, unless it is the default one, and full text, including the numbers that
 * emit_nvtx appends, which differ per call. False if SPAN is not a range. *STARTED: a start/end
 * range, not push/pop.
 */
bool nsys_range_name(const struct profile *profile, uint32_t span, struct buffer *name,
		     bool *started);

/*
 * A runtime or driver call as the file names it, interned; what the reports show of it lacks a
 * version of four digits: *LENGTH bytes.
 */
uint32_t nsys_call_name(const struct profile *profile, uint32_t span, size_t *length);

/* "[CUDA memcpy Host-to-Device]" for a copy or set. */
const char *nsys_copy_name(const struct profile *profile, uint32_t activity);

/* Process and thread ids as reports print them: the low 24 bits. */
struct value nsys_pid(const struct profile *profile, uint32_t track);
struct value nsys_tid(const struct profile *profile, uint32_t track);

/* "   2    1    1" */
struct value nsys_triple(struct table *table, const int32_t triple[3]);
