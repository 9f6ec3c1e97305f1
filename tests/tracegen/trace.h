/*
 * Streaming writer of Chrome traces in the format of PyTorch's profiler.
 *
 * Times are nanoseconds since the trace's base. An event is trace_span, trace_instant or
 * trace_metadata, its arguments, and trace_end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct trace {
	FILE *out; /* NULL: discard all output */
	uint64_t bytes, events;
	bool in_args;
	int64_t pid; /* of the traced process */
};

struct trace_head {
	bool shapes, stacks, memory;
	int rank, world; /* world 1: not distributed */
};

void trace_open(struct trace *trace, const struct trace_head *head);
void trace_close(struct trace *trace); /* ends the document; OUT stays open */

/* A thread of the process, or with DEVICE >= 0 a stream. */
struct demo_lane {
	int device;
	int64_t id;
};

void trace_span(struct trace *trace, const char *category, const char *name, struct demo_lane lane,
		int64_t start, int64_t duration);
void trace_instant(struct trace *trace, const char *category, const char *name,
		   struct demo_lane lane, int64_t time);
void trace_metadata(struct trace *trace, const char *name, struct demo_lane lane);
void trace_flow(struct trace *trace, const char *category, bool head, int64_t id,
		struct demo_lane lane, int64_t time);

void trace_text(struct trace *trace, const char *key, const char *text);
void trace_number(struct trace *trace, const char *key, int64_t value);
/* The formatted value must be JSON. */
void trace_value(struct trace *trace, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void trace_end(struct trace *trace);
