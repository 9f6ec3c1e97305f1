/*
 * Interval sets: sorted, disjoint time intervals.
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

void intervals_add(struct intervals *set, int64_t start, int64_t end); /* ignores empty intervals */
void intervals_reserve(struct intervals *set, size_t count); /* for more, if that many come */
void intervals_merge(struct intervals *set); /* sort and join overlapping or adjacent intervals */
void intervals_free(struct intervals *set);

/* Operands must be merged; OUT, distinct from them, is overwritten with a merged set. */
void intervals_intersect(const struct intervals *a, const struct intervals *b,
			 struct intervals *out);
void intervals_unite(const struct intervals *a, const struct intervals *b, struct intervals *out);
void intervals_subtract(const struct intervals *a, const struct intervals *b,
			struct intervals *out);

/* Move the intersection of LEFT and SET from LEFT to OUT, adding to it; all sets are merged. */
void intervals_move(struct intervals *left, const struct intervals *set, struct intervals *out);

int64_t intervals_length(const struct intervals *set);
int64_t intervals_length_common(const struct intervals *a, const struct intervals *b); /* merged */
/* Time between the first and the last interval that no interval covers; the set is merged. */
int64_t intervals_gaps(const struct intervals *set);
/* Length within [START, END), in O(log n + intervals inside). */
int64_t intervals_length_in(const struct intervals *set, int64_t start, int64_t end);
/* Likewise; NEAR, at most the count, is a guess of the first inside, and becomes it. */
int64_t intervals_length_near(const struct intervals *set, int64_t start, int64_t end,
			      size_t *near);

#endif
