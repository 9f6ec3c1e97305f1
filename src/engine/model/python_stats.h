/*
 * What Python profilers record: sums by function or source line, and sampled stacks; no events.
 *
 * Readers fill it (tools/python/pstats.h, tools/python/python_text.h, tools/python/scalene.h).
 * Texts are interned in the profile's strings.  Seconds are as the file has them; NaN and NO_VALUE:
 * not in the file.
 */
#ifndef STRATA_MODEL_PYTHON_STATS_H
#define STRATA_MODEL_PYTHON_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python_function {
	uint32_t name, file;
	int64_t line;            /* where it is defined */
	int64_t calls;           /* recursive ones too */
	int64_t primitive_calls; /* without them */
	double self_s, total_s;  /* without and with what it calls */
	double memory_bytes;
	bool is_named_only; /* it calls others but has no row of its own */
};

struct python_caller {             /* the part of a function's sums when called from another */
	uint32_t function, caller; /* rows of functions */
	int64_t calls, primitive_calls;
	double self_s, total_s;
};

struct python_line {
	uint32_t function; /* row of functions; UINT32_MAX: not said */
	uint32_t file;
	uint32_t text;             /* of the source, 0 */
	int64_t line, hits, ticks; /* ticks: of unit_s each */
	double self_s;             /* what it calls included */
	double memory_bytes;
};

struct python_sample {  /* a collapsed stack of the file */
	uint32_t stack; /* "root;…;leaf" */
	int64_t value;  /* us, for all that is known */
};

struct python_stats {
	double unit_s; /* of line profiles, as the file has it; NaN */
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
