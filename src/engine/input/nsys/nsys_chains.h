/*
 * Call chains as Nsight Systems keeps them: one row a frame, of samples and of traced calls.
 */
#ifndef STRATA_INPUT_NSYS_NSYS_CHAINS_H
#define STRATA_INPUT_NSYS_NSYS_CHAINS_H

#include "input/nsys/nsys_private.h"

struct nsys_chains {
	struct nsys_link {
		int64_t chain;
		uint32_t depth; /* 0: innermost */
		uint32_t name;  /* interned */
	} * links;              /* by chain, innermost first */
	size_t count, capacity;
	struct hash *first; /* chain → index into links */
};

/* The chains of TABLE, none when there is no such table; the caller clears. */
void nsys_chains_read(struct nsys *nsys, const char *table, struct nsys_chains *chains);
void nsys_chains_clear(struct nsys_chains *chains);

/* The links of a chain: *COUNT from the returned one on; 0 when it is not there. */
const struct nsys_link *nsys_chain(const struct nsys_chains *chains, int64_t chain, size_t *count);

/* Its names, innermost first, apart by ';', interned; 0 when it is not there. */
uint32_t nsys_chain_text(struct nsys *nsys, const struct nsys_chains *chains, int64_t chain);

#endif
