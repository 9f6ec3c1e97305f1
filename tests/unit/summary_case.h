/*
 * Made-up summaries of ranks, for tests and benchmarks: steps, collectives and histograms drawn
 * from a seed.
 */
#pragma once

#include "base/buffer.h"

#include <stddef.h>
#include <stdint.h>

struct summary_case {
	int64_t rank, world; /* NO_VALUE: unknown */
	uint64_t seed;
	size_t steps, collectives; /* of them */
};

/* Replace BYTES by a file of one summary. */
void summary_case_make(struct buffer *bytes, const struct summary_case *how);
