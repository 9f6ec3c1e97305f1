/*
 * Forward–backward links.
 */
#ifndef STRATA_FACTS_LINKS_H
#define STRATA_FACTS_LINKS_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;

struct link {
	int64_t sequence;           /* NO_VALUE when the link is by flow */
	uint32_t forward, backward; /* span rows */
};

struct link_table {
	struct link *by_forward;  /* sorted by (forward, backward) */
	struct link *by_backward; /* sorted by (backward, forward) */
	uint32_t count;
	uint64_t backward_calls; /* operators that ask for a forward partner */
};

/*
 * Pair backward operators with the forward operator that caused them: same sequence number, forward
 * thread, innermost and latest before the backward; where no number is given, by fwdbwd flows.
 */
bool links_find(struct facts *facts, const struct progress *progress); /* false: cancelled */
void links_free(struct link_table *links);

/*
 * The links of a span, or of what it encloses directly: COUNT of them from the result.  FORWARD
 * asks for links whose forward end lies in the span's subtree, else for those whose backward end
 * does.
 */
const struct link *links_of(const struct facts *facts, uint32_t span, bool forward,
			    uint32_t *count);

/*
 * Operators that ask for a forward partner and links among the spans that are marked in SPANS (1 by
 * row; NULL: among all).
 */
struct link_counts {
	uint64_t backward, linked;
};
bool links_count(const struct facts *facts, const uint8_t *spans, struct link_counts *counts,
		 const struct progress *progress); /* false: cancelled */

/* The forward operator that the innermost linked operator around a span goes back to. */
uint32_t links_forward(const struct facts *facts, uint32_t span); /* or NO_ROW */

/*
 * What is known of the arguments a span works on: its own, else those of the nearest operator
 * around it that has some, else in a backward pass those of its forward operator.  NULL when there
 * are none.
 */
const struct op_info *links_arguments(const struct facts *facts, uint32_t span);

#endif
