/*
 * Memory events and the operators they belong to.
 */
#pragma once

#include "base/marks.h"
#include "base/progress.h"
#include "model/profile.h"
#include "base/number.h"

struct derived;

/*
 * The deepest span of the operator tree with start <= time < end on the event's thread, if it is an
 * operator; else NO_ROW.
 */
uint32_t memory_owner(const struct derived *derived, const struct memory_event *event);

/* The operator, module or step around a span, or NO_ROW. */
uint32_t memory_parent(const struct derived *derived, uint32_t span);

static inline bool memory_is_host(const struct memory_event *event)
{
	return event->device_type == 0;
}

/* -1: the host. */
static inline int32_t memory_device(const struct memory_event *event)
{
	return memory_is_host(event) ? -1 : event->device_id;
}

/* Cost in plain rows (progress_heavy_row): its owner is searched for. */
enum { MEMORY_WEIGHT = 2 };

/* Net bytes. */
struct memory_net {
	int64_t host, device;
};

struct memory_sums {
	struct marks owners;       /* spans */
	struct memory_net *before; /* by owner: of those before, at last all; NULL: no events */
};
/* False when cancelled; the caller frees with memory_sums_free either way. */
bool memory_sum(struct memory_sums *sums, const struct derived *derived,
		const struct progress *progress);
void memory_sums_free(struct memory_sums *sums);
struct memory_net memory_between(const struct memory_sums *sums, uint32_t first, uint32_t size);
