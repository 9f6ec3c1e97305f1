/*
 * Python functions and source lines with what they cost: as a profiler of Python summed them, or
 * summed here over the calls of a trace or over sampled stacks.
 */
#ifndef STRATA_ANALYSIS_PYTHON_ROWS_H
#define STRATA_ANALYSIS_PYTHON_ROWS_H

#include "facts/selection.h"

/* A stretch of a string of the profile; a length of 0 is "not known". */
struct stretch_of_text {
	const char *text;
	size_t length;
};

/* NO_VALUE: not known. */
struct python_row {
	struct stretch_of_text function, file, caller;
	int64_t line;
	int64_t calls, primitive_calls;
	int64_t self_ns,
		total_ns; /* total: of calls that are not inside one of the same function */
	int64_t memory_bytes;
	uint32_t source; /* row of the profile's python_stats that it is, or NO_ROW */
};

struct python_rows {
	struct python_row *items;
	size_t count, capacity;
	int64_t self_ns; /* of all rows */
};

enum python_grouping {
	PYTHON_AS_RECORDED, /* lines where lines were profiled, else functions */
	PYTHON_FUNCTIONS,
	PYTHON_LINES,
	PYTHON_CALLERS
};

/*
 * In the order of the file, or of first call.  False when cancelled; the caller frees with
 * python_rows_free either way.
 */
bool python_rows_make(struct python_rows *rows, const struct selection *selection,
		      enum python_grouping grouping, const struct progress *progress);
void python_rows_free(struct python_rows *rows);

/* Nanoseconds of SECONDS; NO_VALUE of what is no number, the most there is of what is too large. */
int64_t python_ns(double seconds);

#endif
