/*
 * What calls the functions of a Python profile: of samples AT is a frame, else a function.
 */
#pragma once

#include "analysis/python_rows.h"

struct python_function;
struct python_stats;

bool python_is_sampled(const struct python_stats *stats);
const struct python_function *python_function_at(const struct python_stats *stats, uint32_t at);

/* The caller of a frame, or of a function that in whose calls it takes most time; NO_ROW: none. */
uint32_t python_caller_of(const struct python_stats *stats, uint32_t at);

/* By frame: the time of the samples that end there. mem_free. */
int64_t *python_frame_times(const struct python_stats *stats);

/* Where the function of a row takes most time; NO_ROW: unknown. */
uint32_t python_place(const struct profile *profile, const struct python_row *row);

void add_called_function(struct buffer *out, const struct profile *profile,
			 const struct python_function *function);
/* Through which function of the user that of a library is called. */
void add_own_caller(struct buffer *out, const struct profile *profile, uint32_t at);

/* The row with the most self time of those that have less than this, and do not wait; NULL. */
const struct python_row *hottest_below(const struct python_rows *rows, int64_t self_ns);

/*
 * Does the function of ROW (NULL: none) work for an import: its system, or the body of a module,
 * with no function of the user between?
 */
bool python_is_of_import(const struct profile *profile, const struct python_row *row);

/* Of samples: whose import takes longest, with all that it imports in turn. */
void add_importer(struct buffer *out, const struct profile *profile);
