/*
 * Which row of one tree is which of another: by their paths of names, not by time or thread.
 */
#ifndef STRATA_ANALYSIS_ALIGN_H
#define STRATA_ANALYSIS_ALIGN_H

#include "base/progress.h"

/* A row of a tree in preorder; row 0 is the root. */
struct align_row {
	uint32_t size;    /* rows of the subtree, itself included */
	uint32_t key;     /* what it is called in every run, as one number for both trees */
	uint64_t counter; /* what tells those of one key apart, in their order */
	const char *name; /* in full */
	size_t length;
};

struct pair {
	uint32_t parent;    /* pair, NO_ROW for the roots */
	uint32_t base, new; /* row, NO_ROW: there is none on this side */
};

/*
 * Pair the rows of BASE and NEW; *COUNT pairs, parents before children, siblings together; the
 * caller frees with mem_free; NULL: cancelled.  The roots are a pair.  Below a pair, children of
 * one key are paired by their names in full; when these differ and there are as many on both sides,
 * in their order.
 */
struct pair *align_trees(const struct align_row *base, const struct align_row *new, size_t *count,
			 const struct progress *progress);

#endif
