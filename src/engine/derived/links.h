/*
 * Links between forward and backward operators.
 */
#pragma once

#include "base/progress.h"
#include "model/profile.h"

struct derived;

struct link {
	int64_t sequence;           /* NO_VALUE when linked by flow */
	uint32_t forward, backward; /* span rows */
};

struct link_table {
	struct link *by_forward;  /* sorted by (forward, backward) */
	struct link *by_backward; /* sorted by backward, of which each has one link */
	uint32_t count;
	uint64_t backward_calls; /* backward operators expected to have a forward partner */
};

/*
 * Link each backward operator to its forward operator: equal sequence number, on the forward
 * thread, the innermost and latest before it; without sequence numbers by fwdbwd flows.
 */
bool links_find(struct derived *derived, const struct progress *progress); /* false: cancelled */
void links_free(struct link_table *links);

/*
 * The links of a span or its descendants, COUNT of them: those whose forward (FORWARD) or backward
 * end is in the span's subtree.
 */
const struct link *links_of(const struct derived *derived, uint32_t span, bool forward,
			    uint32_t *count);

/* Count backward operators and links among the spans marked with 1 in SPANS (NULL: all). */
struct link_counts {
	uint64_t backward, linked;
};
bool links_count(const struct derived *derived, const uint8_t *spans, struct link_counts *counts,
		 const struct progress *progress); /* false: cancelled */

/* The forward operator of the innermost linked operator around a span. */
uint32_t links_forward(const struct derived *derived, uint32_t span); /* or NO_ROW */

/*
 * Arguments of the operator a span works for: its own, else the nearest enclosing operator's, else
 * in a backward pass the forward operator's. NULL when unknown.
 */
const struct op_info *links_arguments(const struct derived *derived, uint32_t span);
