/*
 * Matches collectives across ranks: transfer and waiting time, clock offsets, stragglers.
 */
#pragma once

#include "analysis/rank_summary.h"

struct intervals;

/* The rank of a process group that the others wait for: it waits least, by a clear margin. */
struct straggler {
	char *group;  /* as in the files, "" when unnamed */
	size_t rank;  /* index */
	int64_t lead; /* margin in ns to the rank that waits second least */
};

/* Operation INDEX of the summary of rank RANK (index). */
struct rank_operation {
	uint32_t rank, index;
};

struct rank_matches {
	/*
	 * By rank, then by collective of its summary: the shortest duration over the participating
	 * ranks (pure transfer), NO_VALUE for unmatched operations.
	 */
	int64_t **transfer;
	/* Likewise: the same operation on the next rank that takes part, in a ring. */
	struct rank_operation **next;
	int64_t *wait;         /* by rank: own durations minus transfer, over matched operations */
	size_t *matched;       /* by rank: number of matched operations */
	int64_t *clock_offset; /* by rank, ns: median offset of its ends from the mean end */
	int64_t residual;      /* median spread of ends after aligning clocks; NO_VALUE */
	struct straggler *stragglers; /* at most one per process group */
	size_t straggler_count;
	size_t unmatched; /* operations without a match on other ranks */
	size_t ranks;
};

/*
 * Match by process group and sequence number, else by group, name, type, size and occurrence within
 * the step; messages between two ranks by these and their occurrence within the step. The caller
 * frees; NULL when cancelled.
 */
struct rank_matches *rank_match(const struct run *run, const struct progress *progress);

/* Where rank RANK (index) waits for others, by its clock: a merged set that replaces OUT. */
void rank_waits(const struct run *run, size_t rank, struct intervals *out);

/*
 * Communication of a rank, mean per step that counts: waiting is the time from the start of matched
 * operations until their transfer, where none of them transfers; the rest is transfer. Operations
 * may lie outside of their step or on another device: waiting beyond the step's communication is
 * cut off, and kept as RESIDUAL.
 */
struct rank_wait {
	int64_t wait, transfer, residual;
};
struct rank_wait rank_mean_wait(const struct run *run, size_t rank, const struct scope *scope);

/*
 * Did all ranks record about as many steps, from *LEAST to *MOST? Of a trace that marks no steps
 * the recording is one, and no step of another rank compares with it.
 */
bool rank_steps_alike(const struct run *run, const struct scope *scope, int64_t *least,
		      int64_t *most);

/* Of what group a rank (index) is the straggler, by the longest lead; NULL: of none. */
const struct straggler *rank_straggler(const struct rank_matches *matches, size_t rank);
void rank_matches_free(struct rank_matches *matches); /* NULL is fine */
