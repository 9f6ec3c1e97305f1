/*
 * Costs of Python functions and source lines, recorded by a Python profiler or aggregated from
 * trace calls or sampled stacks.
 */
#ifndef STRATA_ANALYSIS_PYTHON_ROWS_H
#define STRATA_ANALYSIS_PYTHON_ROWS_H

#include "facts/selection.h"

/* Part of a string of the profile; length 0 is unknown. */
struct text_slice {
	const char *text;
	size_t length;
};

/* NO_VALUE: unknown. */
struct python_row {
	struct text_slice function, file, caller;
	int64_t line;
	int64_t calls, primitive_calls;
	int64_t self_ns, total_ns; /* total: without nested recursive calls */
	int64_t memory_bytes;
	uint32_t source; /* index into the profile's python_stats, or NO_ROW */
};

struct python_rows {
	struct python_row *items;
	size_t count, capacity;
	int64_t self_ns; /* of all rows */
};

enum python_grouping {
	PYTHON_AS_RECORDED, /* by line if lines were profiled, else by function */
	PYTHON_FUNCTIONS,
	PYTHON_LINES,
	PYTHON_CALLERS
};

/*
 * In file order, or order of first call. False when cancelled; the caller frees with
 * python_rows_free either way.
 */
bool python_rows_make(struct python_rows *rows, const struct selection *selection,
		      enum python_grouping grouping, const struct progress *progress);
void python_rows_free(struct python_rows *rows);

/* Seconds to ns, saturating; NO_VALUE for NaN. */
int64_t python_ns(double seconds);

#endif
