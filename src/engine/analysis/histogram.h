/*
 * Tallies: how many durations there are of each kernel, operator, layer, step and collective, their
 * sum, least and greatest, and a histogram for percentiles. Tallies of ranks add up, in any order
 * to the same.
 */
#ifndef STRATA_ANALYSIS_HISTOGRAM_H
#define STRATA_ANALYSIS_HISTOGRAM_H

#include "base/packed.h"
#include "base/progress.h"

struct derived;
struct hash;
struct rank_summary;

enum histogram_kind {
	TALLY_KERNELS,     /* launches, by kernel */
	TALLY_OPERATORS,   /* host durations of calls, by operator */
	TALLY_LAYERS,      /* device activities, by the path of the innermost layer */
	TALLY_STEPS,       /* complete steps */
	TALLY_COLLECTIVES, /* by name */
	TALLY_KINDS
};

/* Two bounds of a bucket differ by less than 1/64: its middle is within 0.8 % of what is in it. */
struct histogram_bucket {
	uint32_t index;
	uint64_t count;
};

/* The bucket of a duration, which is not negative. */
uint32_t histogram_bucket_of(int64_t ns);

struct histogram {
	uint32_t name; /* interned in the tallies' strings */
	uint32_t ranks;
	uint64_t count;
	int64_t sum, min, max;            /* ns; the sum stays at INT64_MAX */
	struct histogram_bucket *buckets; /* by index */
	size_t bucket_count, bucket_cap;
};

struct histogram_list {
	struct histogram *items;
	size_t count, capacity;
	struct hash *by_name;
};

struct tallies {
	struct intern *strings;
	struct histogram_list list[TALLY_KINDS];
};

void tallies_init(struct tallies *tallies);
void tallies_clear(struct tallies *tallies);

/* The kind with this name; the first if there is none. */
enum histogram_kind histogram_kind_named(const char *name);
const char *histogram_kind_name(enum histogram_kind kind);

/* Count one duration; a negative one counts as 0. Returns the index of its histogram in the list. */
size_t tallies_count(struct tallies *tallies, enum histogram_kind kind, const char *name,
		     size_t length, int64_t ns);
/* Count what a rank recorded. False when cancelled. */
bool tallies_collect(struct tallies *tallies, const struct derived *derived,
		     const struct rank_summary *summary, const struct progress *progress);
/* Add those of other ranks. */
void tallies_add(struct tallies *tallies, const struct tallies *more);

/* The tallies of a kind, largest sums first; the caller frees the array. */
const struct histogram **tallies_order(const struct tallies *tallies, enum histogram_kind kind);

/* The duration that PERCENT of a histogram's do not exceed, within 1 %; 0 and 100 are exact. */
int64_t histogram_percentile(const struct histogram *histogram, double percent);

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
