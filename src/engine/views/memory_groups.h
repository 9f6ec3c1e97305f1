/*
 * Further groupings of the memory view, and helpers of the memory views.
 */
#pragma once

#include "views/views.h"

/* Allocations added up: growth of memory, and number and bytes of those that are no release. */
struct allocation_sum {
	int64_t growth, count, bytes;
};
void allocation_sum_add(struct allocation_sum *sum, int64_t bytes);
/* Set the columns of an operator's allocations, its OWN and ALL. */
void set_allocations(struct table *table, size_t row, const struct allocation_sum *own,
		     const struct allocation_sum *all);

/* A moment of a device: after event AT (memory_blocks.h), with BYTES alive of what is reserved. */
struct memory_moment {
	int32_t device;
	int64_t at, bytes, reserved; /* NO_VALUE: unknown */
};

enum { MEMORY_DEVICES_MAX = 256 };

/*
 * The peak of each device, at most MEMORY_DEVICES_MAX. With a time in the scope, the highest within
 * it, what is live at its beginning included; of a moment (--time 5ms) what is live then. Without
 * what is REMOVED (NULL: nothing). False when cancelled.
 */
struct memory_removed;
bool memory_find_moments(const struct profile *profile, const struct scope *scope,
			 const struct memory_removed *removed, struct memory_moment *moments,
			 size_t *found, const struct progress *progress);
/* That of DEVICE among those FOUND; before all events if there is none. */
struct memory_moment memory_moment_of(const struct memory_moment *moments, size_t found,
				      int32_t device);

/*
 * What is live at each device's peak, one row per operator, layer or category, with number and
 * bytes of live allocations; allocations from before the capture have a row of their own. Grouping
 * change: at the beginning and at the end of the scope's time. Grouping without=PATTERN: at the
 * peak of a replay of all allocations but those of which "category layer operator" matches. False
 * when cancelled; so are the functions below.
 */
bool memory_add_groups(struct table *table, const struct view_query *query);

/* One row per step and device: growth, allocations and their bytes. */
bool memory_add_steps(struct table *table, const struct selection *selection,
		      const struct progress *progress);

/* The same views of a memory snapshot (snapshot_rows.c). False when cancelled. */
view_builder snapshot_add_owners, snapshot_add_events, snapshot_add_curve;

bool memory_in_scope(const struct selection *selection, const struct memory_event *event,
		     uint32_t owner);
void memory_note_none(struct table *table, const struct profile *profile); /* if there are none */
