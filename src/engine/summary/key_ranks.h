/*
 * The key ranks of a large job: those whose rows a merge keeps.
 *
 * A rank claims places by numbers of its own: its mean step, computation, communication and idle
 * time, the mean duration of its operations in each large process group. Of all that claim a place
 * those with the lowest numbers have it, then the lowest ranks. The lowest of a union are among the
 * lowest of its parts, so that merges in any grouping and order choose the same ranks.
 */
#ifndef STRATA_SUMMARY_KEY_RANKS_H
#define STRATA_SUMMARY_KEY_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rank_summary;

/* Above this, a merge keeps the rows of the key ranks only. */
enum { KEY_RANKS_ABOVE = 4096 };

struct key_claim {
	uint32_t kind;   /* enum in key_ranks.c */
	uint32_t unused; /* padding */
	uint64_t place;  /* of the kind */
	int64_t number, rank;
};

struct key_claims {
	struct key_claim *items;
	size_t count, capacity;
	size_t settled; /* how many were left when they were settled last */
};

/* What RANK claims. */
void key_claims_add(struct key_claims *claims, int64_t rank, const struct rank_summary *summary);
/* Those of another process. */
void key_claims_join(struct key_claims *claims, const struct key_claim *items, size_t count);
/* Leave the claims that have their place, in order. */
void key_claims_settle(struct key_claims *claims);
void key_claims_free(struct key_claims *claims);

#endif
