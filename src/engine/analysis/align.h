/*
 * Pairs rows of two trees by their paths of names, for comparing runs.
 */
#pragma once

#include "base/progress.h"

/* A row of a tree in preorder; row 0 is the root. */
struct align_row {
	uint32_t size;    /* rows of the subtree, including itself */
	uint32_t key;     /* id of the normalized name, shared by both trees */
	uint64_t counter; /* orders siblings with equal keys */
	const char *name; /* full name */
	size_t length;
};

struct pair {
	uint32_t parent;    /* index of a pair, NO_ROW for the roots */
	uint32_t base, new; /* row, or NO_ROW when missing on this side */
};

/*
 * Pair the rows of BASE and NEW; parents before children, siblings together. The roots are paired;
 * below a pair, children with equal keys are paired by full name, or in order when the names differ
 * but the counts are equal. The caller frees with mem_free; NULL when cancelled.
 */
struct pair *align_trees(const struct align_row *base, const struct align_row *new, size_t *count,
			 const struct progress *progress);
