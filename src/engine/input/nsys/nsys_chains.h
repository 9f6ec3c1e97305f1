/*
 * Call chains of Nsight Systems: tables with one row per frame, for samples and traced calls.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_CHAINS_H
#define STRATA_INPUT_NSYS_NSYS_CHAINS_H

#include "input/nsys/nsys_private.h"

struct nsys_chains {
	struct nsys_link {
		int64_t chain;
		uint32_t depth; /* 0: innermost */
		uint32_t name;  /* interned */
	} * links;              /* sorted by chain, innermost first */
	size_t count, capacity;
	struct hash *first; /* chain → index into links */
};

/* Read the chains of TABLE, empty when it is missing; the caller clears. */
void nsys_chains_read(struct nsys *nsys, const char *table, struct nsys_chains *chains);
void nsys_chains_clear(struct nsys_chains *chains);

/* The links of a chain, *COUNT of them; 0 when unknown. */
const struct nsys_link *nsys_chain(const struct nsys_chains *chains, int64_t chain, size_t *count);

/* The interned names of a chain, innermost first, separated by ';'; 0 when unknown. */
uint32_t nsys_chain_text(struct nsys *nsys, const struct nsys_chains *chains, int64_t chain);

#endif
