/*
 * What each rank does when: equal buckets of the time that all recordings cover together, from the
 * slices and collectives of rank summaries.
 */
#pragma once

#include "model/scope.h"

struct progress;
struct run;

/* Parts of a bucket in ns, within the rounding of slices (struct rank_slice). */
struct rank_bucket {
	float recorded; /* by the rank; of it: */
	float computation, communication, overlap, busy;
	float wait; /* of communication, for other ranks; negative: unknown */
};

struct rank_time {
	size_t *ranks; /* indexes, of those with slices */
	size_t rank_count, bucket_count;
	struct rank_bucket *buckets; /* by rank, then time */
	int64_t length;              /* of all buckets, ns from the first start */
	bool apart;                  /* each rank counts from its own start: no common clock */
};

/* Of the ranks of RUN that RANKS has. False when cancelled. Free with rank_time_free either way. */
bool rank_time_make(struct rank_time *time, const struct run *run, const struct scope_list *ranks,
		    const struct progress *progress);
void rank_time_free(struct rank_time *time);

/* Where a bucket begins; the last one ends where BUCKET_COUNT begins. */
int64_t rank_time_start(const struct rank_time *time, size_t bucket);
