/*
 * What builder.c collects and finish.c, with reorder.c and threads.c, puts in order.  Nobody else
 * includes this.
 */
#ifndef STRATA_MODEL_BUILDER_PRIVATE_H
#define STRATA_MODEL_BUILDER_PRIVATE_H

#include "base/hash.h"
#include "model/builder.h"
#include "model/frames.h"

#define OPEN_DURATION (-1) /* a span whose end has not been seen */

enum {
	NESTING_MAX = 4096, /* limit: spans inside each other; deeper ones have no duration */
	DEVICES_MAX = 1024, /* limit: devices; the others count as the last of them */
};

struct builder {
	struct profile *profile;
	bool begun;                    /* a span was added whose end was not known */
	size_t span_cap, activity_cap; /* of all their columns */
	struct hash *processes, *tracks, *configs, *metadata;
	struct hash *devices; /* ordinals that lanes have */
	size_t device_count;
	int32_t last_device;
	struct frames frames; /* of samples; the profile's when it is finished */
};

#define DAY_NS (24 * 3600 * INT64_C(1000000000))

/* A time more than a day away from what most rows are near cannot belong to the capture. */
static inline bool outside_capture(int64_t start, int64_t dur, int64_t typical)
{
	int64_t distance;
	if (__builtin_sub_overflow(start, typical, &distance))
		return true;
	return distance > DAY_NS || distance < -DAY_NS || dur > DAY_NS;
}

/* Make room for COUNT more rows. */
void builder_reserve_spans(struct builder *builder, size_t count);
void builder_reserve_activities(struct builder *builder, size_t count);

#endif
