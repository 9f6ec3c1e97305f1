/*
 * Tallies: how many durations there are of each kernel, operator, layer, step and collective, their
 * sum, least and greatest, and a histogram for percentiles. Tallies of ranks add up, in any order
 * to the same.
 */
#ifndef STRATA_ANALYSIS_TALLY_H
#define STRATA_ANALYSIS_TALLY_H

#include "base/packed.h"
#include "base/progress.h"

struct facts;
struct hash;
struct rank_summary;

enum tally_kind {
	TALLY_KERNELS,     /* launches, by kernel */
	TALLY_OPERATORS,   /* host durations of calls, by operator */
	TALLY_LAYERS,      /* device activities, by the path of the innermost layer */
	TALLY_STEPS,       /* complete steps */
	TALLY_COLLECTIVES, /* by name */
	TALLY_KINDS
};

/* Two bounds of a bucket differ by less than 1/64: its middle is within 0.8 % of what is in it. */
struct tally_bucket {
	uint32_t index;
	uint64_t count;
};

/* The bucket of a duration, which is not negative. */
uint32_t tally_bucket_of(int64_t ns);

struct tally {
	uint32_t name; /* interned in the tallies' strings */
	uint32_t ranks;
	uint64_t count;
	int64_t sum, min, max;        /* ns; the sum stays at INT64_MAX */
	struct tally_bucket *buckets; /* by index */
	size_t bucket_count, bucket_cap;
};

struct tally_list {
	struct tally *items;
	size_t count, capacity;
	struct hash *by_name;
};

struct tallies {
	struct intern *strings;
	struct tally_list list[TALLY_KINDS];
};

void tallies_init(struct tallies *tallies);
void tallies_clear(struct tallies *tallies);

/* The kind with this name; the first if there is none. */
enum tally_kind tally_kind_named(const char *name);
const char *tally_kind_name(enum tally_kind kind);

/* Count one duration; a negative one counts as 0. Returns the index of its tally in the list. */
size_t tallies_count(struct tallies *tallies, enum tally_kind kind, const char *name, size_t length,
		     int64_t ns);
/* Count what a rank recorded. False when cancelled. */
bool tallies_collect(struct tallies *tallies, const struct facts *facts,
		     const struct rank_summary *summary, const struct progress *progress);
/* Add those of other ranks. */
void tallies_add(struct tallies *tallies, const struct tallies *more);

/* The tallies of a kind, largest sums first; the caller frees the array. */
const struct tally **tallies_order(const struct tallies *tallies, enum tally_kind kind);

/* The duration that PERCENT of a tally's do not exceed, within 1 %; 0 and 100 are exact. */
int64_t tally_percentile(const struct tally *tally, double percent);

/*
 * In an order of their own; of more than TALLY_NAMES_MAX of a kind, those with the smallest sums
 * become one, TALLY_OTHERS.
 */
#define TALLY_OTHERS "(others)"
enum { TALLY_NAMES_MAX = 2000 };
void tallies_pack(const struct tallies *tallies, struct intern *texts, struct buffer *out);
/* Into TALLIES, which is empty. False when they are damaged. */
bool tallies_unpack(struct tallies *tallies, struct packed *packed,
		    const struct packed_texts *texts);

#endif
