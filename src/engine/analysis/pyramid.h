/*
 * The pyramid of a lane: busy time, event count and dominant group of any time range in O(log
 * events).
 *
 * Prefix sums by block of events make a range two searches; the longest event is kept per 1, 2, 4,
 * 8… blocks. Busy time is the union of events; a group's share is what its events add to the union,
 * so the shares sum to it.
 */
#pragma once

#include "analysis/lanes.h"

void pyramid_free(struct pyramid *pyramid);         /* NULL is fine, here and below */
size_t pyramid_size(const struct pyramid *pyramid); /* bytes */

/*
 * Build the pyramid of a lane unless it exists. False with ERROR when cancelled. Only one thread
 * may prepare at a time; others may use prepared lanes concurrently.
 */
bool lane_prepare(struct lanes *lanes, uint32_t lane, const struct progress *progress,
		  struct error *error);

static inline const struct pyramid *lane_pyramid(const struct lane *lane)
{
	return atomic_load_explicit(&lane->pyramid, memory_order_acquire);
}

static inline bool lane_is_prepared(const struct lane *lane)
{
	return lane_pyramid(lane) != NULL;
}

/* A time range on a lane. */
struct lane_cell {
	int64_t busy;          /* ns: union of the events */
	uint32_t events;       /* overlapping it */
	uint32_t event;        /* the only event, or the one that fills it; else NO_ROW */
	enum lane_group group; /* dominant by time; undefined without events */
	bool whole;            /* one event covers it completely */
};

/* Start of cell I of COLUMNS equal cells over [FROM, TO); I = COLUMNS gives TO. */
static inline int64_t lane_edge(int64_t from, int64_t to, int columns, int i)
{
	int64_t width = (to - from) / columns, rest = (to - from) % columns;
	return from + width * i + rest * i / columns;
}

/*
 * COLUMNS cells over [FROM, TO), TO - FROM >= COLUMNS. Adjacent cells share an edge, so busy times
 * sum to the total. The lane must be prepared, also below.
 */
void lane_cells(const struct lanes *lanes, const struct lane *lane, int64_t from, int64_t to,
		int columns, struct lane_cell *cells);

/* Busy ns within [FROM, TO). */
int64_t lane_busy(const struct lane *lane, int64_t from, int64_t to);

/* Number of events that start before TIME. */
uint32_t lane_events_before(const struct lane *lane, int64_t time);

/* The event active at TIME (start <= TIME < end), or NO_ROW. */
uint32_t lane_event_at(const struct lane *lane, int64_t time);

/* The event covering most of [FROM, TO), or NO_ROW. */
uint32_t lane_longest(const struct lane *lane, int64_t from, int64_t to);

/* The event nearest to TIME; NO_ROW for an empty lane. */
uint32_t lane_nearest(const struct lane *lane, int64_t time);

/* Between two events, in ns; 0 without a gap. */
int64_t lane_longest_gap(const struct lane *lane);

/*
 * The first event after EVENT (BACKWARD: the last before it) preceded by an idle gap of at least
 * LEAST ns, or NO_ROW.
 */
uint32_t lane_gap(const struct lane *lane, uint32_t event, int64_t least, bool backward);

/* Number of groups with events. */
int lane_group_count(const struct lane *lane);
/* They as a set: bit 1 << group. */
unsigned lane_groups(const struct lane *lane);
