/*
 * What the host threads were doing while any device was idle: shared by the devices of a run.
 */
#pragma once

#include "analysis/gaps.h"

/* What a host track was doing for a while; the cause is that of the span, never CAUSE_UNKNOWN. */
struct host_segment {
	int64_t start;
	uint32_t span; /* in it for longest without interruption */
	uint32_t ns;   /* SEGMENT_LONG: see long_end */
};

enum { SEGMENTS = 1 << 15 /* of a block */ };
#define SEGMENT_LONG UINT32_MAX

/* The end of a segment of 4 s or more. */
struct long_end {
	size_t segment;
	int64_t end;
};

/* Segments are sorted by time, in blocks of SEGMENTS of which only the first grows and moves. */
struct host_lane {
	const uint8_t *span_cause;
	struct host_segment **blocks;
	size_t count;
	GROWING(struct long_end, ends, end_count); /* by segment */
	int64_t longest;                           /* time of its span in the last segment */
};

struct host_lanes {
	struct host_lane *lanes; /* by track */
	size_t count;
};

/*
 * Collect them WITHIN (merged) from the cause that each span implies, SPAN_CAUSE, which must
 * outlive them. The caller frees; NULL when cancelled.
 */
struct host_lanes *host_lanes_make(const struct derived *derived, const uint8_t *span_cause,
				   const struct intervals *within, const struct progress *progress);
void host_lanes_free(struct host_lanes *lanes); /* NULL is fine */

/* Add the time of all threads by cause to POOLED, merged. False when cancelled. */
bool host_lanes_pool(const struct host_lanes *lanes, struct intervals pooled[TIME_CAUSES],
		     const struct progress *progress);

static inline struct host_segment *segment_at(const struct host_lane *lane, size_t i)
{
	return &lane->blocks[i / SEGMENTS][i % SEGMENTS];
}

int64_t segment_end_long(const struct host_lane *lane, size_t i);

static inline int64_t segment_end(const struct host_lane *lane, size_t i)
{
	const struct host_segment *segment = segment_at(lane, i);
	return segment->ns == SEGMENT_LONG ? segment_end_long(lane, i)
					   : segment->start + segment->ns;
}

/* The first segment that ends after TIME, or the count: sought ever farther from NEAR. */
size_t segment_after(const struct host_lane *lane, int64_t time, size_t near);
