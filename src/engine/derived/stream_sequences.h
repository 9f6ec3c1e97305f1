/*
 * The device work of a rank in the order in which each stream ran it, cut at steps.
 */
#ifndef STRATA_DERIVED_STREAM_SEQUENCES_H
#define STRATA_DERIVED_STREAM_SEQUENCES_H

#include "base/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct derived;

struct stream_sequence {
	uint32_t stream; /* index of a stream */
	uint32_t part;   /* which part of the step on this stream, from 0: steps may interleave */
	int64_t step;    /* its number; NO_VALUE: outside of steps, or all of them */
	size_t first, count; /* of the work; sequences of a stream follow one another */
};

struct stream_sequences {
	uint64_t *streams; /* ascending: device, as one of those with work, and id of the stream */
	size_t stream_count;
	struct stream_sequence *items;
	size_t count, capacity;
	uint32_t *activities; /* by place in the sequences; NULL in records of another trace */
	size_t work;
};

/* False when cancelled. Free SEQUENCES in either case. */
bool stream_sequences_find(struct stream_sequences *sequences, const struct derived *derived,
			   const struct progress *progress);
void stream_sequences_free(struct stream_sequences *sequences);

/* Append to WHOLE those of SEQUENCES with the steps of a stream in one. */
void stream_sequences_join(struct stream_sequences *whole,
			   const struct stream_sequences *sequences);

#endif
