/*
 * What is kept of a rank when its profile leaves memory: enough for every comparison across ranks.
 */
#ifndef STRATA_ANALYSIS_RANK_SUMMARY_H
#define STRATA_ANALYSIS_RANK_SUMMARY_H

#include "base/progress.h"
#include "model/profile.h"
#include "model/scope.h"

struct facts;

/* One communication operation on one rank. */
struct collective {
	uint32_t name, group, dtype; /* in the summary's strings; 0 unknown */
	uint32_t unused;             /* no gap: an index keeps it as it lies in memory */
	int64_t sequence;            /* within its group; NO_VALUE */
	int64_t bytes;               /* of the whole message; NO_VALUE */
	int64_t group_size;          /* ranks that take part; NO_VALUE */
	int64_t step;                /* number, NO_VALUE */
	int64_t start, end;          /* absolute ns, by the rank's own clock */
};

/* Time of one step: computation + communication - overlap + other = dur. */
struct step_summary {
	int64_t number, dur;
	bool partial;
	int64_t computation, communication, overlap, other;
	int64_t idle; /* no device work of any kind */
};

struct rank_summary {
	struct intern *strings;
	uint32_t host;           /* interned, 0 unknown */
	int64_t pid, world_size; /* NO_VALUE */
	int32_t device;          /* the one with most work, -1: none */
	uint32_t device_name;    /* interned */
	struct step_summary *steps;
	size_t step_count;
	struct collective *collectives; /* by start */
	size_t collective_count;
	bool damaged; /* the input was skipped or repaired in places */
};

/* The caller frees.  NULL when cancelled. */
struct rank_summary *rank_summarise(const struct facts *facts, const struct progress *progress);
void rank_summary_free(struct rank_summary *summary); /* NULL is fine */

/* Is this step one that means are taken over: in scope, and whole unless it was asked for? */
bool rank_counts_step(const struct step_summary *step, const struct scope *scope);

/* Means over those steps, rounded to ns. */
struct step_summary rank_mean_step(const struct rank_summary *summary, const struct scope *scope);

#endif
