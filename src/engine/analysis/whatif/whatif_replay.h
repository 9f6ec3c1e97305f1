/*
 * Replays a graph in one pass: the time of each point is the latest of its sources and weights.
 *
 * Strict: the source that explains a recorded time best gets as weight what is left of it, so that
 * a replay without an edit gives the recording to the nanosecond. Typical: each class of waits has
 * one weight, so that what nothing explains is gone.
 */
#pragma once

#include "analysis/whatif/whatif_graph.h"

/* What an edit changes of a point besides its times. */
enum whatif_change { WHATIF_CHANGE_ROWS(_) };

/* A factor from 2^-15 to 2^17, to a part of 4096, and 0: a float without the bits left over. */
typedef uint16_t whatif_factor;
enum { WHATIF_FACTOR_BITS = 12, WHATIF_FACTOR_LEAST = 112 << 23 };

union whatif_real {
	float real;
	int32_t bits;
};

static inline whatif_factor whatif_pack(double factor)
{
	union whatif_real as = { .real = (float)factor };
	int32_t kept = as.bits - WHATIF_FACTOR_LEAST + (1 << (WHATIF_FACTOR_BITS - 1));
	kept = kept < 0 ? 0 : kept >> WHATIF_FACTOR_BITS;
	return (whatif_factor)(kept < UINT16_MAX ? kept : UINT16_MAX);
}

static inline double whatif_unpack(whatif_factor factor)
{
	union whatif_real as = { .bits = (factor << WHATIF_FACTOR_BITS) + WHATIF_FACTOR_LEAST };
	return factor ? (double)as.real : 0;
}

/* Weights under an edit: factors by point, NULL: 1. Zero-initialized there is no edit. */
struct whatif_weights {
	whatif_factor *own; /* of the time that the work or the call takes */
	whatif_factor *gap; /* of what passes before it on its thread or stream */
	uint8_t *change;    /* by point: bits of enum whatif_change; NULL: none */
};

/* Is a replay with them that of the recording? */
static inline bool whatif_changes_nothing(const struct whatif_weights *weights)
{
	return !weights->own && !weights->gap && !weights->change;
}

/* Batches of loader processes are ready when they were; in the last, so long after a request. */
enum whatif_mode {
	REPLAY_STRICT,
	REPLAY_TYPICAL,
	REPLAY_WITHOUT_GUESSES,
	REPLAY_BATCH_LATENCY,
	REPLAY_MODES
};

/* What the path through a replay is made of. */
enum whatif_limit { WHATIF_LIMIT_ROWS(LISTED) WHATIF_LIMITS };

struct whatif_times {
	int64_t start, end;          /* of the steps that are judged, else of all work */
	int64_t late_ns;             /* strict: of work that starts late without a cause */
	int64_t head_ns;             /* strict: likewise of the first work of a stream, at most */
	int64_t unexplained_ns;      /* until the path begins; only if asked for */
	int64_t residual_ns;         /* without an edit, only with the path: of waits on it that are
					not explained, each over 10 us */
	int64_t busy_ns;             /* of the devices, in the judged steps; close where the order
					of the works of several streams changes */
	double step_error;           /* percent by which a step differs from the recording: most */
	int64_t path[WHATIF_LIMITS]; /* only if asked for */
};

/* By point, when what it is of begins and ends: of a call that may wait either is its own. */
struct whatif_moves {
	int64_t *begin, *end;
};

/* Work that is a rank's part of an operation of several. */
struct whatif_join {
	uint32_t point, meeting;
	int64_t transfer; /* ns: the time of the rank that comes last */
	bool arrived;     /* in the replay in progress */
};

/* Such an operation: it transfers once the last rank has come. */
struct whatif_meeting {
	uint32_t ranks, missing; /* those that take part; that have not come yet */
	int64_t shift;           /* how much later than recorded the last has come, ns */
};

struct whatif_rank {
	struct whatif_graph *graph;
	struct whatif_weights weights; /* of the replay in progress */
	struct whatif_join *joins;     /* by point */
	size_t join_count;
};

struct whatif_joined {
	struct whatif_rank *ranks; /* as those of the run */
	size_t count;
	struct whatif_meeting *meetings;
	uint32_t meeting_count;
	size_t straggler; /* the rank that others wait for; SIZE_MAX */
	bool no_path;     /* what paths are made of is not wanted */
};

/*
 * The times of rank READ, replayed with the others under the weights of each. PUNCTUAL: none waits
 * for the straggler. Ranks that wait for each other in a circle go on as recorded. False when
 * cancelled.
 */
bool whatif_replay_joined(const struct whatif_joined *joined, size_t read, enum whatif_mode mode,
			  bool punctual, struct whatif_times *times,
			  const struct progress *progress);

/*
 * The times under WEIGHTS (NULL: no edit), and of each point in MOVES, the caller's, unless it is
 * NULL. PATH: also what the path is made of. In one pass over the points. False when cancelled.
 */
bool whatif_replay(const struct whatif_graph *graph, const struct whatif_weights *weights,
		   enum whatif_mode mode, bool path, const struct whatif_moves *moves,
		   struct whatif_times *times, const struct progress *progress);

/* By point the source that was done last, as recorded; the caller frees both arrays. False when
   cancelled. */
bool whatif_find_origins(struct whatif_sources *origins, const struct whatif_graph *graph,
			 const struct progress *progress);

const char *whatif_limit_name(enum whatif_limit limit); /* "kernels", "host launches" */

/* The time between calls that is Python's pause, rather than the launching of work; ns. */
enum { WHATIF_PAUSE = 150000 };
