/*
 * Summary of a rank, kept for comparisons across ranks after its profile is unloaded.
 */
#pragma once

#include "base/keyed.h"
#include "base/progress.h"
#include "model/compile_log.h"
#include "model/flight.h"
#include "model/scope.h"

struct derived;
struct run;

/* A communication operation on one rank. */
struct collective {
	uint32_t name, group, dtype; /* interned in the summary; 0 unknown */
	uint32_t pair;               /* interned "0>1": a message between two ranks; 0: of all */
	int64_t sequence;            /* within its group; NO_VALUE */
	int64_t bytes;               /* of the whole message; NO_VALUE */
	int64_t group_size;          /* participating ranks; NO_VALUE */
	int64_t step;                /* step number, NO_VALUE */
	int64_t start, end;          /* absolute ns, by the rank's clock */
};

/* Times of a step, of the rank's device alone: computation + communication - overlap + other = dur.
 */
struct step_summary {
	int64_t number, dur;
	bool partial;
	int64_t computation, communication, overlap, other;
	int64_t idle; /* no device work at all */
};

/* What a slice of the recording is spent on, as step_summary; in 1/RANK_SLICE_WHOLE of its length.
 */
struct rank_slice {
	uint16_t computation, communication, overlap, busy;
};

enum { RANK_SLICES = 128, RANK_SLICE_WHOLE = 10000 };

/* A device on which a rank worked. */
struct rank_device {
	int32_t id;
	uint32_t name, capability; /* interned, 0 unknown: "8.0" */
	int64_t memory;            /* bytes, NO_VALUE */
};

struct rank_summary {
	struct intern *strings;
	uint32_t host;               /* interned, 0 unknown */
	int32_t device;              /* the one with most work, -1: none */
	int64_t pid, world_size;     /* NO_VALUE */
	struct rank_device *devices; /* with work; the one with most is first */
	size_t device_count;
	int64_t start, end; /* of the recording, absolute ns */
	struct step_summary *steps;
	size_t step_count;
	struct collective *collectives; /* sorted by start */
	size_t collective_count;
	struct rank_slice *slices; /* of equal length, from START to END */
	size_t slice_count;        /* 0: without times, or not all of them were read */
	struct flight flight;      /* not in the index */
	/* Of a log of torch.compile, not in the index: the last compilation of each interned id,
	 * and the log's path. */
	struct keyed compile_ids;
	struct compile_item *compiled;
	char *compile_log;
	bool damaged; /* parts of the input were skipped or repaired */
};

/* The caller frees.  NULL when cancelled. */
struct rank_summary *rank_summarize(const struct derived *derived, const struct progress *progress);
void rank_summary_free(struct rank_summary *summary); /* NULL is fine */

/* Can they be slices of the recording, as read from a file? */
bool rank_slices_fit(const struct rank_summary *summary);
/* Where slice SLICE of SUMMARY begins, absolute ns; the last one ends where SLICE_COUNT begins. */
int64_t rank_slice_start(const struct rank_summary *summary, size_t slice);

/* Does the step count for means: in scope, and complete unless selected explicitly? */
bool rank_counts_step(const struct step_summary *step, const struct scope *scope);

int64_t rank_count_steps(const struct rank_summary *summary, const struct scope *scope);

/* Means over the steps that count, rounded to ns. */
struct step_summary rank_mean_step(const struct rank_summary *summary, const struct scope *scope);

enum compiled_difference {
	COMPILED_ALIKE,      /* or the first rank compiled nothing with the id */
	COMPILED_GRAPH,      /* other operations */
	COMPILED_COLLECTIVES /* and other collectives, or another order of them */
};

/* The compilation with this id in a summary, UINT32_MAX. */
uint32_t compiled_with_id(const struct rank_summary *summary, const char *id);

/*
 * How compilation AT of the summary of RANK (index) differs from the first rank's with its id. OUT
 * (NULL: not wanted) gets the first operation that does: "y = x.relu(); rank 0: y = gelu(x)".
 */
enum compiled_difference compiled_difference(const struct run *run, size_t rank, uint32_t at,
					     struct buffer *out);
