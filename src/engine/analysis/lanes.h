/*
 * Timeline lanes: non-overlapping events sorted by start.
 *
 * Nested spans become levels, concurrent activities sub-lanes. Beyond LANE_LEVELS_MAX levels the
 * last lane contains the rest, even if it overlaps; no event is dropped.
 */
#pragma once

#include "derived/kernel_family.h"
#include "derived/selection.h"

#include <stdatomic.h>

struct pyramid;

enum { LANE_LEVELS_MAX = 256 };

/* Kind of a lane, in display order within a track. */
enum lane_kind { LANE_KIND_ROWS(_) LANE_KINDS };

/* Colour class of an event; its letter without colours. */
enum lane_group {
	LANE_GROUP_ROWS(LISTED) GROUPS_PLAIN,
	/* those of kernels again, in the backward pass */
	GROUP_KERNEL_BACKWARD = GROUPS_PLAIN,
	LANE_GROUPS = GROUP_KERNEL_BACKWARD + GROUP_REDUCTION - GROUP_KERNEL + 1
};

/* The group without its pass: what has a color and a name. */
static inline enum lane_group lane_group_plain(enum lane_group group)
{
	return group < GROUP_KERNEL_BACKWARD
		       ? group
		       : (enum lane_group)(group - GROUP_KERNEL_BACKWARD + GROUP_KERNEL);
}

/* A set of groups, bit 1 << group, without their passes. */
static inline unsigned lane_groups_plain(unsigned groups)
{
	unsigned backward = groups >> GROUP_KERNEL_BACKWARD;
	return (groups & ((1U << GROUPS_PLAIN) - 1)) | backward << GROUP_KERNEL;
}

struct lane {
	enum lane_kind kind;
	uint32_t track;  /* NO_ROW: none */
	int32_t device;  /* ordinal, -1: host */
	int64_t rank;    /* number, of LANE_RANK */
	char *why;       /* owned: why the rank cannot be read; NULL: it can */
	uint32_t level;  /* within its kind and track, from 0 */
	bool waits;      /* of a thread that does hardly anything but wait */
	bool activities; /* events are activities; otherwise host spans, steps or a union */
	uint32_t count;
	const int64_t *start, *dur; /* by row */
	uint32_t *rows; /* by event, ascending; NULL: events are rows. Samples: index in SAMPLES */
	int64_t *own_start, *own_dur; /* owned, when events are not profile rows */
	double *load;       /* owned, of LANE_LOAD, by event: ns times load of those before it */
	uint8_t *own_group; /* owned, of LANE_RANK and of placed work, by event: enum lane_group */
	const struct stack_sample *samples; /* of the thread, for LANE_SAMPLES; else NULL */
	_Atomic(struct pyramid *) pyramid;  /* NULL until lane_prepare */
};

/* Are the events unions of rows, which have no name and are no rows themselves? */
static inline bool lane_is_union(const struct lane *lane)
{
	return lane->kind == LANE_DEVICE || lane->kind == LANE_LOAD || lane->kind == LANE_RANK;
}

struct lanes {
	const struct profile *profile;
	const struct derived *derived;
	const struct kernel_name *kernels; /* derived_kernel_names */
	struct lane *lane;                 /* steps, devices, then by track and kind */
	uint32_t count;
};

/*
 * Build the lanes of the rows of SELECTION (which must not be narrowed by time or steps), without
 * empty lanes. Borrows profile and derived data. NULL with ERROR when cancelled. The caller frees.
 */
struct lanes *lanes_new(const struct selection *selection, const struct progress *progress,
			struct error *error);
void lanes_free(struct lanes *lanes); /* NULL is fine */

/*
 * Add a lane without events for the devices of another rank, to be filled once it is in memory; or
 * never, because of WHY.
 */
void lanes_add_rank(struct lanes *lanes, int64_t rank, const char *why);
/*
 * Fill it with the work of all devices of the rank of DERIVED: computation, and communication where
 * nothing is computed; SHIFT is added to the times. False when cancelled.
 */
bool lane_fill_rank(struct lane *lane, const struct derived *derived, int64_t shift,
		    const struct progress *progress);
size_t lanes_size(const struct lanes *lanes); /* bytes, including pyramids */

/* ---- events ---- */

static inline uint32_t lane_row(const struct lane *lane, uint32_t event)
{
	return lane->rows ? lane->rows[event] : event;
}

static inline int64_t lane_start(const struct lane *lane, uint32_t event)
{
	return lane->start[lane_row(lane, event)];
}

static inline int64_t lane_end(const struct lane *lane, uint32_t event)
{
	uint32_t row = lane_row(lane, event);
	return lane->start[row] + lane->dur[row];
}

/* Interned; NO_ROW for a union, which has no names. */
uint32_t lane_event_name(const struct lanes *lanes, const struct lane *lane, uint32_t event);
enum lane_group lane_event_group(const struct lanes *lanes, const struct lane *lane,
				 uint32_t event);

/* Mean load of a LANE_LOAD within [FROM, TO), from 0 to 1; the lane must be prepared. */
double lane_load(const struct lane *lane, int64_t from, int64_t to);

/* Locate a profile row; false when it is on no lane. */
bool lanes_find(const struct lanes *lanes, bool activity, uint32_t row, uint32_t *lane,
		uint32_t *event);

char lane_group_letter(enum lane_group group); /* 'f', 'b', 'g'…; a capital in the backward pass */
const char *lane_group_name(enum lane_group group); /* "forward"…, without the pass of kernels */
/* Of kernels of a family (derived/kernel_family.h), in the forward pass or in none. */
enum lane_group lane_group_of_family(enum kernel_family family);
