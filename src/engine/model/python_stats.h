/*
 * Results of Python profilers: totals by function or source line, and sampled stacks; no events.
 *
 * Filled by the readers in tools/python. Texts are interned in the profile's strings. Seconds are
 * as in the file; absent: NaN and NO_VALUE.
 */
#ifndef STRATA_MODEL_PYTHON_STATS_H
#define STRATA_MODEL_PYTHON_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python_function {
	uint32_t name, file;
	int64_t line;            /* where it is defined */
	int64_t calls;           /* including recursive calls */
	int64_t primitive_calls; /* excluding recursive calls */
	double self_s, total_s;  /* excluding and including callees */
	double memory_bytes;
	bool is_named_only; /* known only as a caller; has no row of its own */
};

struct python_caller {             /* a function's totals when called from CALLER */
	uint32_t function, caller; /* indexes of functions */
	int64_t calls, primitive_calls;
	double self_s, total_s;
};

struct python_line {
	uint32_t function; /* index of functions; UINT32_MAX: unknown */
	uint32_t file;
	uint32_t text;             /* source text; 0: none */
	int64_t line, hits, ticks; /* ticks: in units of unit_s */
	double self_s;             /* including callees */
	double memory_bytes;
};

struct python_sample {  /* a collapsed stack */
	uint32_t stack; /* "root;…;leaf" */
	int64_t value;  /* presumably us */
};

struct python_stats {
	double unit_s; /* tick of a line profile, in seconds; NaN */
	struct python_function *functions;
	size_t function_count, function_cap;
	struct python_caller *callers;
	size_t caller_count, caller_cap;
	struct python_line *lines;
	size_t line_count, line_cap;
	struct python_sample *samples;
	size_t sample_count, sample_cap;
};

struct python_stats *python_stats_new(void);
void python_stats_free(struct python_stats *stats);         /* NULL is fine */
size_t python_stats_size(const struct python_stats *stats); /* bytes held; NULL: 0 */

#endif
