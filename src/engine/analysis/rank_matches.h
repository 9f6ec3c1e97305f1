/*
 * The same operation on every rank that took part: transfer and waiting time, clocks, stragglers.
 */
#ifndef STRATA_ANALYSIS_RANK_MATCHES_H
#define STRATA_ANALYSIS_RANK_MATCHES_H

#include "analysis/rank_summary.h"

struct progress;
struct run;

/* The rank of a process group that the others wait for: it waits least, by a clear lead. */
struct straggler {
	char *group;  /* as the files name it, "" when they do not */
	size_t rank;  /* index */
	int64_t lead; /* ns that the next one waits longer */
};

struct rank_matches {
	/* By rank, then by collective of its summary: the shortest duration over the ranks that
	   took part (pure transfer), NO_VALUE where no other rank's operation matches. */
	int64_t **transfer;
	int64_t *wait;   /* by rank: own durations less transfer, over what matched */
	size_t *matched; /* by rank: operations that matched */
	int64_t *
		clock_offset; /* by rank: median lead of its ends over the matched ones' mean, ns */
	int64_t residual;     /* how far ends are still apart when clocks are aligned; NO_VALUE */
	struct straggler *stragglers; /* of the process groups that have one */
	size_t straggler_count;
	size_t unmatched; /* operations without a partner on other ranks */
	size_t ranks;
};

/*
 * Match by process group and sequence number, else by group, name, type, size and occurrence within
 * the step.  The caller frees; NULL when cancelled.
 */
struct rank_matches *rank_match(const struct run *run, const struct progress *progress);
bool rank_is_straggler(const struct rank_matches *matches, size_t rank);
void rank_matches_free(struct rank_matches *matches); /* NULL is fine */

#endif
