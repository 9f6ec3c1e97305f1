/*
 * E. W. Myers: An O(ND) Difference Algorithm and Its Variations (1986). A place is a number of
 * items of BASE and of NEW that lie behind; on a diagonal, their difference is the same.
 */
#include "picture/timeline/timeline_private.h"

#include <stdlib.h>

enum { EDITS_MAX = 1000 }; /* then the search begins again at the furthest place */

struct alignment {
	const uint32_t *base, *new; /* what lies ahead */
	int64_t base_count, new_count;
	int32_t *reached; /* in BASE, by edits, then by diagonal */
};

static size_t edits_place(int64_t edits, int64_t diagonal)
{
	return (size_t)(edits * (edits + 1) / 2 + (diagonal + edits) / 2);
}

/* -1: so few edits do not lead to the diagonal. */
static int64_t reached(const struct alignment *self, int64_t edits, int64_t diagonal)
{
	return llabs(diagonal) > edits ? -1 : self->reached[edits_place(edits, diagonal)];
}

/*
 * Where the best way arrives on the diagonal, before the equal items that follow. NEW: it leaves
 * over an item of NEW, rather than of BASE.
 */
static int64_t arrival(const struct alignment *self, int64_t edits, int64_t diagonal, bool *new)
{
	int64_t over_new = reached(self, edits - 1, diagonal + 1);
	int64_t over_base = reached(self, edits - 1, diagonal - 1) + 1;
	*new = over_new >= over_base;
	return *new ? over_new : over_base;
}

/* Find the way to the end with fewest edits, their number; to the furthest place if too many. */
static int64_t find_way(const struct alignment *self, int64_t *best)
{
	bool new;
	for (int64_t edits = 0;; edits++) {
		int64_t furthest = -1;
		for (int64_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
			int64_t at = arrival(self, edits, diagonal, &new);
			while (at < self->base_count && at - diagonal < self->new_count &&
			       self->base[at] == self->new[at - diagonal])
				at++;
			self->reached[edits_place(edits, diagonal)] = (int32_t)at;
			int64_t far = 2 * at - diagonal;
			if (at > self->base_count || at - diagonal > self->new_count ||
			    far < furthest || (far == furthest && llabs(diagonal) >= llabs(*best)))
				continue;
			furthest = far;
			*best = diagonal;
		}
		if (edits == EDITS_MAX || furthest == self->base_count + self->new_count)
			return edits;
	}
}

/* Pair the equal items on the way, backwards; BEHIND items of BASE lie before those here. */
static void note_pairs(const struct alignment *self, int64_t edits, int64_t diagonal, size_t behind,
		       uint32_t *partner)
{
	bool new;
	for (int64_t at = reached(self, edits, diagonal); edits >= 0; edits--) {
		for (int64_t start = arrival(self, edits, diagonal, &new); at > start; at--)
			partner[at - 1 - diagonal] = (uint32_t)(behind + (size_t)at - 1);
		at -= !new;
		diagonal += new ? 1 : -1;
	}
}

bool sequences_align(const uint32_t *base, size_t base_count, const uint32_t *new, size_t new_count,
		     uint32_t *partner, const struct progress *progress)
{
	size_t a = 0, b = 0;
	AUTO_FREE int32_t *places = mem_alloc(edits_place(EDITS_MAX + 1, 0) * sizeof *places);
	bool ok = base_count < INT32_MAX && new_count < INT32_MAX;
	memset(partner, 0xff, new_count * sizeof *partner); /* NO_ROW */
	while (ok && a < base_count && b < new_count) {
		const struct alignment self = { base + a, new + b, (int64_t)(base_count - a),
						(int64_t)(new_count - b), places };
		int64_t diagonal = 0, edits = find_way(&self, &diagonal);
		note_pairs(&self, edits, diagonal, a, partner + b);
		size_t passed = (size_t)reached(&self, edits, diagonal);
		a += passed;
		b += passed - (size_t)diagonal;
		ok = progress_row(progress, "aligning", b, new_count + 1);
	}
	return ok;
}
