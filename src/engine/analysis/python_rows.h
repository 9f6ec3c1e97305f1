/*
 * Costs of Python functions and source lines, recorded by a Python profiler or aggregated from
 * trace calls or sampled stacks.
 */
#pragma once

#include "derived/selection.h"
#include "model/frame_name.h"

/* NO_VALUE: unknown. Texts are of the profile's strings unless has_own_name. */
struct python_row {
	struct text_slice function, file, section;
	int64_t line;
	uint32_t caller; /* index of a function in the profile's python_stats, or NO_ROW */
	uint32_t about;  /* likewise: the function whose callers and callees the row leads to */
	int64_t calls, primitive_calls;
	int64_t self_ns, total_ns; /* total: without nested recursive calls */
	int64_t mean_ns;           /* of a call, as the file states it */
	int64_t whole_ns;          /* of the report that the row is in, as it states it */
	int64_t memory_bytes;
	int64_t level_bytes;              /* in use after the line */
	const struct python_split *split; /* of the profile; NULL: none */
	uint32_t source;                  /* index into the profile's python_stats, or NO_ROW */
	bool is_line;                     /* of the lines of python_stats */
	bool has_own_name;                /* FUNCTION is of the rows' NAMES */
};

struct python_rows {
	GROWING(struct python_row, items, count);
	int64_t self_ns; /* of all rows, and those a table leaves out; NO_VALUE: none is timed */
	struct intern *names; /* of functions of which the rows stand for several objects */
};

enum python_grouping { PYTHON_GROUPING_ROWS(LISTED) };

/*
 * In file order, or order of first call. A scope of one function has its callers and callees. False
 * when cancelled; the caller frees with python_rows_free either way.
 */
bool python_rows_make(struct python_rows *rows, const struct selection *selection,
		      enum python_grouping grouping, const struct progress *progress);
void python_rows_free(struct python_rows *rows);

/* A string of the profile. */
struct text_slice python_text(const struct profile *profile, uint32_t string);
/* Seconds to ns, saturating; NO_VALUE for NaN. */
int64_t python_ns(double seconds);
