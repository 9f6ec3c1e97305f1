/*
 * Histograms: how many durations there are of each kernel, operator, layer, step and collective,
 * their sum, least and greatest, and a histogram for percentiles. Those of ranks add up, in any
 * order to the same.
 */
#pragma once

#include "base/listed.h"
#include "base/packed.h"
#include "base/progress.h"

struct derived;
struct hash;
struct rank_summary;

enum histogram_kind { HISTOGRAM_KIND_ROWS(LISTED) HISTOGRAM_KINDS };

/* Two bounds of a bucket differ by less than 1/64: its middle is within 0.8 % of what is in it. */
struct histogram_bucket {
	uint32_t index;
	uint64_t count;
};

/* The bucket of a duration, which is not negative. */
uint32_t histogram_bucket_of(int64_t ns);

struct histogram {
	uint32_t name; /* interned in the histograms' strings */
	uint32_t ranks;
	uint64_t count;
	int64_t sum, min, max; /* ns; the sum stays at INT64_MAX */
	GROWING(struct histogram_bucket, buckets, bucket_count); /* by index */
};

struct histogram_list {
	GROWING(struct histogram, items, count);
	struct hash *by_name;
};

struct histograms {
	struct intern *strings;
	struct histogram_list list[HISTOGRAM_KINDS];
};

void histograms_init(struct histograms *histograms);
void histograms_clear(struct histograms *histograms);

/* The kind with this name; the first if there is none. */
enum histogram_kind histogram_kind_named(const char *name);
const char *histogram_kind_name(enum histogram_kind kind);

/* Count one duration; a negative one counts as 0. Returns the index of its histogram in the list.
 */
size_t histograms_count(struct histograms *histograms, enum histogram_kind kind, const char *name,
			size_t length, int64_t ns);
/* Count what a rank recorded. False when cancelled. */
bool histograms_collect(struct histograms *histograms, const struct derived *derived,
			const struct rank_summary *summary, const struct progress *progress);
/* Add those of other ranks. */
void histograms_add(struct histograms *histograms, const struct histograms *more);

/* The histograms of a kind, largest sums first; the caller frees the array. */
const struct histogram **histograms_order(const struct histograms *histograms,
					  enum histogram_kind kind);

/* The duration that PERCENT of a histogram's do not exceed, within 1 %; 0 and 100 are exact. */
int64_t histogram_percentile(const struct histogram *histogram, double percent);

/*
 * In an order of their own; of more than HISTOGRAM_NAMES_MAX of a kind, those with the smallest
 * sums become one, HISTOGRAM_OTHERS.
 */
#define HISTOGRAM_OTHERS "(others)"
enum { HISTOGRAM_NAMES_MAX = 2000 };
void histograms_pack(const struct histograms *histograms, struct intern *texts, struct buffer *out);
/* Into HISTOGRAMS, which is empty. False when they are damaged. */
bool histograms_unpack(struct histograms *histograms, struct packed *packed,
		       const struct packed_texts *texts);
