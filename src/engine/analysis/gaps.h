/*
 * Idle gaps of a device, and who owns each nanosecond of them.
 *
 * A gap is a maximal time of the analysis window in which a device does nothing. It is explained by
 * the thread that launches the activity that ends it: at every instant the owner is what this
 * thread is in, innermost first, until the launch call returns; from then on the launch latency, or
 * a dependency if the work starts late. If nothing is recorded on the thread, another thread of
 * its process that has events for all of the time stands in; else the cause is unknown. Unknown too
 * is the cause of gaps in the head of the window (analysis/work_window.h), and without any recorded
 * launch.
 */
#pragma once

#include "analysis/work_window.h"
#include "derived/intervals.h"

struct selection;

/* Each instant of a step has exactly one. */
enum time_cause { TIME_CAUSE_ROWS(LISTED) TIME_CAUSES };

/* Column id of a cause ("idle_launch_ns"), and its name in tables ("launch"). */
const char *time_cause_column(enum time_cause cause);
const char *time_cause_name(enum time_cause cause);

/* Launched work that starts later than this after its launch call waits for something else. */
enum { LAUNCH_LATENCY_MAX = 10000 };

/* Breaks of the launching thread up to this belong to launching. */
enum { BREAK_NS = 15 * LAUNCH_LATENCY_MAX };

/*
 * A part of a gap with one owner; it starts where the one before ends, the last ends with the gap.
 * Those of a gap of GAP_LONG ns or more take two, of which the second has only further bits of
 * UNTIL, in SPAN: rows are within years of each other.
 */
struct gap_part {
	uint32_t span;       /* innermost host span for most of it; NO_ROW: none */
	uint32_t until : 28; /* ns from the start of the gap to its end */
	uint32_t cause : 4;  /* enum time_cause */
};

enum { GAP_LONG = 1 << 28 };

struct gap {
	int64_t start;
	uint32_t before, after; /* the activities around it; NO_ROW at the ends of the window */
	uint32_t track;         /* the thread that explains it; NO_ROW: unknown */
	uint32_t parts : 31;    /* at least one */
	uint32_t is_long : 1;
	union {
		const struct gap_part *part;
		int64_t until; /* until the parts are known */
	};
};

static inline const struct gap_part *gap_part(const struct gap *gap, size_t part)
{
	return &gap->part[part << gap->is_long];
}

static inline int64_t gap_part_end(const struct gap *gap, size_t part)
{
	const struct gap_part *at = gap_part(gap, part);
	return gap->start + at->until + (gap->is_long ? (int64_t)at[1].span << 28 : 0);
}

static inline int64_t gap_part_start(const struct gap *gap, size_t part)
{
	return part ? gap_part_end(gap, part - 1) : gap->start;
}

static inline int64_t gap_end(const struct gap *gap)
{
	return gap_part_end(gap, gap->parts - 1);
}

/* Gaps are explained in this many pieces, side by side. */
enum { GAP_PIECES = 8 };

struct gaps { /* of one device, by time */
	struct gap *items;
	size_t count;
	struct gap_piece {
		size_t first, end;       /* its gaps */
		struct gap_parts *parts; /* of them; NULL: none */
		int64_t ns[TIME_CAUSES]; /* of parts by cause */
	} pieces[GAP_PIECES];
};

void gaps_free(struct gaps *gaps); /* accepts all zero */

/* The first gap that ends after TIME, or the count; in O(log distance) from NEAR, a guess. */
size_t gaps_from(const struct gaps *gaps, int64_t time, size_t near);

/* The owner of most of the idle time within [START, END); NEAR as above. */
struct gap_owner {
	int64_t idle_ns, cause_ns; /* idle time, and the owner's part of it */
	enum time_cause cause;     /* CAUSE_UNKNOWN without idle time */
	uint32_t span;             /* in the owner's longest part; NO_ROW */
};
struct gap_owner gaps_owner(const struct gaps *gaps, int64_t start, int64_t end, size_t near);

/*
 * The span that names what the host did in a part: the outermost operator of a launch, the data
 * loader's range, else SPAN itself; NO_ROW if it is.
 */
uint32_t gap_work(const struct derived *derived, uint32_t span, enum time_cause cause);

/* ---- finding them ---- */

struct host_lanes;

/*
 * The gaps of DEVICE: IDLE is merged, lies in WINDOW, and is taken: it is empty afterwards. The
 * caller frees with gaps_free; false when cancelled, with nothing to free.
 */
bool gaps_find(struct gaps *gaps, const struct selection *selection, const struct host_lanes *lanes,
	       int32_t device, struct intervals *idle, const struct work_window *window,
	       const struct progress *progress);
