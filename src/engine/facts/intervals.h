/*
 * Sets of time as sorted, disjoint intervals.
 */
#ifndef STRATA_FACTS_INTERVALS_H
#define STRATA_FACTS_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
	int64_t start, end;
};

struct intervals {
	struct interval *item;
	size_t count, capacity;
};

void intervals_add(struct intervals *set, int64_t start, int64_t end); /* empty ones are dropped */
void intervals_merge(struct intervals *set); /* sort and join what overlaps or touches */
void intervals_free(struct intervals *set);

/* These take merged sets and leave OUT (a set of its own, overwritten) merged. */
void intervals_intersect(const struct intervals *a, const struct intervals *b,
			 struct intervals *out);
void intervals_unite(const struct intervals *a, const struct intervals *b, struct intervals *out);
void intervals_subtract(const struct intervals *a, const struct intervals *b,
			struct intervals *out);

/* Move what LEFT has in common with SET from LEFT to OUT, to which it is added; all are merged. */
void intervals_take(struct intervals *left, const struct intervals *set, struct intervals *out);

int64_t intervals_length(const struct intervals *set);
/* Length inside [START, END), in O(log n + intervals inside). */
int64_t intervals_length_in(const struct intervals *set, int64_t start, int64_t end);

#endif
