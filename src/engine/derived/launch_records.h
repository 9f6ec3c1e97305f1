/*
 * What a trace records around launches, for other traces that did not record it: operators, layers,
 * shapes, lines. Of launches that were captured into CUDA graphs, or of all work of a rank.
 *
 * Standalone: they outlive the trace, of which they keep only what inferences.h may need.
 */
#pragma once

#include "base/mem.h"
#include "base/progress.h"

struct derived;
struct profile;

/*
 * The device work of a rank in the order in which each stream ran it, cut at steps.
 */

struct stream_sequence {
	uint32_t stream; /* index of a stream */
	uint32_t part;   /* which part of the step on this stream, from 0: steps may interleave */
	int64_t step;    /* its number; NO_VALUE: outside of steps, or all of them */
	size_t first, count; /* of the work; sequences of a stream follow one another */
};

struct stream_sequences {
	uint64_t *streams; /* ascending: device, as one of those with work, and id of the stream */
	size_t stream_count;
	GROWING(struct stream_sequence, items, count);
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

/* What a trace records of its device work. */
enum known_work {
	KNOWN_OPERATORS = 1,
	KNOWN_SHAPES = 2,
	KNOWN_LAYERS = 4, /* more than operators and annotations */
	KNOWN_LINES = 8,  /* of Python code */
};

/* A node of the layer tree around launches. */
struct launch_place {
	uint32_t parent; /* index of a place before this one, NO_ROW for the run */
	uint32_t name;   /* interned */
	uint8_t kind, pass;
	uint16_t unused;
};

/* Texts are interned in the records' strings; 0: none. */
struct launch_record {
	uint32_t kernel;        /* or copy; 0: the call does not name it */
	uint32_t operator_name; /* innermost operator around the launch */
	uint32_t shapes, types; /* of its inputs */
	uint32_t line;          /* the user's, around the operator */
	uint32_t place;         /* innermost node around the launch; NO_ROW: the run */
	uint32_t sequence;      /* number of the capture, or of the sequence, that it is in */
	uint32_t node;          /* id of the node of the graph that was made */
	bool backward;          /* of a backward pass */
};

struct launch_records {
	char *path;
	struct intern *strings;
	GROWING(struct launch_place, places, place_count);
	struct launch_record *items; /* by sequence, then by launch or start */
	size_t count;
	/* of a rank: the work of its streams; captures have none */
	struct stream_sequences sequences;
	int64_t rank;         /* NO_VALUE: of captures */
	uint32_t step_source; /* enum step_source; STEPS_NONE: the rank records no steps */
};

/* The line of the user's code around SPAN, LENGTH bytes; 0 without one. */
typedef const char *launch_line(const struct profile *profile, uint32_t span, size_t *length);

/* What DERIVED has of device work: bits of enum known_work. */
unsigned launch_records_known(const struct derived *derived);

/* Of the launches that were captured. NULL when cancelled. The caller frees. */
struct launch_records *launch_records_of_captures(const struct derived *derived, launch_line *line,
						  const struct progress *progress);
/* Of the device work of rank RANK, by stream and step. NULL when cancelled. The caller frees. */
struct launch_records *launch_records_of_rank(const struct derived *derived, int64_t rank,
					      launch_line *line, const struct progress *progress);
void launch_records_free(struct launch_records *records); /* NULL is fine */
