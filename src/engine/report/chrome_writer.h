/*
 * Writes the members of a Chrome trace event.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"
#include "report/output.h"

struct selection; /* derived/selection.h */

struct trace_writer {
	const struct selection *selection; /* rows to write */
	const struct profile *profile;
	struct output output;
	struct buffer *out; /* buffer of the output */
	bool first;         /* no event yet */
	bool in_arguments, first_argument;
	uint64_t rows, total; /* for progress */
	const struct progress *progress;
};

/* ---- values ---- */

void trace_string(struct trace_writer *writer, uint32_t id); /* an interned string, quoted */
/* Microseconds with three decimals, exact at any size. */
void trace_us(struct trace_writer *writer, int64_t ns);
/* Metadata of KEY, with its secrets masked (base/mask.h): verbatim if plain JSON, else quoted. */
void trace_masked(struct trace_writer *writer, uint32_t key, uint32_t id);

/* ---- arguments: a missing value is omitted with its key ---- */

void trace_arguments(struct trace_writer *writer); /* opens the object; trace_end closes it */
void trace_key(struct trace_writer *writer, const char *name);
void trace_int(struct trace_writer *writer, const char *name, int64_t value);
void trace_real(struct trace_writer *writer, const char *name, double value);
void trace_value(struct trace_writer *writer, const char *name,
		 uint32_t text); /* see trace_masked */
void trace_triple(struct trace_writer *writer, const char *name, const int32_t triple[3]);
void trace_attributes(struct trace_writer *writer, const struct attribute *attribute, size_t count);

/* ---- events ---- */

void trace_process(struct trace_writer *writer, uint32_t process);
void trace_begin(struct trace_writer *writer, const char *phase, uint32_t track);
void trace_time(struct trace_writer *writer, int64_t time);
bool trace_end(struct trace_writer *writer); /* false: cancelled */
