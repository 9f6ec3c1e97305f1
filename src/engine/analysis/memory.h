/*
 * Memory records and the operators they belong to.
 */
#ifndef STRATA_ANALYSIS_MEMORY_H
#define STRATA_ANALYSIS_MEMORY_H

#include "base/progress.h"
#include "model/profile.h"

struct facts;

/*
 * The operator a record belongs to: the deepest span of the operator tree on the record's thread
 * with start <= time < end, when it is an operator; else NO_ROW.
 */
uint32_t memory_owner(const struct facts *facts, const struct memory_event *event);

/* The deepest span of any kind on the record's thread in which it lies, or NO_ROW. */
uint32_t memory_span(const struct facts *facts, const struct memory_event *event);

static inline bool memory_is_host(const struct memory_event *event)
{
	return event->device_type == 0;
}

/* Cost of a memory record in plain rows (progress_heavy_row): its owner is searched for. */
enum { MEMORY_WEIGHT = 2 };

/* Net bytes by span, summed as prefixes ([spans + 1]). */
struct memory_sums {
	int64_t *host_prefix, *device_prefix; /* NULL when the profile has no records */
};
/* False when cancelled; the caller frees with memory_sums_free either way. */
bool memory_sum(struct memory_sums *sums, const struct facts *facts,
		const struct progress *progress);
void memory_sums_free(struct memory_sums *sums);

#endif
