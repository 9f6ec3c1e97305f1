/*
 * The builder as builder.c, finish.c, order.c, reorder.c and threads.c share it; private to them.
 */
#pragma once

#include "base/hash.h"
#include "base/keyed.h"
#include "model/builder.h"
#include "model/frames.h"

#define OPEN_DURATION (-1)                    /* a span whose end is still unknown */
#define SIZE_OF_MEMORY_MAX (INT64_C(1) << 44) /* limit: bytes of a copy or of memory */

enum {
	NESTING_MAX = 4096, /* limit: nesting depth of spans; deeper ones have no duration */
	DEVICES_MAX = 1024, /* limit: devices; further ones count as the last */
	RECENT = 64,        /* keys, numbers, tracks and configs kept at hand */
	RECENT_INFOS = 512, /* likewise details of operators */
};

struct builder {
	struct profile *profile;
	bool begun;                    /* some spans were added without an end */
	size_t span_cap, activity_cap; /* of all span and activity columns */
	struct keyed processes, tracks, configs, infos, metadata; /* keys of the profile's rows */
	struct keyed devices;                                     /* ordinals that have tracks */
	int32_t last_device;
	struct frames frames; /* of samples; moved to the profile at the end */

	/* with their string ids */
	struct recent_key {
		const char *key; /* NULL: none */
		uint32_t text;
	} keys[RECENT]; /* by address */
	struct recent_number {
		int64_t number;
		uint32_t text; /* 0: none */
	} numbers[RECENT];
	/* Rows last found, checked for being what is asked for: 0 at first. */
	uint32_t recent_process, recent_tracks[RECENT], recent_configs[RECENT];
	uint32_t recent_infos[RECENT_INFOS];
};

#define DAY_NS (24 * 3600 * INT64_C(1000000000))

/* A time more than a day away from TYPICAL is outside the capture. */
static inline bool outside_capture(int64_t start, int64_t dur, int64_t typical)
{
	int64_t distance;
	if (__builtin_sub_overflow(start, typical, &distance))
		return true;
	return distance > DAY_NS || distance < -DAY_NS || dur > DAY_NS;
}

/*
 * Drop the ROWS outside the capture, move the others to time zero and sort them. False when
 * cancelled.
 */
#define shift_rows(profile, rows, count, time, dur, typical, compare, stage, progress)             \
	({                                                                                         \
		size_t kept_ = 0;                                                                  \
		bool ok_ = true;                                                                   \
		for_rows (ok_, i, (profile)->count, progress, stage) {                             \
			__typeof__(*(profile)->rows) *row = &(profile)->rows[i];                   \
			if (outside_capture(row->time, dur, typical))                              \
				continue;                                                          \
			row->time -= (profile)->base_ns;                                           \
			(profile)->rows[kept_++] = *row;                                           \
		}                                                                                  \
		(profile)->count = kept_;                                                          \
		ok_ &&sort_runs((profile)->rows, kept_, sizeof *(profile)->rows, compare,          \
				progress);                                                         \
	})

/*
 * Sort COUNT rows by (track, start, longer first, file order); returns the old row numbers, which
 * the caller frees. Rows with KEEP 0 are omitted (KEEP NULL: none). FIRST and NUMBER receive each
 * track's range, *KEPT the length. NULL when cancelled.
 */
uint32_t *lane_order(const int64_t *start, const int64_t *dur, const uint32_t *track,
		     const uint8_t *keep, uint32_t count, size_t tracks, uint32_t *first,
		     uint32_t *number, uint32_t *kept, const struct progress *progress);

/*
 * Sort the rows of the profile, with their attributes. Rows more than a day from TYPICAL are
 * dropped and counted as damage. False when cancelled: the columns are then invalid.
 */
bool profile_order(struct profile *profile, int64_t typical, const struct progress *progress);

/* Reserve COUNT more rows. */
void builder_reserve_spans(struct builder *builder, size_t count);
void builder_reserve_activities(struct builder *builder, size_t count);
void builder_fit(struct builder *builder); /* give the room that is left back */
