/*
 * Kernels that have another name in the other run: paired by their places under operators, by
 * launch shape and by order.
 */
#include "base/compare.h"
#include "views/diff/diff.h"

#include "base/keyed.h"

#include <stdlib.h>

/* A kernel without counterpart in a place. */
struct resident {
	uint64_t place;
	uint32_t row, first; /* first: the sample in which it appears first */
	uint32_t shape, calls;
	bool taken;
};

struct residents {
	struct resident *items;
	size_t count;
	uint32_t *calls; /* by row: in all places; 0: not a candidate */
};

/* Calls in which two kernels take each other's place. */
struct vote {
	uint32_t base, new, calls;
};

struct votes {
	struct keyed rows; /* of base and new */
	struct vote *items;
};

/* CANDIDATES, by row: 1 for kernels that only one side has. Returns their number. */
static size_t find_candidates(const struct comparison *comparison, bool new, uint8_t *candidates)
{
	const struct diff_side *side = new ? &comparison->new : &comparison->base;
	size_t count = 0;
	for (size_t i = 1; i < comparison->count; i++) {
		const struct pair *pair = &comparison->pairs[i];
		uint32_t row = new ? pair->new : pair->base;
		bool alone = (new ? pair->base : pair->new) == NO_ROW;
		if (row != NO_ROW && alone && diff_is_kind(side->rows[row].kind, LAYER_KERNEL)) {
			candidates[row] = 1;
			count++;
		}
	}
	return count;
}

COMPARE_MEMBERS(by_place, struct resident, UP(place) UP(first))

static void find_residents(struct residents *residents, const struct samples *samples,
			   const uint8_t *candidates)
{
	AUTO_KEYED struct keyed known = { 0 };
	residents->calls = mem_zalloc(samples->rows, sizeof *residents->calls);
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];
		const uint64_t key[] = { sample->place, sample->row };
		if (!candidates[sample->row])
			continue;
		residents->calls[sample->row]++;
		struct resident *resident = keyed_item(&known, residents->items, &key);
		if (!resident->calls++) {
			resident->place = sample->place;
			resident->row = sample->row;
			resident->first = (uint32_t)i;
			resident->shape = sample->shape;
		}
	}
	residents->count = known.count;
	if (residents->count)
		qsort(residents->items, residents->count, sizeof *residents->items, by_place);
}

static void vote(struct votes *votes, uint32_t base, uint32_t new, uint32_t calls)
{
	const uint32_t rows[] = { base, new };
	struct vote *vote = keyed_item(&votes->rows, votes->items, &rows);
	*vote = (struct vote){ base, new, vote->calls + calls };
}

/* The first resident with equal calls, and with SAME_SHAPE an equal shape. */
static struct resident *find_counterpart(struct resident *items, size_t count,
					 const struct resident *wanted, bool same_shape)
{
	enum { NEIGHBORS_MAX = 64 }; /* limit: kernels that are tried in a place */
	for (size_t i = 0; i < count && i < NEIGHBORS_MAX; i++)
		if (!items[i].taken && items[i].calls == wanted->calls &&
		    (!same_shape || items[i].shape == wanted->shape))
			return &items[i];
	return NULL;
}

static void vote_in_place(struct votes *votes, struct resident *base, size_t base_count,
			  struct resident *new, size_t new_count)
{
	for (int same_shape = 1; same_shape >= 0; same_shape--)
		for (size_t i = 0; i < base_count; i++) {
			struct resident *other =
				base[i].taken
					? NULL
					: find_counterpart(new, new_count, &base[i], same_shape);
			if (!other)
				continue;
			base[i].taken = other->taken = true;
			vote(votes, base[i].row, other->row, base[i].calls);
		}
}

static size_t end_of_place(const struct residents *residents, size_t at, uint64_t place)
{
	while (at < residents->count && residents->items[at].place == place)
		at++;
	return at;
}

static void vote_everywhere(struct votes *votes, struct residents *base, struct residents *new)
{
	for (size_t i = 0, k = 0; i < base->count && k < new->count;) {
		uint64_t left = base->items[i].place, right = new->items[k].place;
		size_t base_end = left <= right ? end_of_place(base, i, left) : i;
		size_t new_end = right <= left ? end_of_place(new, k, right) : k;
		if (left == right)
			vote_in_place(votes, base->items + i, base_end - i, new->items + k,
				      new_end - k);
		i = base_end;
		k = new_end;
	}
}

COMPARE_MEMBERS(by_calls, struct vote, DOWN(calls) UP(base))

/* Pair rows that share most calls of both. */
static void elect(struct comparison *comparison, struct votes *votes, const struct residents *base,
		  const struct residents *new)
{
	AUTO_FREE uint32_t *base_pair = mem_alloc(comparison->base.count * sizeof *base_pair);
	AUTO_FREE uint32_t *new_pair = mem_alloc(comparison->new.count * sizeof *new_pair);
	for (uint32_t i = 0; i < comparison->count; i++) {
		if (comparison->pairs[i].base != NO_ROW)
			base_pair[comparison->pairs[i].base] = i;
		if (comparison->pairs[i].new != NO_ROW)
			new_pair[comparison->pairs[i].new] = i;
	}
	if (votes->rows.count)
		qsort(votes->items, votes->rows.count, sizeof *votes->items, by_calls);
	for_each (vote, votes->items, votes->rows.count) {
		struct pair *gone = &comparison->pairs[base_pair[vote->base]];
		struct pair *added = &comparison->pairs[new_pair[vote->new]];
		if (gone->new != NO_ROW || added->new == NO_ROW || gone->parent != added->parent ||
		    2 * (uint64_t)vote->calls < base->calls[vote->base] ||
		    2 * (uint64_t)vote->calls < new->calls[vote->new])
			continue;
		gone->new = vote->new;
		added->new = NO_ROW; /* an empty pair, which is not shown */
	}
}

void diff_pair_renamed(struct comparison *comparison)
{
	AUTO_FREE uint8_t *in_base = mem_zalloc(comparison->base.count, 1);
	AUTO_FREE uint8_t *in_new = mem_zalloc(comparison->new.count, 1);
	if (find_candidates(comparison, false, in_base) &&
	    find_candidates(comparison, true, in_new)) {
		struct residents base = { 0 }, new = { 0 };
		struct votes votes = { 0 };
		find_residents(&base, &comparison->base.gpu_calls, in_base);
		find_residents(&new, &comparison->new.gpu_calls, in_new);
		vote_everywhere(&votes, &base, &new);
		elect(comparison, &votes, &base, &new);
		keyed_clear(&votes.rows);
		mem_free_all(votes.items, base.items, base.calls, new.items, new.calls);
	}
}
