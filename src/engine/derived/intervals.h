/*
 * Interval sets: sorted, disjoint time intervals.
 */
#pragma once

#include "base/mem.h"

struct interval {
	int64_t start, end;
};

struct intervals {
	struct interval *item;
	size_t count, capacity;
};

/* Ignores empty intervals. Rows are mostly sorted: joining here keeps the set small. */
static inline void intervals_add(struct intervals *set, int64_t start, int64_t end)
{
	struct interval *last = set->count ? &set->item[set->count - 1] : NULL;
	if (start >= end)
		return;
	if (last && start >= last->start && start <= last->end) {
		last->end = end > last->end ? end : last->end;
		return;
	}
	mem_grow_to(set->item, set->capacity, set->count + 1);
	set->item[set->count++] = (struct interval){ start, end };
}

void intervals_reserve(struct intervals *set, size_t count); /* for more, if that many come */
void intervals_merge(struct intervals *set); /* sort and join overlapping or adjacent intervals */
void intervals_free(struct intervals *set);
#define AUTO_INTERVALS AUTO(intervals_free) /* base/mem.h */

/* Operands must be merged; a merged set replaces OUT, which may be one of them. */
void intervals_intersect(const struct intervals *a, const struct intervals *b,
			 struct intervals *out);
void intervals_unite(const struct intervals *a, const struct intervals *b, struct intervals *out);
void intervals_subtract(const struct intervals *a, const struct intervals *b,
			struct intervals *out);

/* Move the intersection of LEFT and SET from LEFT to OUT, adding to it; all sets are merged. */
void intervals_move(struct intervals *left, const struct intervals *set, struct intervals *out);

/* Keep of SET, merged, what lies in [START, END); OUTSIDE is overwritten with the rest, merged. */
void intervals_cut(struct intervals *set, int64_t start, int64_t end, struct intervals *outside);

int64_t intervals_length(const struct intervals *set);
/* The first of the longest; empty without any. */
struct interval intervals_longest(const struct intervals *set);
/* Time between the first and the last interval that no interval covers; the set is merged. */
int64_t intervals_gaps(const struct intervals *set);
/* Length within [START, END), in O(log n + intervals inside). */
int64_t intervals_length_in(const struct intervals *set, int64_t start, int64_t end);
/* Likewise; NEAR, at most the count, is a guess of the first inside, and becomes it. */
int64_t intervals_length_near(const struct intervals *set, int64_t start, int64_t end,
			      size_t *near);
