/*
 * The key ranks of a large job: those whose rows a merge keeps.
 *
 * A rank claims places by numbers of its own: its mean step, computation, communication and idle
 * time, the mean duration of its operations in each large process group. Of all that claim a place
 * those with the lowest numbers have it, then the lowest ranks. The lowest of a union are among the
 * lowest of its parts, so that merges in any grouping and order choose the same ranks.
 */
#include "summary/merge_summaries.h"

#include "analysis/rank_summary.h"
#include "analysis/histogram.h"
#include "base/compare.h"
#include "base/crc64.h"
#include "base/sort.h"

enum key_ranks_claim_kind {
	CLAIM_TYPICAL, /* by bucket of the mean step: a step like this */
	CLAIM_STEP,    /* by direction, like the others: longest, shortest */
	CLAIM_COMPUTATION,
	CLAIM_COMMUNICATION, /* the shortest: others wait for the rank */
	CLAIM_IDLE,
	CLAIM_GROUP, /* by process group: the shortest operations */
	CLAIM_KINDS
};

/* How many ranks have a place. */
static const size_t places[CLAIM_KINDS] = {
	[CLAIM_TYPICAL] = 1,        [CLAIM_STEP] = 16, [CLAIM_COMPUTATION] = 16,
	[CLAIM_COMMUNICATION] = 16, [CLAIM_IDLE] = 16, [CLAIM_GROUP] = 4,
};

/* A large group has at least this many ranks, and one in GROUPS of the world. */
enum { GROUP_MIN = 64, GROUPS = 64, OPERATIONS_MIN = 3 };

enum { SHORTEST, LONGEST };

static void key_ranks_add(struct key_claims *claims, enum key_ranks_claim_kind kind, uint64_t place,
			  int64_t number, int64_t rank)
{
	*mem_push(claims->items, claims->count) =
		(struct key_claim){ kind, 0, place, number, rank };
}

static void add_extremes(struct key_claims *claims, enum key_ranks_claim_kind kind, int64_t number,
			 int64_t rank)
{
	key_ranks_add(claims, kind, SHORTEST, number, rank);
	key_ranks_add(claims, kind, LONGEST, -number, rank);
}

/* ---- groups ---- */

struct key_ranks_group {
	int64_t ns, count;
};

/* Unnamed operations are of all ranks. */
static bool is_large(const struct rank_summary *summary, const struct collective *collective)
{
	int64_t least = summary->world_size / GROUPS, size = collective->group_size;
	if (!*intern_text(summary->strings, collective->group))
		return true;
	return size >= GROUP_MIN && size >= least;
}

static void add_duration(struct key_ranks_group *group, const struct collective *collective)
{
	int64_t ns = collective->end - collective->start;
	if (__builtin_add_overflow(group->ns, ns, &group->ns))
		group->ns = INT64_MAX;
	group->count++;
}

static void key_ranks_add_groups(struct key_claims *claims, int64_t rank,
				 const struct rank_summary *summary)
{
	AUTO_KEYED struct keyed names = { 0 };
	AUTO_FREE struct key_ranks_group *groups = NULL;
	for_each (collective, summary->collectives, summary->collective_count)
		if (is_large(summary, collective))
			add_duration(keyed_item(&names, groups, &collective->group), collective);
	for (uint32_t i = 0; i < names.count; i++) {
		const uint32_t *group = keyed_key(&names, i);
		const char *name = intern_text(summary->strings, *group);
		if (groups[i].count >= OPERATIONS_MIN)
			key_ranks_add(claims, CLAIM_GROUP, crc64(0, name, strlen(name)),
				      groups[i].ns / groups[i].count, rank);
	}
}

/* Few of many claims have a place. */
static void settle_many(struct key_claims *claims)
{
	enum { SETTLE_FROM = 1 << 14 };
	if (claims->count > 2 * claims->settled + SETTLE_FROM)
		key_claims_settle(claims);
}

void key_claims_add(struct key_claims *claims, int64_t rank, const struct rank_summary *summary)
{
	struct scope whole;
	scope_init(&whole);
	struct step_summary mean = rank_mean_step(summary, &whole);
	if (mean.dur > 0) {
		key_ranks_add(claims, CLAIM_TYPICAL, histogram_bucket_of(mean.dur), 0, rank);
		add_extremes(claims, CLAIM_STEP, mean.dur, rank);
		add_extremes(claims, CLAIM_COMPUTATION, mean.computation, rank);
		add_extremes(claims, CLAIM_COMMUNICATION, mean.communication, rank);
		add_extremes(claims, CLAIM_IDLE, mean.idle, rank);
	}
	key_ranks_add_groups(claims, rank, summary);
	settle_many(claims);
}

void key_claims_join(struct key_claims *claims, const struct key_claim *items, size_t count)
{
	mem_grow(claims->items, claims->count + count);
	if (count)
		memcpy(claims->items + claims->count, items, count * sizeof *items);
	claims->count += count;
	settle_many(claims);
}

/* ---- who has a place ---- */

static int key_ranks_compare_places(const struct key_claim *x, const struct key_claim *y)
{
	return COMPARE(x->kind, y->kind) ?: COMPARE(x->place, y->place);
}

COMPARE_ITEMS(compare_claims, struct key_claim,
	      key_ranks_compare_places(x, y)
		      ?: COMPARE(x->number, y->number)
		      ?: COMPARE(x->rank, y->rank))

void key_claims_settle(struct key_claims *claims)
{
	size_t kept = 0, taken = 0;
	sort_items(claims->items, claims->count, compare_claims);
	for (size_t i = 0; i < claims->count; i++) {
		struct key_claim claim = claims->items[i];
		if (kept && compare_claims(&claims->items[kept - 1], &claim) == 0)
			continue; /* a rank that is there twice */
		if (!kept || key_ranks_compare_places(&claims->items[kept - 1], &claim) != 0)
			taken = 0;
		if (taken++ < places[claim.kind])
			claims->items[kept++] = claim;
	}
	claims->settled = claims->count = kept;
}

CLEAR_MEMBERS(key_claims_free, struct key_claims, OWN(items))
