/*
 * Lanes: the rows of a profile as lines of events in time, as a timeline shows them.
 *
 * The events of a lane are sorted by start and do not overlap: spans that lie in each other are
 * levels of a stack, activities that run side by side are sub-lanes.  Past LANE_LEVELS_MAX levels
 * the last one takes what is left, overlapping or not: none is dropped.
 */
#ifndef STRATA_ANALYSIS_LANES_H
#define STRATA_ANALYSIS_LANES_H

#include "facts/selection.h"
#include "base/progress.h"

#include <stdatomic.h>

struct error;
struct pyramid;

enum { LANE_LEVELS_MAX = 256 };

/* What a lane is a line of.  In the order of a track's lanes. */
enum lane_kind {
	LANE_STEPS,      /* the steps, chained; of no track */
	LANE_DEVICE,     /* when any kernel ran on a device; of no track */
	LANE_ANNOTATION, /* annotations and points in time of a thread, their shadows on a stream */
	LANE_WORK, /* operators and runtime calls of a thread; kernels, copies, sets of a stream */
	LANE_SYNC, /* synchronisations, on a stream */
	LANE_SAMPLES, /* looks at what a thread was doing, until the next or as long as usual */
	LANE_PYTHON,  /* module calls and Python functions of a thread */
	LANE_KINDS
};

/* What an event is to the eye: its colour, and its letter where there is none. */
enum lane_group {
	GROUP_FORWARD,
	GROUP_BACKWARD,
	GROUP_COMMUNICATION,
	GROUP_KERNEL,
	GROUP_COPY,
	GROUP_RUNTIME,
	GROUP_ANNOTATION,
	GROUP_MODULE,
	GROUP_PYTHON,
	GROUP_SYNC,
	GROUP_OTHER,
	LANE_GROUPS
};

struct lane {
	enum lane_kind kind;
	uint32_t track;  /* NO_ROW: of none */
	int32_t device;  /* ordinal, -1: of the host */
	uint32_t level;  /* of its kind in its track, from 0 */
	bool activities; /* events are activities, else host spans (or steps, or a union) */
	uint32_t count;
	const int64_t *start, *dur; /* by row */
	uint32_t *rows;             /* by event, ascending (of samples their place in the thread's);
				       NULL: events are rows */
	int64_t *own_start, *own_dur;       /* what is no row of the profile */
	const struct stack_sample *samples; /* of the thread, where rows number them; else NULL */
	_Atomic(struct pyramid *) pyramid;  /* NULL until lane_prepare */
};

struct lanes {
	const struct profile *profile;
	const struct facts *facts;
	struct lane *lane; /* steps, devices, then track by track in the order of kinds */
	uint32_t count;
	uint32_t capacity;
};

/*
 * The lanes of what SELECTION has (times and steps are no narrowing here: pass a selection
 * without). Lanes without events are left out.  Borrows the profile and the facts.  NULL with ERROR
 * when cancelled.  The caller frees.
 */
struct lanes *lanes_new(const struct selection *selection, const struct progress *progress,
			struct error *error);
void lanes_free(struct lanes *lanes);         /* NULL is fine */
size_t lanes_size(const struct lanes *lanes); /* bytes held, pyramids included */

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

/* Interned; NO_ROW where an event is a union and has no name. */
uint32_t lane_event_name(const struct lanes *lanes, const struct lane *lane, uint32_t event);
enum lane_group lane_event_group(const struct lanes *lanes, const struct lane *lane,
				 uint32_t event);

/* Where a row of the profile is: false when no lane has it. */
bool lanes_find(const struct lanes *lanes, bool activity, uint32_t row, uint32_t *lane,
		uint32_t *event);

char lane_group_letter(enum lane_group group);      /* 'f', 'b', 'c'… */
const char *lane_group_name(enum lane_group group); /* "forward"… */

#endif
