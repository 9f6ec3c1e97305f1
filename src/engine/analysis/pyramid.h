/*
 * The pyramid of a lane: what it takes to say of any stretch of time how busy it was, with how many
 * events and mostly of which group, in O(log events).
 *
 * Sums are kept by block of events from the beginning of the lane on, so a stretch costs two
 * searches; the longest event is kept by 1, 2, 4, 8… blocks.  Busy time is the union of the events,
 * and what a group gets of it is what its events add to the union, so the groups add up to it.
 */
#ifndef STRATA_ANALYSIS_PYRAMID_H
#define STRATA_ANALYSIS_PYRAMID_H

#include "analysis/lanes.h"

void pyramid_free(struct pyramid *pyramid);         /* NULL is fine, here and below */
size_t pyramid_size(const struct pyramid *pyramid); /* bytes held */

/*
 * Build the pyramid of a lane unless it has one.  False with ERROR when cancelled.  One thread at a
 * time may prepare; others may use what is prepared already meanwhile.
 */
bool lane_prepare(struct lanes *lanes, uint32_t lane, const struct progress *progress,
		  struct error *error);

static inline bool lane_is_prepared(const struct lane *lane)
{
	return atomic_load_explicit(&lane->pyramid, memory_order_acquire) != NULL;
}

/* A stretch of time on a lane. */
struct lane_cell {
	int64_t busy;          /* ns: union of the events */
	uint32_t events;       /* that overlap it */
	uint32_t event;        /* the one, where events is 1 or whole is set; else NO_ROW */
	enum lane_group group; /* with most of the time; meaningless without events */
	bool whole;            /* one event fills it from end to end */
};

/* Where cell I of COLUMNS equally wide ones over [FROM, TO) begins; that of COLUMNS is TO. */
static inline int64_t lane_edge(int64_t from, int64_t to, int columns, int i)
{
	int64_t width = (to - from) / columns, rest = (to - from) % columns;
	return from + width * i + rest * i / columns;
}

/*
 * COLUMNS cells over [FROM, TO), TO - FROM >= COLUMNS.  Neighbours share their edge, so their busy
 * times add up to that of the whole.  The lane is prepared, here and below.
 */
void lane_cells(const struct lanes *lanes, const struct lane *lane, int64_t from, int64_t to,
		int columns, struct lane_cell *cells);

/* Busy ns inside of [FROM, TO). */
int64_t lane_busy(const struct lane *lane, int64_t from, int64_t to);

/* How many of its events start before TIME: the index of the first that does not. */
uint32_t lane_events_before(const struct lane *lane, int64_t time);

/* The event that goes on at TIME (from its start, to before its end), or NO_ROW. */
uint32_t lane_event_at(const struct lane *lane, int64_t time);

/* The event that takes most of [FROM, TO), or NO_ROW when none has any of it. */
uint32_t lane_longest(const struct lane *lane, int64_t from, int64_t to);

/* The event nearest to TIME; NO_ROW only in an empty lane. */
uint32_t lane_nearest(const struct lane *lane, int64_t time);

/*
 * The event before which the lane is idle for at least LEAST ns: the first after EVENT, or with
 * BACKWARD the last before it.  NO_ROW when there is none.
 */
uint32_t lane_gap(const struct lane *lane, uint32_t event, int64_t least, bool backward);

/* How many groups the lane has events of. */
int lane_group_count(const struct lane *lane);

#endif
